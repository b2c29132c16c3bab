package io.headgate.redis.internal.connection;

import io.headgate.redis.internal.script.QueuedCall;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/**
 * Blocks until asynchronous calls complete. Calls time out by themselves. The wait has a bound of its own in case the
 * threads that expire calls are blocked by other code.
 *
 * @param timeout the timeout of one call
 * @param failures creates the exceptions
 * @param subject the subject of the calls for messages, such as a key
 */
public record BlockingCalls(Duration timeout, Failures failures, String subject) {

    /** How much longer than the timeout of the call the wait may last. It only matters on a busy machine that expires calls late. */
    private static final long SLACK_MILLIS = 500;

    private static final Duration MANY_CALLS = Duration.ofHours(1);

    /** Returns an instance for operations that make up to this number of calls one after the other. */
    public BlockingCalls ofCalls(int calls) {
        return calls == 1 ? this : new BlockingCalls(timeout.multipliedBy(calls), failures, subject);
    }

    /** Returns an instance for operations that make many calls one after the other, each with its own timeout. */
    public BlockingCalls ofManyCalls() {
        return new BlockingCalls(MANY_CALLS, failures, subject);
    }

    /**
     * Returns the result of the call, or throws the exception with which it fails. The caller's stack is added to that
     * exception. Throws a failure also when the wait times out or the thread is interrupted; if it was interrupted before,
     * nothing is sent.
     *
     * @param operation the operation's name, for messages
     */
    public <T> T await(String operation, Supplier<? extends CompletionStage<T>> call) {
        if (Thread.currentThread().isInterrupted()) {
            throw failures.failure(operation, subject, "interrupted; nothing was sent", false, null);
        }
        CompletableFuture<T> answer = call.get().toCompletableFuture();
        try {
            return get(operation, answer);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw abandoned(operation, answer, "interrupted", e);
        }
    }

    /**
     * Waits as {@link #await} does, but continues to wait when the thread is interrupted. The interrupt status is
     * restored at the end.
     */
    public <T> T awaitUninterruptibly(String operation, Supplier<? extends CompletionStage<T>> call) {
        boolean interrupted = Thread.interrupted();
        try {
            CompletableFuture<T> answer = call.get().toCompletableFuture();
            while (true) {
                try {
                    return get(operation, answer);
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private <T> T get(String operation, CompletableFuture<T> answer) throws InterruptedException {
        try {
            return answer.get(timeout.toMillis() + SLACK_MILLIS, TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException failure) {
                failure.addSuppressed(new CallerStack());
                throw failure;
            }
            throw failures.failure(operation, subject, String.valueOf(e.getCause()), true, e.getCause());
        } catch (TimeoutException e) {
            throw abandoned(operation, answer, "no answer within " + timeout.toMillis() + " ms", e);
        }
    }

    private RuntimeException abandoned(String operation, CompletableFuture<?> answer, String problem, Throwable cause) {
        boolean nothingSent = QueuedCall.cancelUnsent(answer);
        return failures.failure(
                operation, subject, problem + (nothingSent ? "; nothing was sent" : ""), !nothingSent, cause);
    }

    /** Shows where the call was made, in addition to the stack of the thread that detected the failure. */
    private static final class CallerStack extends RuntimeException {

        private static final long serialVersionUID = 1;

        CallerStack() {
            super("called from here");
        }
    }
}
