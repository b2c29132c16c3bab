package io.headgate.bench.faults;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A fault of a Redis or of the network to it, and its documented effect.
 *
 * @param name the name in the table
 * @param effect the effect on counts, which bounds admissions and determines whether jobs may be lost
 * @param opening starts a new target for each trial
 * @param fault starts the fault
 * @param <P> the type of the target
 */
record FaultCase<P extends FaultTarget>(String name, Effect effect, FaultTarget.Opening<P> opening, Fault<P> fault) {

    /** The interval between repetitions of an instantaneous fault. */
    static final Duration REPEAT_INTERVAL = Duration.ofMillis(200);

    /** What ends a fault that ends by itself, such as a failover: nothing. */
    static final Runnable ENDS_BY_ITSELF = () -> {};

    /** The effect on counts. */
    enum Effect {
        /** No instance reaches Redis, so all decide by their local shares, which add up to the limit. */
        ALL_FALL_BACK(1.1),
        /** Some instances reach Redis and may use the whole limit; the others use their local shares in addition. */
        SOME_FALL_BACK(2),
        /** A replaced primary still answers until clients have left it: up to twice the limit for two seconds. */
        TWO_ANSWER(1.1 + 2 / (FaultScenario.WINDOWS * LimitInstances.WINDOW.toMillis() / 1000.0)),
        /** The clock jumps forward and back: each jump resets the counts, which allows the limit once more. */
        CLOCK_JUMPS(1.1 + 2.0 / FaultScenario.WINDOWS),
        /** Counts are lost up to five times a second, for the four seconds of the fault: each loss allows the limit once more. */
        COUNTS_LOST(1 + 4 * 1000.0 / REPEAT_INTERVAL.toMillis() / FaultScenario.WINDOWS);

        private final double bound;

        Effect(double bound) {
            this.bound = bound;
        }

        /** The largest share of the limit that may be admitted over all windows. */
        double bound() {
            return bound;
        }

        /** Whether long holds survive the fault: Redis neither loses them nor changes its clock while an instance can reach it. */
        boolean keepsHolds() {
            return this == ALL_FALL_BACK || this == SOME_FALL_BACK;
        }

        /** Whether Redis loses data, including jobs. */
        boolean losesData() {
            return this == COUNTS_LOST;
        }
    }

    /** Causes a fault. */
    @FunctionalInterface
    interface Fault<P extends FaultTarget> {

        /** Starts the fault, and returns what ends it. */
        Runnable begin(P target);
    }

    /** A case with one server, in which no instance reaches Redis. */
    static FaultCase<SingleRedis> of(String name, Fault<SingleRedis> fault) {
        return new FaultCase<>(name, Effect.ALL_FALL_BACK, SingleRedis::open, fault);
    }

    /** A case that ends by itself, such as a failover. */
    static <P extends FaultTarget> FaultCase<P> once(
            String name, Effect effect, FaultTarget.Opening<P> opening, Consumer<P> event) {
        return new FaultCase<>(name, effect, opening, target -> {
            event.accept(target);
            return ENDS_BY_ITSELF;
        });
    }

    /** A case that repeats an instantaneous fault. */
    static FaultCase<SingleRedis> repeated(String name, Effect effect, Consumer<SingleRedis> event) {
        return repeated(name, effect, SingleRedis::open, event);
    }

    /** A case that repeats an instantaneous fault of this target. */
    static <P extends FaultTarget> FaultCase<P> repeated(
            String name, Effect effect, FaultTarget.Opening<P> opening, Consumer<P> event) {
        return new FaultCase<>(name, effect, opening, target -> Repeated.begin(() -> event.accept(target))::end);
    }

    /** Repeats a fault on its own thread. */
    private static final class Repeated implements Runnable {

        private final Runnable event;
        private final Thread thread = new Thread(this, "fault");
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
                while (!ended.await(REPEAT_INTERVAL.toMillis(), TimeUnit.MILLISECONDS)) {
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
                throw new IllegalStateException("the fault could not be repeated", problem);
            }
        }
    }
}
