package io.headgate.spring.queues.internal;

import io.headgate.queues.Job;
import io.headgate.queues.worker.FailurePolicy;
import io.headgate.queues.worker.RetryPolicy;
import io.headgate.spring.queues.InvalidPayloadException;
import io.headgate.spring.queues.internal.deadletters.DeadLetterSource;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A listener: what it handles, and how. Immutable.
 *
 * @param where the method and its annotation, for messages
 * @param deadLetters whether the listener receives the dead letters of the source
 * @param source the queue or stream
 * @param group the group of the stream; empty for a queue
 * @param concurrency how many calls of the method run at the same time
 * @param lease how long jobs are leased; empty for the default of the source
 * @param batch how jobs are collected; empty if each call has one job
 */
record ListenerSpec(
        String id,
        String where,
        boolean deadLetters,
        String source,
        Optional<String> group,
        int concurrency,
        Optional<Duration> lease,
        RetryPolicy retries,
        boolean autoStartup,
        List<Class<? extends Throwable>> deadLetterOn,
        List<Class<? extends Throwable>> parkOn,
        Optional<Batch> batch,
        ListenerMethod method) {

    /**
     * Several jobs in one call.
     *
     * @param size the maximum number of jobs of a call
     * @param longestWait how long a call with fewer jobs waits for more
     */
    record Batch(int size, Duration longestWait) {}

    /** Returns the name of the queue or stream whose jobs or entries the listener claims. */
    String destination() {
        if (!deadLetters) {
            return source;
        }
        return group.map(name -> DeadLetterSource.notificationsOf(source, name))
                .orElseGet(() -> DeadLetterSource.notificationsOf(source));
    }

    /** Decides what happens to a job that failed: the first attribute that has its exception decides. A dead letter is delivered again. */
    FailurePolicy.Action onFailure(Job<?> job, Throwable failure) {
        if (deadLetters) {
            return FailurePolicy.Action.PARK;
        }
        if (failure instanceof InvalidPayloadException || contains(deadLetterOn, failure)) {
            return FailurePolicy.Action.DEAD_LETTER;
        }
        if (failure instanceof Delivery.SettledFailure settled) {
            return settled.isDeadLetter() ? FailurePolicy.Action.DEAD_LETTER : FailurePolicy.Action.RETRY;
        }
        return contains(parkOn, failure) ? FailurePolicy.Action.PARK : FailurePolicy.Action.RETRY;
    }

    private static boolean contains(List<Class<? extends Throwable>> types, Throwable failure) {
        return types.stream().anyMatch(type -> type.isInstance(failure));
    }
}
