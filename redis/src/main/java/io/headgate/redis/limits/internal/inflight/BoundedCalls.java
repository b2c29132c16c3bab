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
 * Calls with a deadline and a fallback: the caller receives the reply of Redis, or the fallback's answer when no reply comes in time.
 * Each call is answered once; compare-and-set decides between reply and deadline. Safe for use by several threads.
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

    /** The outcomes of a call. */
    @FunctionalInterface
    interface Outcomes<T> {

        /** Redis replied in time. Returns the caller's answer: by default the reply. */
        default T onReply(T reply) {
            return reply;
        }

        /** There was no reply in time, or a failure. Returns the caller's answer, or throws the caller's exception. */
        T onFailure(LimiterException failure);

        /**
         * Redis replied too late. Does nothing by default.
         *
         * @param answered the caller's answer; empty when the caller received an exception
         */
        default void onLateReply(T reply, Optional<T> answered) {}
    }

    /**
     * Calls Redis.
     *
     * @param operation the name of the call, for messages
     * @param key the first of its keys
     * @param budget how long the caller waits
     */
    <T> CompletionStage<T> call(
            String operation, String key, Duration budget, Supplier<CompletionStage<T>> send, Outcomes<T> outcomes) {
        Call<T> call = new Call<>(operation, key, budget.toNanos(), outcomes);
        open.add(call);
        sweeper.run();
        try {
            send.get().whenComplete(call::onCompletion);
        } catch (RuntimeException | Error e) {
            call.onCompletion(null, e);
        }
        return call.answer;
    }

    private void sweep() {
        long nowNanos = System.nanoTime();
        open.forEach(call -> call.expireBefore(nowNanos, nowNanos + SWEEP_INTERVAL.toNanos()));
    }

    /** Ends overdue calls on this thread, for a caller that can't wait for the others. */
    void expireOverdue() {
        long nowNanos = System.nanoTime();
        open.forEach(call -> call.expireIfOverdue(nowNanos));
    }

    private final class Call<T> {

        private final String operation;
        private final String key;
        private final long budgetNanos;
        private final Outcomes<T> outcomes;
        private final long sentNanos = System.nanoTime();
        private final AtomicBoolean isHandedOver = new AtomicBoolean();
        private final AtomicBoolean isDone = new AtomicBoolean();
        private final CompletableFuture<T> answer = new CompletableFuture<>();

        Call(String operation, String key, long budgetNanos, Outcomes<T> outcomes) {
            this.operation = operation;
            this.key = key;
            this.budgetNanos = budgetNanos;
            this.outcomes = outcomes;
        }

        /** Expires the call when it is overdue before the next sweep; on another thread, as other calls wait for this sweep. */
        void expireBefore(long nowNanos, long nextSweepNanos) {
            if (isUp(nowNanos, nextSweepNanos) && isHandedOver.compareAndSet(false, true)) {
                try {
                    sweeper.runApart(this::expire);
                } catch (RejectedExecutionException e) {
                    // The engine is closed, and no call waits for the sweep any more.
                    expire();
                }
            }
        }

        void expireIfOverdue(long nowNanos) {
            if (isUp(nowNanos, nowNanos)) {
                expire();
            }
        }

        private boolean isUp(long nowNanos, long nextSweepNanos) {
            return Sweeper.isUp(sentNanos, budgetNanos, nowNanos, nextSweepNanos);
        }

        private void expire() {
            if (claim()) {
                String problem = "no answer within " + TimeUnit.NANOSECONDS.toMillis(budgetNanos) + " ms";
                fail(new LimiterException(operation, key, problem, true, null));
            }
        }

        /** Returns true to the first caller only, which answers the call. */
        private boolean claim() {
            boolean first = isDone.compareAndSet(false, true);
            if (first) {
                open.remove(this);
            }
            return first;
        }

        private void onCompletion(@Nullable T reply, @Nullable Throwable problem) {
            if (claim()) {
                if (reply != null) {
                    redisState.answered();
                    complete(() -> outcomes.onReply(reply));
                } else if (Causes.of(problem) instanceof LimiterException failure) {
                    fail(failure);
                } else {
                    answer.completeExceptionally(Causes.of(problem));
                }
            } else if (reply != null) {
                answer.whenComplete((answered, failure) ->
                        outcomes.onLateReply(reply, failure == null ? Optional.of(answered) : Optional.empty()));
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
                complete(() -> outcomes.onFailure(failure));
            }
        }

        private void complete(Supplier<T> outcome) {
            try {
                answer.complete(outcome.get());
            } catch (RuntimeException | Error e) {
                // The caller would get no answer otherwise.
                answer.completeExceptionally(e);
            }
        }
    }
}
