package io.headgate.redis.internal;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/**
 * Turns what is asked without blocking into what blocks. Calls end in time by themselves; the wait has a bound of its own,
 * for when the threads that would end them are kept busy by somebody else.
 *
 * @param timeout how long a call may take
 * @param failures makes the exceptions
 * @param subject what calls concern, for messages
 */
public record Awaiting(Duration timeout, Failures failures, String subject) {

    /** How much later than its call a wait ends, which only matters where a busy machine is late to end the call itself. */
    private static final long SLACK_MILLIS = 500;

    private static final Duration MANY_CALLS = Duration.ofHours(1);

    /** The same for what makes up to so many calls one after the other. */
    public Awaiting ofCalls(int calls) {
        return calls == 1 ? this : new Awaiting(timeout.multipliedBy(calls), failures, subject);
    }

    /** The same for what makes many calls one after the other, each of which ends in time by itself. */
    public Awaiting ofManyCalls() {
        return new Awaiting(MANY_CALLS, failures, subject);
    }

    /**
     * The answer to the call, or what it fails with, which then also shows where it was made.
     *
     * @param operation what is asked, for messages
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

    /** The same of what is answered soon in any case: an interrupt does not end the wait, and the thread stays interrupted. */
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
