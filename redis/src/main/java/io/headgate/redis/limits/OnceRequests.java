package io.headgate.redis.limits;

import io.headgate.limits.LimiterException;
import io.headgate.redis.internal.ConnectionLost;
import io.headgate.redis.internal.RedisExecutor;
import io.headgate.redis.internal.ScriptCall;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Sends requests that have an id, each in a call of its own, of all limiters of an engine. Where it is told so, those whose
 * replies were lost with the connection are sent again as soon as there is another one, within their time-out; in the order
 * in which they were lost.
 */
final class OnceRequests implements CallsWithId {

    private record Lost<T>(Ask ask, ScriptCall<T> call, LimiterException failure, CompletableFuture<T> answer) {

        void giveUp() {
            answer.completeExceptionally(failure);
        }
    }

    private final RedisExecutor executor;
    private final Duration timeout;
    private final @Nullable OwnIds ownIds;
    private final Queue<Lost<?>> lost = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean sending = new AtomicBoolean();
    private volatile boolean closed;

    /**
     * Sends over that executor.
     *
     * @param timeout how long a request may take, however often it is sent
     * @param again whether lost ones are sent again
     */
    OnceRequests(RedisExecutor executor, Duration timeout, boolean again) {
        this.executor = executor;
        this.timeout = timeout;
        this.ownIds = again ? new OwnIds() : null;
        if (again) {
            executor.whenConnected(this::goOn);
        }
    }

    /** Whether every request is to have an id, so that it may be sent again. */
    boolean takesAll() {
        return ownIds != null;
    }

    /** An id for a request that has none. */
    AskId ownId() {
        return AskId.own(ownIds == null ? "" : ownIds.next());
    }

    /** Sends a request that has an id. */
    void send(Ask ask, AskId id) {
        execute(ask, ask.planner().acquireOnce(ask, id)).whenComplete((answer, problem) -> {
            if (answer != null) {
                ask.end(answer.answer(), answer.problem());
            } else {
                ask.end(null, problem);
            }
        });
    }

    @Override
    public <T> CompletableFuture<T> execute(Ask ask, ScriptCall<T> call) {
        if (ownIds == null) {
            return executor.execute(call);
        }
        CompletableFuture<T> answer = new CompletableFuture<>();
        executor.execute(call).whenComplete((reply, problem) -> {
            if (problem instanceof LimiterException failure && isLost(failure)) {
                endInTime(ask);
                keep(new Lost<>(ask, call, failure, answer));
            } else {
                end(answer, reply, problem);
            }
        });
        return answer;
    }

    private static boolean isLost(LimiterException failure) {
        return failure.mayBeCharged() && ConnectionLost.is(failure.getCause());
    }

    private static <T> void end(CompletableFuture<T> answer, @Nullable T reply, @Nullable Throwable problem) {
        if (problem != null) {
            answer.completeExceptionally(problem);
        } else {
            answer.complete(reply);
        }
    }

    /** However often it is sent again, and whether or not there is a connection. */
    private void endInTime(Ask ask) {
        long leftNanos = timeout.toNanos() - (System.nanoTime() - ask.askedNanos());
        if (!executor.threads().isShuttingDown()) {
            executor.threads().schedule(() -> late(ask), leftNanos, TimeUnit.NANOSECONDS);
        }
    }

    private void late(Ask ask) {
        ask.fail("no answer within " + timeout.toMillis() + " ms", true);
        for (Lost<?> first = lost.peek(); first != null && first.ask.isDone(); first = lost.peek()) {
            if (lost.remove(first)) {
                first.giveUp();
            }
        }
    }

    private void keep(Lost<?> one) {
        lost.add(one);
        if (closed || executor.threads().isShuttingDown()) {
            giveUp();
        } else if (executor.isConnected()) {
            // Again so soon that nobody is told any more.
            goOn();
        }
    }

    private void goOn() {
        if (!lost.isEmpty() && sending.compareAndSet(false, true)) {
            executor.threads().execute(this::sendLost);
        }
    }

    private void sendLost() {
        sending.set(false);
        // Not those that are lost meanwhile.
        for (int left = lost.size(); left > 0; left--) {
            Lost<?> one = lost.poll();
            if (one == null) {
                break;
            }
            if (one.ask.isDone()) {
                one.giveUp();
            } else {
                sendAgain(one);
            }
        }
    }

    private <T> void sendAgain(Lost<T> one) {
        executor.execute(one.call).whenComplete((reply, problem) -> {
            if (!(problem instanceof LimiterException failure) || one.ask.isDone()) {
                end(one.answer, reply, problem);
            } else if (ConnectionLost.is(failure.getCause())) {
                keep(one);
            } else if (failure.mayBeCharged()) {
                end(one.answer, null, failure);
            } else {
                // Whatever this one came to, the first may be charged.
                String again = "its reply was lost, and when it was sent again: " + failure.problem();
                end(one.answer, null, LimitFailures.INSTANCE.failure("acquire", failure.key(), again, true, failure));
            }
        });
    }

    /** Fails those that wait for a connection, as there will be none. */
    void close() {
        closed = true;
        giveUp();
    }

    private void giveUp() {
        for (Lost<?> one = lost.poll(); one != null; one = lost.poll()) {
            one.giveUp();
        }
    }
}
