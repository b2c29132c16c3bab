package io.headgate.bench.limits;

import io.headgate.bench.peers.Subject.Gate;
import io.headgate.bench.run.Tally;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Sends requests to a gate, which is a connected limiter, with a fixed number in flight. Each answer triggers the next request, on the
 * thread that received the answer. While answers are immediate, two threads send, as on the intended machine with two cores, and never
 * the thread that reads from the network.
 */
final class ClosedLoop {

    private static final int SENDERS = 2;

    /** The number of immediate answers that are timed as one: reading the clock for each would take a third of the time. */
    private static final int TIMED_AS_ONE = 64;

    private final Gate gate;
    private final List<String> keys;
    private final int inFlight;
    private final long nanos;
    private final LongSupplier nanoTime;
    private final AtomicInteger cursor = new AtomicInteger();

    ClosedLoop(Gate gate, List<String> keys, int inFlight, Duration time) {
        this(gate, keys, inFlight, time, System::nanoTime);
    }

    /** Creates a loop with another clock, for tests. */
    ClosedLoop(Gate gate, List<String> keys, int inFlight, Duration time, LongSupplier nanoTime) {
        this.gate = gate;
        this.keys = keys;
        this.inFlight = inFlight;
        this.nanos = time.toNanos();
        this.nanoTime = nanoTime;
    }

    /** Runs, and returns when all requests are answered. */
    Tally run() {
        Tally tally = new Tally();
        ExecutorService senders = Executors.newFixedThreadPool(SENDERS, task -> new Thread(task, "sender"));
        try {
            long start = nanoTime.getAsLong();
            List<Lane> lanes = IntStream.range(0, inFlight)
                    .mapToObj(i -> new Lane(tally, senders, start + nanos))
                    .toList();
            lanes.forEach(lane -> senders.execute(lane::advance));
            lanes.forEach(lane -> lane.end.join());
            tally.took(nanoTime.getAsLong() - start);
        } finally {
            senders.shutdown();
        }
        return tally;
    }

    private String nextKey() {
        return keys.size() == 1 ? keys.get(0) : keys.get(Math.floorMod(cursor.getAndIncrement(), keys.size()));
    }

    /** One of the requests in flight, and its successors. */
    private final class Lane {

        final CompletableFuture<Void> end = new CompletableFuture<>();
        private final Tally tally;
        private final ExecutorService senders;
        private final long endNanos;

        Lane(Tally tally, ExecutorService senders, long endNanos) {
            this.tally = tally;
            this.senders = senders;
            this.endNanos = endNanos;
        }

        /** Runs on a sender thread. */
        void advance() {
            try {
                while (nanoTime.getAsLong() < endNanos) {
                    if (!sendImmediate()) {
                        return;
                    }
                }
                end.complete(null);
            } catch (RuntimeException e) {
                end.completeExceptionally(e);
            }
        }

        /** Sends some requests while answers are immediate. Returns false after an answer that is not; its completion sends the next. */
        private boolean sendImmediate() {
            long sent = nanoTime.getAsLong();
            int allowed = 0;
            int count = 0;
            CompletableFuture<Boolean> answer;
            do {
                answer = gate.tryAcquire(nextKey()).toCompletableFuture();
                if (!answer.isDone() || answer.isCompletedExceptionally()) {
                    break;
                }
                allowed += answer.join() ? 1 : 0;
            } while (++count < TIMED_AS_ONE);
            long now = nanoTime.getAsLong();
            tally.addImmediate(now - sent, allowed, count - allowed);
            if (count == TIMED_AS_ONE) {
                return true;
            }
            // After immediate answers, the last request is measured from the return of its call: the clock was not read
            // before.
            long lastSent = count == 0 ? sent : now;
            answer.whenComplete((yes, problem) -> answered(lastSent, yes, problem));
            return false;
        }

        private void answered(long sent, @Nullable Boolean allowed, @Nullable Throwable problem) {
            long now = nanoTime.getAsLong();
            tally.add(now - sent, allowed, problem);
            if (now >= endNanos) {
                end.complete(null);
            } else {
                sendNext(now);
            }
        }

        /** Sends the next request on the thread that received an answer; if its answer is immediate, a sender thread continues. */
        private void sendNext(long now) {
            try {
                CompletableFuture<Boolean> answer = gate.tryAcquire(nextKey()).toCompletableFuture();
                if (answer.isDone()) {
                    answer.whenComplete((yes, problem) -> tally.add(nanoTime.getAsLong() - now, yes, problem));
                    senders.execute(this::advance);
                } else {
                    answer.whenComplete((yes, problem) -> answered(now, yes, problem));
                }
            } catch (RuntimeException e) {
                end.completeExceptionally(e);
            }
        }
    }

    /** Sends requests to a gate on one thread, which waits for each answer. */
    static final class LoneCaller {

        private final Gate gate;
        private final List<String> keys;
        private final long nanos;

        LoneCaller(Gate gate, List<String> keys, Duration time) {
            this.gate = gate;
            this.keys = keys;
            this.nanos = time.toNanos();
        }

        /** Runs for its time. */
        Tally run() {
            Tally tally = new Tally();
            long start = System.nanoTime();
            long now = start;
            for (int i = 0; now - start < nanos; i++) {
                long sent = now;
                try {
                    boolean allowed = gate.tryAcquire(keys.get(i % keys.size()))
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
