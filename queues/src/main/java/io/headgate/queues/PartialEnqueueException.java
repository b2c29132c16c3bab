package io.headgate.queues;

import java.util.List;
import java.util.Optional;

/**
 * Of jobs that were enqueued together, in a queue of several shards, some are in the queue and others failed. Says for each job
 * which it was, in the order in which they were given.
 */
public final class PartialEnqueueException extends QueueException {

    private static final long serialVersionUID = 1;

    private final transient List<Optional<Enqueued>> results;
    private final transient List<Optional<QueueException>> failures;

    /**
     * Says what became of each job.
     *
     * @param key the key of the queue
     * @param results of each job its result, if it has one
     * @param failures of each job without a result why that is; at least one
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

    /** Of each job what became of it; empty where that is a {@linkplain #failures() failure}. */
    public List<Optional<Enqueued>> results() {
        return results;
    }

    /**
     * Of each job without a result why that is. A job whose failure {@linkplain QueueException#mayBeDone() may be done} may be in
     * the queue; the others are not.
     */
    public List<Optional<QueueException>> failures() {
        return failures;
    }
}
