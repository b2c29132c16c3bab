package io.headgate.bench.faults;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Something that is done to a Redis, or on the way to it, for a while.
 *
 * @param name as it stands in the table
 * @param effect what it does to what was counted, which says how much may be admitted, and whether jobs may be lost
 * @param opening makes the Redis that it is done to, anew each time
 * @param trouble begins it
 * @param <P> what that Redis is
 */
record FaultCase<P extends FaultTarget>(String name, Effect effect, FaultTarget.Opening<P> opening, Fault<P> fault) {

    /** How often what is over at once is done again. */
    static final Duration AGAIN = Duration.ofMillis(200);

    /** What is left to end of something that is over when it has begun. */
    static final Runnable OVER = () -> {};

    /** What becomes of counts. */
    enum Effect {
        /** No instance can ask, so shares decide: all together no more than the limit. */
        ALL_FALL_BACK(1.1),
        /** Some can ask and some can't: the limit for these, and a share for each of those. */
        SOME_FALL_BACK(2),
        /** A primary that was replaced and lives answers, too, until it is left: the limit twice, for two seconds. */
        TWO_ANSWER(1.1 + 2 / (FaultScenario.WINDOWS * FaultSite.WINDOW.toMillis() / 1000.0)),
        /** The clock jumps, and jumps back: what was counted is of another time, and each time the limit is there once more. */
        CLOCK_JUMPS(1.1 + 2.0 / FaultScenario.WINDOWS),
        /** Counts are lost, each time the limit once more: here up to five times a second. */
        COUNTS_LOST(1 + 4 * 1000.0 / AGAIN.toMillis() / FaultScenario.WINDOWS);

        private final double bound;

        Effect(double bound) {
            this.bound = bound;
        }

        /** What is admitted at most over all windows of the case, of what the limit lets pass. */
        double bound() {
            return bound;
        }

        /** Whether what is held in flight stays so: leases are as long as they were, and what Redis was told is not forgotten. */
        boolean keepsHolds() {
            return this == ALL_FALL_BACK || this == SOME_FALL_BACK;
        }

        /** Whether Redis forgets what it was told, jobs as well. */
        boolean losesData() {
            return this == COUNTS_LOST;
        }
    }

    /** Begins something at a place. */
    @FunctionalInterface
    interface Fault<P extends FaultTarget> {

        /** Returns when it has begun, with what ends it. */
        Runnable begin(P place);
    }

    /** A case of one Redis. */
    static FaultCase<SingleRedis> of(String name, Fault<SingleRedis> fault) {
        return new FaultCase<>(name, Effect.ALL_FALL_BACK, SingleRedis::open, fault);
    }

    /** Something that is over when it has been done, such as a failover. */
    static <P extends FaultTarget> FaultCase<P> once(
            String name, Effect effect, FaultTarget.Opening<P> opening, Consumer<P> event) {
        return new FaultCase<>(name, effect, opening, place -> {
            event.accept(place);
            return OVER;
        });
    }

    /** Something that is over at once, done again and again. */
    static FaultCase<SingleRedis> repeated(String name, Effect effect, Consumer<SingleRedis> event) {
        return repeated(name, effect, SingleRedis::open, event);
    }

    /** The same at another place. */
    static <P extends FaultTarget> FaultCase<P> repeated(
            String name, Effect effect, FaultTarget.Opening<P> opening, Consumer<P> event) {
        return new FaultCase<>(name, effect, opening, place -> Repeated.begin(() -> event.accept(place))::end);
    }

    /** Does something every now and then on a thread of its own. */
    private static final class Repeated implements Runnable {

        private final Runnable event;
        private final Thread thread = new Thread(this, "trouble");
        private final CountDownLatch ended = new CountDownLatch(1);
        private volatile @Nullable RuntimeException problem;

        private Repeated(Runnable event) {
            this.event = event;
        }

        static Repeated begin(Runnable event) {
            Repeated repeated = new Repeated(event);
            event.run();
            repeated.thread.start();
            return repeated;
        }

        @Override
        public void run() {
            try {
                while (!ended.await(AGAIN.toMillis(), TimeUnit.MILLISECONDS)) {
                    event.run();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (RuntimeException e) {
                problem = e;
            }
        }

        void end() {
            ended.countDown();
            try {
                thread.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            if (problem != null) {
                throw new IllegalStateException("the trouble could not be had again", problem);
            }
        }
    }
}
