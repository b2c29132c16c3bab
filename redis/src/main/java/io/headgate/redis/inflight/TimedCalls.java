package io.headgate.redis.inflight;

import io.headgate.limits.LimiterException;
import io.headgate.limits.internal.Causes;
import io.headgate.limits.internal.EngineState;
import io.headgate.redis.internal.Sweeper;
import io.netty.util.concurrent.EventExecutorGroup;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Calls that are answered in any case, within a budget: by Redis, or by something else that takes its place. */
final class TimedCalls {

    private static final Duration EVERY = Duration.ofMillis(3);

    private final EngineState state;
    private final RedisState redisState;
    private final Set<Call<?>> open = ConcurrentHashMap.newKeySet();
    private final Sweeper sweeper;

    /**
     * No calls yet.
     *
     * @param state the state of the engine; once it is closed, a call that Redis does not answer fails
     */
    TimedCalls(EngineState state, RedisState redisState, EventExecutorGroup threads) {
        this.state = state;
        this.redisState = redisState;
        this.sweeper = new Sweeper(EVERY, threads, this::sweep, () -> !open.isEmpty());
    }

    /** What becomes of a call. */
    @FunctionalInterface
    interface Answers<T> {

        /** Redis has said so in time. Returns what the caller receives: by default, the same. */
        default T inTime(T said) {
            return said;
        }

        /** It did not answer in time, or failed so; what the caller is told. May fail, which the caller is told then. */
        T instead(LimiterException problem);

        /** It has said so after the caller was told something else. Does nothing by default. */
        default void late(T said, T told) {}

        /** Redis answered after the caller received an exception. Does nothing by default. */
        default void lateAfterFailure(T answer) {}
    }

    /**
     * Calls Redis.
     *
     * @param what is asked, for messages
     * @param key the first key that it concerns
     */
    <T> CompletionStage<T> call(
            String what, String key, Duration budget, Supplier<CompletionStage<T>> sending, Answers<T> answers) {
        Call<T> call = new Call<>(what, key, budget.toNanos(), answers);
        open.add(call);
        sweeper.run();
        try {
            sending.get().whenComplete(call::ended);
        } catch (RuntimeException | Error e) {
            call.ended(null, e);
        }
        return call.told;
    }

    private void sweep() {
        long nowNanos = System.nanoTime();
        open.forEach(call -> call.endSoonIfLate(nowNanos, nowNanos + EVERY.toNanos()));
    }

    /** Ends what is late on this thread, for who has waited long enough for the others. */
    void endLate() {
        long nowNanos = System.nanoTime();
        open.forEach(call -> call.endIfLate(nowNanos));
    }

    private final class Call<T> {

        private final String what;
        private final String key;
        private final long budgetNanos;
        private final Answers<T> answers;
        private final long askedNanos = System.nanoTime();
        private final AtomicBoolean isHandedOver = new AtomicBoolean();
        private final AtomicBoolean isOver = new AtomicBoolean();
        private final CompletableFuture<T> told = new CompletableFuture<>();

        Call(String what, String key, long budgetNanos, Answers<T> answers) {
            this.what = what;
            this.key = key;
            this.budgetNanos = budgetNanos;
            this.answers = answers;
        }

        /** By whoever looks now, and then again at that time; on another thread, as others wait for the look. */
        void endSoonIfLate(long nowNanos, long nextLookNanos) {
            if (isUp(nowNanos, nextLookNanos) && isHandedOver.compareAndSet(false, true)) {
                try {
                    sweeper.tell(this::endLate);
                } catch (RejectedExecutionException e) {
                    // The engine is closed, and nobody waits for the look any more.
                    endLate();
                }
            }
        }

        void endIfLate(long nowNanos) {
            if (isUp(nowNanos, nowNanos)) {
                endLate();
            }
        }

        private boolean isUp(long nowNanos, long nextLookNanos) {
            return Sweeper.isUp(askedNanos, budgetNanos, nowNanos, nextLookNanos);
        }

        private void endLate() {
            if (ends()) {
                String problem = "no answer within " + TimeUnit.NANOSECONDS.toMillis(budgetNanos) + " ms";
                failed(new LimiterException(what, key, problem, true, null));
            }
        }

        /** Whether it was open until now. */
        private boolean ends() {
            boolean now = isOver.compareAndSet(false, true);
            if (now) {
                open.remove(this);
            }
            return now;
        }

        private void ended(@Nullable T said, @Nullable Throwable problem) {
            if (ends()) {
                if (said != null) {
                    redisState.answered();
                    tell(() -> answers.inTime(said));
                } else if (Causes.of(problem) instanceof LimiterException failure) {
                    failed(failure);
                } else {
                    told.completeExceptionally(Causes.of(problem));
                }
            } else if (said != null) {
                told.whenComplete((before, failure) -> {
                    if (failure == null) {
                        answers.late(said, before);
                    } else {
                        answers.lateAfterFailure(said);
                    }
                });
            }
        }

        private void failed(LimiterException failure) {
            if (state.isClosed()) {
                told.completeExceptionally(state.problem(failure));
                return;
            }
            try {
                redisState.failed(failure);
            } finally {
                tell(() -> answers.instead(failure));
            }
        }

        private void tell(Supplier<T> answer) {
            try {
                told.complete(answer.get());
            } catch (RuntimeException | Error e) {
                // Nobody else would tell the caller.
                told.completeExceptionally(e);
            }
        }
    }
}
