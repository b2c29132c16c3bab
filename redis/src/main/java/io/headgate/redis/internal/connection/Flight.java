package io.headgate.redis.internal.connection;

import io.headgate.redis.internal.script.RedisExecutor;
import io.headgate.redis.internal.script.ScriptCall;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.protocol.AsyncCommand;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * A script call in flight: the future of the caller and the Lettuce command that carries the call.
 *
 * <p>The future may complete long before the command does, for example after a timeout. The command must still be
 * cancelled when the connection breaks, because Lettuce would otherwise send it again.
 */
public class Flight<T> extends CompletableFuture<T> {

    private static final VarHandle ENDED = endedField();

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
     * Creates a call that has not been sent yet.
     *
     * @param whenEnded runs once, after the future has completed and Lettuce no longer holds the command
     * @param deadlineNanos when the call times out, as {@link System#nanoTime}
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

    /** Stores the command before it is sent, so that it can be cancelled at any time afterwards. */
    public void carriedBy(AsyncCommand<byte[], byte[], byte[]> sent, RedisExecutor by) {
        command = sent;
    }

    /** Whether the executor is the one that sent this call. Always true where there is only one executor. */
    public boolean isCarriedBy(RedisExecutor executor) {
        return true;
    }

    /** Whether ASKING must precede the call, because the node is still importing the slot. */
    public boolean isAsking() {
        return false;
    }

    /**
     * Replaces the call by the follow-up call that its decoder requests for this reply. Only the first follow-up is
     * accepted, so that the replies cannot prolong a call without end.
     *
     * @return whether the call was replaced and must be sent again
     */
    boolean replan(byte[] reply) {
        ScriptCall<T> instead;
        try {
            instead = replanned ? null : call.decoder().followUp(reply);
        } catch (RuntimeException e) {
            // The decoder throws the same exception again when it decodes the reply.
            return false;
        }
        if (instead == null) {
            return false;
        }
        replanned = true;
        call = instead;
        return true;
    }

    /** Whether Lettuce no longer holds a command of this call. */
    boolean hasEnded() {
        return ended;
    }

    /** Whether the deadline has passed. */
    public boolean isLateAt(long nowNanos) {
        return nowNanos - deadlineNanos >= 0;
    }

    /** Completes the call with the outcome of its command. */
    void land(byte @Nullable [] reply, @Nullable Throwable problem) {
        // The reply and the end of the connection may come at the same time.
        boolean first = ENDED.compareAndSet(this, false, true);
        if (!isDone()) {
            completeWith(reply, problem);
        }
        if (first) {
            whenEnded.run();
        }
    }

    private void completeWith(byte @Nullable [] reply, @Nullable Throwable problem) {
        if (problem instanceof RedisCommandExecutionException) {
            // A script that fails does so before its first write.
            String described = RedisProblems.describe(problem, failures.notDone(operation()));
            if (RedisProblems.concernsOneKey(described)) {
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
            fail("the reply is not one of Headgate's scripts: " + e.getMessage(), true, e);
        }
    }

    /**
     * Fails the future and cancels the command, so that Lettuce cannot send it again.
     *
     * @param mayBeDone whether Redis may run the script nevertheless
     */
    void stop(String problem, boolean mayBeDone) {
        stop(problem, mayBeDone, null);
    }

    /** Fails the future with this cause and cancels the command, so that Lettuce cannot send it again. */
    public void stop(String problem, boolean mayBeDone, @Nullable Throwable cause) {
        // The future fails first, with the reason: cancelling the command would complete it without one.
        fail(problem, mayBeDone, cause);
        AsyncCommand<byte[], byte[], byte[]> sent = command;
        if (sent != null) {
            sent.cancel(true);
        }
        // Only ends the call: the future has failed already.
        land(null, null);
    }

    /** Fails the future but leaves the command in flight: its reply may still arrive. */
    void fail(String problem, boolean mayBeDone, @Nullable Throwable cause) {
        Throwable root = cause instanceof CompletionException && cause.getCause() != null ? cause.getCause() : cause;
        completeExceptionally(failures.failure(operation(), call.firstKey(), problem, mayBeDone, root));
    }

    private String operation() {
        return call.script().name();
    }

    private static VarHandle endedField() {
        try {
            return MethodHandles.lookup().findVarHandle(Flight.class, "ended", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }
}
