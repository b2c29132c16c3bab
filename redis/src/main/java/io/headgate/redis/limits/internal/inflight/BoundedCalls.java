package io.headgate.redis.limits.internal.inflight;

import io.headgate.limits.LimiterException;
import io.headgate.limits.internal.Causes;
import io.headgate.limits.internal.EngineState;
import io.headgate.redis.internal.connection.Sweeper;
import io.netty.util.concurrent.EventExecutorGroup;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Calls with a deadline and a fallback. The caller receives the reply of Redis, or the fallback's answer if no reply arrives in time or
 * Redis is not available. The reply and the deadline of a call race, and the first of them determines the answer. Safe for use by several
 * threads.
 */
final class BoundedCalls {

    private static final Duration SWEEP_INTERVAL = Duration.ofMillis(3);

    private final EngineState state;
    private final RedisState redisState;
    private final Set<Call<?>> open = ConcurrentHashMap.newKeySet();
    private final Sweeper sweeper;

    /**
     * Creates an instance without calls.
     *
     * @param state the state of the engine; once it is closed, a call without a reply fails
     */
    BoundedCalls(EngineState state, RedisState redisState, EventExecutorGroup threads) {
        this.state = state;
        this.redisState = redisState;
        this.sweeper = new Sweeper(SWEEP_INTERVAL, threads, this::sweep, () -> !open.isEmpty());
    }

    /** The answers of a call for each outcome. */
    @FunctionalInterface
    interface Outcomes<T> {

        /** Redis replied in time. Returns the caller's answer: by default the reply. */
        default T onReply(T reply) {
            return reply;
        }

        /**
         * Redis is not available, the call failed, or no reply came in time. Returns the caller's answer, or throws the caller's exception.
         *
         * @param failure the failure of the call; empty if Redis was not called, as it is not available
         */
        T withoutReply(Optional<LimiterException> failure);

        /**
         * Redis replied too late. Does nothing by default.
         *
         * @param answered the caller's answer; empty when the caller received an exception
         */
        default void onLateReply(T reply, Optional<T> answered) {}
    }

    /**
     * Calls Redis if it is available.
     *
     * @param operation the name of the call, for messages
     * @param key the first of its keys
     * @param budget how long the caller waits
     */
    <T> CompletionStage<T> call(
            String operation, String key, Duration budget, Supplier<CompletionStage<T>> send, Outcomes<T> outcomes) {
        Call<T> call = new Call<>(operation, key, budget.toNanos(), outcomes);
        if (!redisState.isAvailable()) {
            call.complete(() -> outcomes.withoutReply(Optional.empty()));
            return call.answer;
        }
        open.add(call);
        sweeper.run();
        try {
            send.get().whenComplete(call::onCompletion);
        } catch (RuntimeException | Error e) {
            call.onCompletion(null, e);
        }
        return call.answer;
    }

    /** Ends overdue calls on other threads, as other calls wait for this sweep. */
    private void sweep() {
        long nowNanos = System.nanoTime();
        for (Call<?> call : open) {
            if (call.isDue(nowNanos, nowNanos + SWEEP_INTERVAL.toNanos())
                    && call.isHandedOver.compareAndSet(false, true)) {
                try {
                    sweeper.runOnOtherThread(call::expire);
                } catch (RejectedExecutionException e) {
                    // The engine is closed, and no call waits for the sweep any more.
                    call.expire();
                }
            }
        }
    }

    /** Ends overdue calls on this thread, for a caller that can't wait for the others. */
    void expireOverdue() {
        long nowNanos = System.nanoTime();
        open.stream().filter(call -> call.isDue(nowNanos, nowNanos)).forEach(Call::expire);
    }

    private final class Call<T> {

        private final String operation;
        private final String key;
        private final long budgetNanos;
        private final Outcomes<T> outcomes;
        private final long sentNanos = System.nanoTime();
        private final AtomicBoolean isHandedOver = new AtomicBoolean();
        private final CompletableFuture<T> answer = new CompletableFuture<>();

        Call(String operation, String key, long budgetNanos, Outcomes<T> outcomes) {
            this.operation = operation;
            this.key = key;
            this.budgetNanos = budgetNanos;
            this.outcomes = outcomes;
        }

        boolean isDue(long nowNanos, long nextSweepNanos) {
            return Sweeper.isDue(sentNanos, budgetNanos, nowNanos, nextSweepNanos);
        }

        void expire() {
            if (open.remove(this)) {
                String problem = "no answer within " + TimeUnit.NANOSECONDS.toMillis(budgetNanos) + " ms";
                fail(new LimiterException(operation, key, problem, true, null));
            }
        }

        /** Handles the outcome of the call. The thread that removes the call from the open ones completes it. */
        void onCompletion(@Nullable T reply, @Nullable Throwable problem) {
            if (!open.remove(this)) {
                if (reply != null) {
                    answer.whenComplete(
                            (answered, failure) -> outcomes.onLateReply(reply, Optional.ofNullable(answered)));
                }
            } else if (reply != null) {
                redisState.answered();
                complete(() -> outcomes.onReply(reply));
            } else if (Causes.of(problem) instanceof LimiterException failure) {
                fail(failure);
            } else {
                answer.completeExceptionally(Causes.of(problem));
            }
        }

        private void fail(LimiterException failure) {
            if (state.isClosed()) {
                answer.completeExceptionally(state.problem(failure));
                return;
            }
            try {
                redisState.failed(failure);
            } finally {
                complete(() -> outcomes.withoutReply(Optional.of(failure)));
            }
        }

        private void complete(Supplier<T> outcome) {
            try {
                answer.complete(outcome.get());
            } catch (RuntimeException | Error e) {
                // Otherwise the caller would wait without end.
                answer.completeExceptionally(Causes.of(e));
            }
        }
    }
}
