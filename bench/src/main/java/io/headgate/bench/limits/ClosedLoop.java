package io.headgate.bench.limits;

import io.headgate.bench.peers.Subject.Gate;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Asks a gate for a while with a fixed number of requests in flight: as soon as one is answered, the next is sent, on
 * the thread that brought the answer. What is answered at once is asked by two threads, as many as the machine is meant to
 * have, and never by the one that reads from the network.
 */
final class ClosedLoop {

    private static final int ASKERS = 2;

    /** How many answers that are there at once are timed together: to read the clock for each would be a third of them. */
    private static final int TIMED_TOGETHER = 64;

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
        ExecutorService askers = Executors.newFixedThreadPool(ASKERS, task -> new Thread(task, "asker"));
        try {
            long start = System.nanoTime();
            List<Lane> lanes = IntStream.range(0, inFlight)
                    .mapToObj(i -> new Lane(tally, askers, start + nanos))
                    .toList();
            lanes.forEach(lane -> askers.execute(lane::advance));
            lanes.forEach(lane -> lane.end.join());
            tally.took(System.nanoTime() - start);
        } finally {
            askers.shutdown();
        }
        return tally;
    }

    private String nextKey() {
        return keys.size() == 1 ? keys.get(0) : keys.get(Math.floorMod(cursor.getAndIncrement(), keys.size()));
    }

    /** One of the requests in flight, again and again. */
    private final class Lane {

        final CompletableFuture<Void> end = new CompletableFuture<>();
        private final Tally tally;
        private final ExecutorService askers;
        private final long endNanos;

        Lane(Tally tally, ExecutorService askers, long endNanos) {
            this.tally = tally;
            this.askers = askers;
            this.endNanos = endNanos;
        }

        /** On an asker. */
        void advance() {
            try {
                while (System.nanoTime() < endNanos) {
                    if (!askAtOnce()) {
                        return;
                    }
                }
                end.complete(null);
            } catch (RuntimeException e) {
                end.completeExceptionally(e);
            }
        }

        /** Asks as long as answers are there at once, but not for ever; false when one is not, and will go on by itself. */
        private boolean askAtOnce() {
            long sent = System.nanoTime();
            int allowed = 0;
            int answered = 0;
            CompletableFuture<Boolean> answer;
            do {
                answer = gate.ask(nextKey()).toCompletableFuture();
                if (!answer.isDone() || answer.isCompletedExceptionally()) {
                    break;
                }
                allowed += answer.join() ? 1 : 0;
            } while (++answered < TIMED_TOGETHER);
            tally.addAtOnce(System.nanoTime() - sent, allowed, answered - allowed);
            if (answered == TIMED_TOGETHER) {
                return true;
            }
            answer.whenComplete((yes, problem) -> landed(sent, yes, problem));
            return false;
        }

        private void landed(long sent, @Nullable Boolean allowed, @Nullable Throwable problem) {
            long now = System.nanoTime();
            tally.add(now - sent, allowed, problem);
            if (now >= endNanos) {
                end.complete(null);
            } else {
                askOn(now);
            }
        }

        /** On the thread that brought an answer: where the next one is there at once, an asker goes on. */
        private void askOn(long now) {
            try {
                CompletableFuture<Boolean> answer = gate.ask(nextKey()).toCompletableFuture();
                if (answer.isDone()) {
                    answer.whenComplete((yes, problem) -> tally.add(System.nanoTime() - now, yes, problem));
                    askers.execute(this::advance);
                } else {
                    answer.whenComplete((yes, problem) -> landed(now, yes, problem));
                }
            } catch (RuntimeException e) {
                end.completeExceptionally(e);
            }
        }
    }

    /** Asks a gate for a while on one thread, which waits for each answer. */
    static final class LoneCaller {

        private final Gate gate;
        private final List<String> keys;
        private final long nanos;

        LoneCaller(Gate gate, List<String> keys, Duration time) {
            this.gate = gate;
            this.keys = keys;
            this.nanos = time.toNanos();
        }

        /** Runs, and returns when its time is over. */
        Tally run() {
            Tally tally = new Tally();
            long start = System.nanoTime();
            long now = start;
            for (int i = 0; now - start < nanos; i++) {
                long sent = now;
                try {
                    boolean allowed = gate.ask(keys.get(i % keys.size()))
                            .toCompletableFuture()
                            .join();
                    now = System.nanoTime();
                    tally.add(now - sent, allowed, null);
                } catch (CompletionException e) {
                    now = System.nanoTime();
                    tally.add(now - sent, null, e);
                }
            }
            tally.took(now - start);
            return tally;
        }
    }
}
