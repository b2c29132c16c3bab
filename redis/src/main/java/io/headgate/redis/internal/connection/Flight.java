package io.headgate.redis.internal.connection;

import io.headgate.redis.internal.script.RedisExecutor;
import io.headgate.redis.internal.script.ScriptCall;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.protocol.AsyncCommand;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * A call on its way: what the caller waits for, and the command that the client library holds for it. The wait may end
 * long before the command does, and what matters for sending nothing twice is the command.
 */
public class Flight<T> extends CompletableFuture<T> {

    private final Failures failures;
    private final long deadlineNanos;
    private volatile ScriptCall<T> call;
    private volatile boolean replanned;
    private volatile @Nullable AsyncCommand<byte[], byte[], byte[]> command;
    private final Runnable whenEnded;
    private volatile boolean ended;

    Flight(ScriptCall<T> call, Failures failures, long deadlineNanos) {
        this(call, failures, deadlineNanos, () -> {});
    }

    /**
     * A call.
     *
     * @param whenEnded is run when the client library no longer holds anything for it, after those who wait were told
     */
    public Flight(ScriptCall<T> call, Failures failures, long deadlineNanos, Runnable whenEnded) {
        this.call = call;
        this.failures = failures;
        this.deadlineNanos = deadlineNanos;
        this.whenEnded = whenEnded;
    }

    public ScriptCall<T> call() {
        return call;
    }

    /** Remembers the command before it is sent, so that it can be stopped at any moment from then on. */
    public void carriedBy(AsyncCommand<byte[], byte[], byte[]> sent, RedisExecutor by) {
        command = sent;
    }

    /** Whether that one has it; true where there is but one. */
    public boolean isCarriedBy(RedisExecutor executor) {
        return true;
    }

    /** Whether the node has to be told that it is meant, though the slot is not its own yet. */
    public boolean isAsking() {
        return false;
    }

    /** Takes the call that the reply asks for instead; only once, so that no reply can keep it under way. */
    boolean replan(byte[] reply) {
        ScriptCall<T> instead;
        try {
            instead = replanned ? null : call.decoder().instead(reply);
        } catch (RuntimeException e) {
            // What is wrong with it is said when it is decoded.
            return false;
        }
        if (instead == null) {
            return false;
        }
        replanned = true;
        call = instead;
        return true;
    }

    /** Whether the client library no longer holds anything for this call. */
    boolean hasEnded() {
        return ended;
    }

    /** Whether its time is up. */
    public boolean isLateAt(long nowNanos) {
        return nowNanos - deadlineNanos >= 0;
    }

    /** Ends it with what came of the command. */
    void land(byte @Nullable [] reply, @Nullable Throwable problem) {
        boolean first = !ended;
        ended = true;
        if (!isDone()) {
            tell(reply, problem);
        }
        if (first) {
            whenEnded.run();
        }
    }

    private void tell(byte @Nullable [] reply, @Nullable Throwable problem) {
        if (problem instanceof RedisCommandExecutionException) {
            // Scripts fail before they write, if they fail.
            String described = RedisProblems.describe(problem, failures.notDone(operation()));
            if (RedisProblems.isOfKey(described)) {
                failures.foreign(List.of(call.keys()));
            }
            fail(described, false, problem);
        } else if (problem != null || reply == null) {
            fail(problem == null ? "no reply" : String.valueOf(problem.getMessage()), true, problem);
        } else {
            decode(reply);
        }
    }

    private void decode(byte[] reply) {
        try {
            complete(call.decoder().decode(reply));
        } catch (RuntimeException e) {
            fail("Redis answered what no script of ours answers: " + e.getMessage(), true, e);
        }
    }

    /**
     * Ends the wait, and the command with it, so that the client library can't send it again.
     *
     * @param mayBeDone whether Redis may do it all the same
     */
    void stop(String problem, boolean mayBeDone) {
        stop(problem, mayBeDone, null);
    }

    /** The same, for that cause. */
    public void stop(String problem, boolean mayBeDone, @Nullable Throwable cause) {
        // First the wait, which says why; the command's own end has nothing to add.
        fail(problem, mayBeDone, cause);
        AsyncCommand<byte[], byte[], byte[]> sent = command;
        if (sent != null) {
            sent.cancel(true);
        }
        land(null, null);
    }

    /** Ends the wait only: the reply may still come. */
    void fail(String problem, boolean mayBeDone, @Nullable Throwable cause) {
        Throwable below = cause instanceof CompletionException && cause.getCause() != null ? cause.getCause() : cause;
        completeExceptionally(failures.failure(operation(), call.firstKey(), problem, mayBeDone, below));
    }

    private String operation() {
        return call.script().name();
    }
}
