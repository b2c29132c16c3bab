package io.headgate.redis.limits;

import io.headgate.limits.LimiterException;
import io.headgate.limits.RequestId;
import io.headgate.redis.internal.ConnectionLost;
import io.headgate.redis.internal.RedisExecutor;
import io.headgate.redis.internal.ScriptCall;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Sends requests that have an id, each in a call of its own, of all limiters of an engine. Where it is told so, those whose
 * replies were lost with the connection are sent again as soon as there is another one, within their time-out; in the order
 * in which they were lost.
 */
final class OnceRequests {

    private record Lost(Ask ask, ScriptCall<OnceAnswer> call, LimiterException failure) {}

    private final RedisExecutor executor;
    private final Duration timeout;
    private final @Nullable OwnIds ownIds;
    private final Queue<Lost> lost = new ConcurrentLinkedQueue<>();
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

    /** Sends a request that has no id, under one of its own. */
    void send(Ask ask) {
        String own = ownIds == null ? "" : ownIds.next();
        send(ask, RequestId.of(own), own);
    }

    /** Sends a request that has an id. */
    void send(Ask ask, RequestId id) {
        send(ask, id, KeyText.of(id.value()));
    }

    private void send(Ask ask, RequestId id, String idText) {
        ScriptCall<OnceAnswer> call = ask.planner().acquireOnce(ask, id, idText);
        executor.execute(call).whenComplete((answer, problem) -> {
            if (ownIds != null && problem instanceof LimiterException failure && isLost(failure)) {
                endInTime(ask);
                keep(new Lost(ask, call, failure));
            } else {
                end(ask, answer, problem);
            }
        });
    }

    private static boolean isLost(LimiterException failure) {
        return failure.mayBeCharged() && ConnectionLost.is(failure.getCause());
    }

    private static void end(Ask ask, @Nullable OnceAnswer answer, @Nullable Throwable problem) {
        if (answer != null) {
            ask.end(answer.decision(), answer.problem());
        } else {
            ask.end(null, problem);
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
        for (Lost first = lost.peek(); first != null && first.ask.isDone(); first = lost.peek()) {
            lost.remove(first);
        }
    }

    private void keep(Lost one) {
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
            Lost one = lost.poll();
            if (one == null) {
                break;
            }
            if (!one.ask.isDone()) {
                sendAgain(one);
            }
        }
    }

    private void sendAgain(Lost one) {
        executor.execute(one.call).whenComplete((answer, problem) -> {
            if (!(problem instanceof LimiterException failure) || one.ask.isDone()) {
                end(one.ask, answer, problem);
            } else if (ConnectionLost.is(failure.getCause())) {
                keep(one);
            } else if (failure.mayBeCharged()) {
                end(one.ask, null, failure);
            } else {
                // Whatever this one came to, the first may be charged.
                one.ask.fail("its reply was lost, and when it was sent again: " + failure.problem(), true);
            }
        });
    }

    /** Fails those that wait for a connection, as there will be none. */
    void close() {
        closed = true;
        giveUp();
    }

    private void giveUp() {
        for (Lost one = lost.poll(); one != null; one = lost.poll()) {
            one.ask.end(null, one.failure);
        }
    }
}
