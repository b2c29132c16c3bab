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
 * Sends requests until there are no more, with a fixed number in flight: as soon as one is answered, the next is sent, on
 * the thread that brought the answer. The first that fails is the failure of all.
 */
final class Lanes {

    /** What is to be sent. */
    @FunctionalInterface
    interface Requests {

        /** Sends the next; nothing when there is none. */
        Optional<? extends CompletionStage<?>> next();
    }

    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final int DIGITS = 3;

    private final Requests requests;
    private final Histogram latencies = new ConcurrentHistogram(PATIENCE.toNanos(), DIGITS);

    private Lanes(Requests requests) {
        this.requests = requests;
    }

    /** Returns when all requests are answered, of which there are so many jobs'. */
    static Work run(int jobs, int inFlight, Requests requests) {
        Lanes all = new Lanes(requests);
        long start = System.nanoTime();
        List<Lane> lanes = Stream.generate(() -> all.new Lane()).limit(inFlight).toList();
        lanes.forEach(Lane::advance);
        lanes.forEach(lane ->
                lane.end.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join());
        long nanos = System.nanoTime() - start;
        return new Work(jobs, nanos, all.micros(50), all.micros(99));
    }

    private double micros(double percent) {
        return latencies.getValueAtPercentile(percent) / 1e3;
    }

    /** One of the requests in flight, again and again. */
    private final class Lane {

        final CompletableFuture<Void> end = new CompletableFuture<>();

        void advance() {
            try {
                sendOn();
            } catch (RuntimeException e) {
                end.completeExceptionally(e);
            }
        }

        /** A loop for answers that are there at once; others come back here. */
        private void sendOn() {
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
                        land(sent, problem);
                        advance();
                    });
                    return;
                }
                answer.whenComplete((answered, problem) -> land(sent, problem));
            }
        }

        private void land(long sent, @Nullable Throwable problem) {
            latencies.recordValue(Math.min(System.nanoTime() - sent, PATIENCE.toNanos()));
            if (problem != null) {
                end.completeExceptionally(problem);
            }
        }
    }
}
