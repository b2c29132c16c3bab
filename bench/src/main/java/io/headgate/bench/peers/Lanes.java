package io.headgate.bench.peers;

import io.headgate.bench.peers.PeerQueue.Work;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Sends all requests with a fixed number in flight. Each answer triggers the next request, on the thread that received the answer. If a
 * request fails, the run fails.
 */
final class Lanes {

    /** The requests. */
    @FunctionalInterface
    interface Requests {

        /** Sends the next request; empty if there is none. */
        Optional<? extends CompletionStage<?>> next();
    }

    private static final Duration TIMEOUT = Duration.ofMinutes(2);
    private static final int DIGITS = 3;

    private final Requests requests;
    private final Histogram latencies = new ConcurrentHistogram(TIMEOUT.toNanos(), DIGITS);

    private Lanes(Requests requests) {
        this.requests = requests;
    }

    /** Sends all requests, which contain this many jobs, and returns when they are answered. */
    static Work run(int jobs, int inFlight, Requests requests) {
        Lanes all = new Lanes(requests);
        long start = System.nanoTime();
        List<Lane> lanes = Stream.generate(() -> all.new Lane()).limit(inFlight).toList();
        lanes.forEach(Lane::advance);
        lanes.forEach(lane ->
                lane.end.orTimeout(TIMEOUT.toSeconds(), TimeUnit.SECONDS).join());
        long nanos = System.nanoTime() - start;
        return new Work(jobs, nanos, all.micros(50), all.micros(99));
    }

    private double micros(double percent) {
        return latencies.getValueAtPercentile(percent) / 1e3;
    }

    /** One of the requests in flight, and its successors. */
    private final class Lane {

        final CompletableFuture<Void> end = new CompletableFuture<>();

        void advance() {
            try {
                sendNext();
            } catch (RuntimeException e) {
                end.completeExceptionally(e);
            }
        }

        /** Loops while answers are immediate; a later answer calls {@link #advance} again. */
        private void sendNext() {
            while (!end.isDone()) {
                long sent = System.nanoTime();
                Optional<? extends CompletionStage<?>> request = requests.next();
                if (request.isEmpty()) {
                    end.complete(null);
                    return;
                }
                CompletableFuture<?> answer = request.get().toCompletableFuture();
                if (!answer.isDone()) {
                    answer.whenComplete((answered, problem) -> {
                        answered(sent, problem);
                        advance();
                    });
                    return;
                }
                answer.whenComplete((answered, problem) -> answered(sent, problem));
            }
        }

        private void answered(long sent, @Nullable Throwable problem) {
            latencies.recordValue(Math.min(System.nanoTime() - sent, TIMEOUT.toNanos()));
            if (problem != null) {
                end.completeExceptionally(problem);
            }
        }
    }
}
