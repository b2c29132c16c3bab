package io.headgate.queues;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Thrown when a part of the jobs of one {@code enqueueAll} fails, in a queue of several shards, while another part is enqueued or any
 * part may have been. {@link #results()} and {@link #failures()} have one element for each job, in the order of the call: a job has
 * either a result or a failure.
 *
 * <p>Both lists are transient. After deserialization they are empty; the message still has the numbers of jobs and the first failure.
 */
public final class PartialEnqueueException extends QueueException {

    private static final long serialVersionUID = 1;

    private final transient @Nullable List<Optional<Enqueued>> results;
    private final transient @Nullable List<Optional<QueueException>> failures;

    /**
     * Creates an exception from one result or failure for each job.
     *
     * @param key the key of the queue
     * @param results the result of each job; empty for a job that failed
     * @param failures the failure of each job; empty for a job that has a result; at least one is present
     */
    public PartialEnqueueException(
            String key, List<Optional<Enqueued>> results, List<Optional<QueueException>> failures) {
        super("enqueue", key, problem(results, failures), true, first(failures));
        this.results = List.copyOf(results);
        this.failures = List.copyOf(failures);
    }

    private static String problem(List<Optional<Enqueued>> results, List<Optional<QueueException>> failures) {
        long enqueued = results.stream().filter(Optional::isPresent).count();
        return enqueued + " of " + results.size() + " jobs were enqueued, and the others were not, or may not be: "
                + first(failures).problem();
    }

    private static QueueException first(List<Optional<QueueException>> failures) {
        return failures.stream().flatMap(Optional::stream).findFirst().orElseThrow();
    }

    /**
     * Returns the result of each job, in the order of the call; empty for a job that has a {@linkplain #failures() failure}. After
     * deserialization the list is empty.
     */
    public List<Optional<Enqueued>> results() {
        return results == null ? List.of() : results;
    }

    /**
     * Returns the failure of each job, in the order of the call; empty for a job that has a {@linkplain #results() result}. A job
     * whose failure {@linkplain QueueException#mayBeDone() may be done} may be in the queue; a job with any other failure is not.
     * After deserialization the list is empty.
     */
    public List<Optional<QueueException>> failures() {
        return failures == null ? List.of() : failures;
    }
}
