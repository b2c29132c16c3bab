package io.headgate.redis.limits.internal.calls;

import io.headgate.limits.LimiterException;
import io.headgate.redis.internal.connection.ConnectionLost;
import io.headgate.redis.internal.script.RedisExecutor;
import io.headgate.redis.internal.script.ScriptCall;
import io.headgate.redis.limits.internal.planner.AcquireRequest;
import io.headgate.redis.limits.internal.planner.GeneratedIds;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Sends the requests that have an id, each in a call of its own, for all limiters of an engine. If so configured, a request whose
 * reply was lost with the connection is resent as soon as there is another connection, within its timeout. Requests are resent in the
 * order in which their replies were lost.
 */
public final class IdempotentRequests implements ResendingExecutor {

    private record Lost<T>(
            PendingRequest pending, ScriptCall<T> call, LimiterException failure, CompletableFuture<T> answer) {

        void giveUp() {
            answer.completeExceptionally(failure);
        }
    }

    private final RedisExecutor executor;
    private final Duration timeout;
    private final @Nullable GeneratedIds generatedIds;
    private final Queue<Lost<?>> lost = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean sending = new AtomicBoolean();
    private volatile boolean closed;

    /**
     * Sends over that executor.
     *
     * @param timeout how long a request may take, however often it is sent
     * @param resends whether requests whose replies are lost are resent
     */
    public IdempotentRequests(RedisExecutor executor, Duration timeout, boolean resends) {
        this.executor = executor;
        this.timeout = timeout;
        this.generatedIds = resends ? new GeneratedIds() : null;
        if (resends) {
            executor.whenConnected(this::resendSoon);
        }
    }

    /** An id for a request whose caller gave none, so that it can be resent; null where requests are not resent. */
    public AcquireRequest.@Nullable Id generateId() {
        return generatedIds == null ? null : AcquireRequest.Id.generated(generatedIds.next());
    }

    /** Sends a request that has an id. */
    void send(PendingRequest pending, AcquireRequest.Id id) {
        execute(pending, pending.planner().acquireOnce(pending.request(), id)).whenComplete((answer, failure) -> {
            if (answer != null) {
                pending.finish(answer.reply(), answer.problem());
            } else {
                pending.finish(null, failure);
            }
        });
    }

    @Override
    public <T> CompletableFuture<T> execute(PendingRequest pending, ScriptCall<T> call) {
        if (generatedIds == null) {
            return executor.execute(call);
        }
        CompletableFuture<T> answer = new CompletableFuture<>();
        executor.execute(call).whenComplete((reply, problem) -> {
            if (problem instanceof LimiterException failure && isLost(failure)) {
                expireInTime(pending);
                keep(new Lost<>(pending, call, failure, answer));
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

    /** Fails the request after its timeout, however often it is resent, and whether or not there is a connection. */
    private void expireInTime(PendingRequest pending) {
        long leftNanos =
                timeout.toNanos() - (System.nanoTime() - pending.request().requestedNanos());
        if (!executor.threads().isShuttingDown()) {
            executor.threads().schedule(() -> expire(pending), leftNanos, TimeUnit.NANOSECONDS);
        }
    }

    private void expire(PendingRequest pending) {
        pending.fail("no answer within " + timeout.toMillis() + " ms", true);
        for (Lost<?> first = lost.peek(); first != null && first.pending.isDone(); first = lost.peek()) {
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
            // The new connection came so soon that it is not announced any more.
            resendSoon();
        }
    }

    private void resendSoon() {
        if (!lost.isEmpty() && sending.compareAndSet(false, true)) {
            executor.threads().execute(this::resendLost);
        }
    }

    private void resendLost() {
        sending.set(false);
        // Not those whose replies are lost meanwhile.
        for (int left = lost.size(); left > 0; left--) {
            Lost<?> one = lost.poll();
            if (one == null) {
                break;
            }
            if (one.pending.isDone()) {
                one.giveUp();
            } else {
                resend(one);
            }
        }
    }

    private <T> void resend(Lost<T> one) {
        executor.execute(one.call).whenComplete((reply, problem) -> {
            if (!(problem instanceof LimiterException failure) || one.pending.isDone()) {
                end(one.answer, reply, problem);
            } else if (ConnectionLost.is(failure.getCause())) {
                keep(one);
            } else if (failure.mayBeCharged()) {
                end(one.answer, null, failure);
            } else {
                // Whatever became of the second call, the first may have charged.
                String again = "its reply was lost, and when it was sent again: " + failure.problem();
                end(one.answer, null, LimitFailures.INSTANCE.failure("acquire", failure.key(), again, true, failure));
            }
        });
    }

    /** Fails the requests that wait for a connection, as there will be none. */
    public void close() {
        closed = true;
        giveUp();
    }

    private void giveUp() {
        for (Lost<?> one = lost.poll(); one != null; one = lost.poll()) {
            one.giveUp();
        }
    }
}
