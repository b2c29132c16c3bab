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
 * Waits for the replies of asynchronous calls. Calls time out by themselves; the wait has a bound of its own, for when the threads
 * that would time them out are blocked by other code.
 *
 * @param timeout how long a call may take
 * @param failures makes the exceptions
 * @param subject what the calls concern, for messages
 */
public record BlockingCalls(Duration timeout, Failures failures, String subject) {

    /** How much later than its call a wait ends, which only matters where a busy machine is late to end the call itself. */
    private static final long SLACK_MILLIS = 500;

    private static final Duration MANY_CALLS = Duration.ofHours(1);

    /** The same for operations that make up to that many calls, one after the other. */
    public BlockingCalls ofCalls(int calls) {
        return calls == 1 ? this : new BlockingCalls(timeout.multipliedBy(calls), failures, subject);
    }

    /** The same for operations that make many calls one after the other, each of which times out by itself. */
    public BlockingCalls ofManyCalls() {
        return new BlockingCalls(MANY_CALLS, failures, subject);
    }

    /**
     * The reply to the call, or the exception it fails with, to which the caller's stack is added.
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
            throw givenUp(operation, answer, "interrupted", e);
        }
    }

    /** The same without ending the wait when the thread is interrupted; the thread stays interrupted. */
    public <T> T awaitInAnyCase(String operation, Supplier<? extends CompletionStage<T>> call) {
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
            throw givenUp(operation, answer, "no answer within " + timeout.toMillis() + " ms", e);
        }
    }

    private RuntimeException givenUp(String operation, CompletableFuture<?> answer, String problem, Throwable cause) {
        boolean nothingSent = QueuedCall.cancelUnsent(answer);
        return failures.failure(
                operation, subject, problem + (nothingSent ? "; nothing was sent" : ""), !nothingSent, cause);
    }

    /** Shows where the call was made, beside the stack of the thread that learned of the failure. */
    private static final class CallerStack extends RuntimeException {

        private static final long serialVersionUID = 1;

        CallerStack() {
            super("called from here");
        }
    }
}
