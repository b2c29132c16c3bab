package io.headgate.queues;

import io.headgate.queues.inspect.JobState;
import java.time.Duration;

/**
 * Receives the events of an engine's queues and streams, for metrics, logs and audits. Each event is the outcome of one call of this
 * engine to the store, with the number of jobs in the call. Concurrent enqueue calls may be batched into one such call. An expired
 * lease is reported only when a claim finds it, in {@link ClaimedJobs#crashed} or {@link ClaimedJobs#deadLettered}.
 *
 * <p>The engine calls a listener before the caller receives the result, on a thread that must not be blocked. Exceptions of
 * a listener are logged and ignored. A listener must be safe for use by several threads.
 */
public interface QueueListener {

    /** The queue, stream or group of an event. Later versions may add other kinds. */
    sealed interface Source {

        /** Returns the name of the queue or stream, or {@code stream/group} for a group. */
        String name();

        /**
         * A queue.
         *
         * @param queue the name of the queue
         */
        record OfQueue(String queue) implements Source {

            @Override
            public String name() {
                return queue;
            }
        }

        /**
         * A stream, as the source of produced entries.
         *
         * @param stream the name of the stream
         */
        record OfStream(String stream) implements Source {

            @Override
            public String name() {
                return stream;
            }
        }

        /**
         * A consumer group, as the source of claimed and settled entries.
         *
         * @param stream the name of the stream
         * @param group the name of the group
         */
        record OfGroup(String stream, String group) implements Source {

            @Override
            public String name() {
                return stream + "/" + group;
            }
        }
    }

    /**
     * The outcome of a call that enqueues jobs or produces entries.
     *
     * @param added the number of jobs that were added
     * @param replaced the number of jobs that replaced a waiting job of their key
     * @param same the number of jobs that were rejected as duplicates
     * @param full the number of jobs that were rejected because the queue or stream is full
     */
    record EnqueuedJobs(int added, int replaced, int same, int full) {}

    /**
     * The outcome of a claim.
     *
     * @param jobs the number of claimed jobs; 0 if none was due
     * @param crashed how many of them had a lease that expired, now or earlier
     * @param deadLettered the number of other jobs that became dead letters now, because too many of their leases had expired
     * @param latest the longest time since one of the claimed jobs was due, by Redis's clock; 0 without jobs. A job keeps its due time
     *     when its lease expires, and when it is handed back or retried without a delay. An entry of a stream is due when it is produced,
     *     in whole milliseconds; when it is handed back or retried, it gets a new due time
     */
    record ClaimedJobs(int jobs, int crashed, int deadLettered, Duration latest) {}

    /**
     * The outcome of a call that settles claimed jobs or extends their leases.
     *
     * @param done the number of acknowledged jobs
     * @param retried the number of jobs that failed and wait for another attempt
     * @param handedBack the number of jobs that were released without an attempt
     * @param deadLettered the number of jobs that their holders moved to the dead letters
     * @param extended the number of extended leases
     * @param lost the number of jobs for which nothing changed, because their lease had expired or they were settled before
     */
    record SettledJobs(int done, int retried, int handedBack, int deadLettered, int extended, int lost) {}

    /** A call enqueued jobs or produced entries, or was rejected because the queue or stream is full. */
    default void onEnqueued(Source source, EnqueuedJobs jobs) {}

    /** A claim ended. A claim of a group reports one event for entries of the stream, and one for retried entries if any may be due. */
    default void onClaimed(Source source, ClaimedJobs jobs) {}

    /** Claimed jobs were settled or their leases extended, by a separate call or together with a claim. */
    default void onSettled(Source source, SettledJobs jobs) {}

    /** Dead letters were redriven: 1 or more. */
    default void onRedriven(Source source, int jobs) {}

    /**
     * Jobs were deleted, by {@link JobQueue#purge}, {@link DeadLetters#discard} or {@link DeadLetters#discardOldest}: 1 or more.
     *
     * @param state the state of the jobs before the deletion
     */
    default void onRemoved(Source source, JobState.Kind state, int jobs) {}

    /** A waiting job was cancelled. */
    default void onCancelled(Source source) {}

    /**
     * A call failed. A call that took effect but was not confirmed as the {@link Durability} requires is reported here, and
     * also by the method of its outcome. A full queue or stream is not a failure; see {@link EnqueuedJobs#full}. Calls that fail because
     * the engine is closed are not reported.
     */
    default void onFailed(Source source, QueueException failure) {}

    /**
     * The health of the engine has changed; reported within 200 ms. A change that lasts for a shorter time may not be reported. {@link
     * QueueEngine#health()} describes when the health changes.
     *
     * @param before the health that was reported last
     * @param now the health from now on
     * @param reason the cause of the change, for logs; it contains the address of the Redis, but no password
     */
    default void onHealthChange(QueueHealth before, QueueHealth now, String reason) {}
}
