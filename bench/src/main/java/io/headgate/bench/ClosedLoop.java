package io.headgate.bench;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Asks a gate for a while with a fixed number of requests in flight: as soon as one is answered, the next is sent, on
 * the thread that brought the answer.
 */
final class ClosedLoop {

    private final Gate gate;
    private final List<String> keys;
    private final int inFlight;
    private final long nanos;
    private final AtomicInteger cursor = new AtomicInteger();

    ClosedLoop(Gate gate, List<String> keys, int inFlight, Duration time) {
        this.gate = gate;
        this.keys = keys;
        this.inFlight = inFlight;
        this.nanos = time.toNanos();
    }

    /** Runs, and returns when all that was sent is answered. */
    Tally run() {
        Tally tally = new Tally();
        long start = System.nanoTime();
        List<Lane> lanes = IntStream.range(0, inFlight)
                .mapToObj(i -> new Lane(tally, start + nanos))
                .toList();
        lanes.forEach(Lane::advance);
        lanes.forEach(lane -> lane.end.join());
        tally.took(System.nanoTime() - start);
        return tally;
    }

    private String nextKey() {
        return keys.get(Math.floorMod(cursor.getAndIncrement(), keys.size()));
    }

    /** One of the requests in flight, again and again. */
    private final class Lane {

        final CompletableFuture<Void> end = new CompletableFuture<>();
        private final Tally tally;
        private final long endNanos;

        Lane(Tally tally, long endNanos) {
            this.tally = tally;
            this.endNanos = endNanos;
        }

        void advance() {
            try {
                askOn();
            } catch (RuntimeException e) {
                end.completeExceptionally(e);
            }
        }

        /** A loop for answers that are there at once; others come back here. */
        private void askOn() {
            long now = System.nanoTime();
            while (now < endNanos) {
                long sent = now;
                CompletableFuture<Boolean> answer = gate.ask(nextKey()).toCompletableFuture();
                if (!answer.isDone()) {
                    answer.whenComplete((allowed, problem) -> {
                        land(sent, System.nanoTime(), allowed, problem);
                        advance();
                    });
                    return;
                }
                // The clock is read once, which would be most of an answer that needs no call.
                long landed = System.nanoTime();
                answer.whenComplete((allowed, problem) -> land(sent, landed, allowed, problem));
                now = landed;
            }
            end.complete(null);
        }

        private void land(long sent, long landed, @Nullable Boolean allowed, @Nullable Throwable problem) {
            tally.add(landed - sent, allowed, problem);
        }
    }
}
