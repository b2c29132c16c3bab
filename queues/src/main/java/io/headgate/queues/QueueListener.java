package io.headgate.queues;

import io.headgate.queues.inspect.JobState;
import java.time.Duration;

/**
 * Hears what becomes of the jobs of an engine's queues, call by call: for metrics, logs and audits.
 *
 * <p>Hears of the calls of its own engine, and so of this process, once for each that was answered: with the numbers of all
 * its jobs, never job by job. Jobs that many threads enqueue at the same time travel in one call. Of leases that expire, and of
 * jobs that are dead letters because theirs did so too often, only {@link ClaimedJobs#crashed} tells.
 *
 * <p>Called before the caller has the answer, on the thread that has it, which must not be blocked. What it throws is logged
 * and never reaches the caller. Must be safe for use by several threads.
 */
public interface QueueListener {

    /** Where it happened. More kinds may come. */
    sealed interface Source {

        /** What to call it: the name of the queue or stream, or of a group {@code stream/group}. */
        String name();

        /**
         * A queue.
         *
         * @param queue its name
         */
        record OfQueue(String queue) implements Source {

            @Override
            public String name() {
                return queue;
            }
        }

        /**
         * A stream, of which entries are enqueued.
         *
         * @param stream its name
         */
        record OfStream(String stream) implements Source {

            @Override
            public String name() {
                return stream;
            }
        }

        /**
         * A group of a stream, which claims and settles entries.
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
     * What became of jobs that were to be enqueued, or of entries that were to be produced.
     *
     * @param added how many are in the queue, and took nobody's place
     * @param replaced how many are in the queue in the place of others of their keys
     * @param same how many are not, because others of their keys are
     * @param full how many are not, because the queue or stream is full
     */
    record EnqueuedJobs(int added, int replaced, int same, int full) {}

    /**
     * What a claim handed out.
     *
     * @param jobs how many jobs; 0 when there were none to have
     * @param crashed how many of these had leases that expired, this time or earlier
     * @param givenUp how many others are dead letters now, because their leases had expired too often
     * @param latest for how long the one that is late the longest had been due, by Redis's clock; 0 when there are none. A
     *     job that waits again without a delay, or because its lease expired, has been due all the while; an entry of a stream
     *     since it was produced, to the millisecond
     */
    record ClaimedJobs(int jobs, int crashed, int givenUp, Duration latest) {}

    /**
     * What came of what was said of jobs in hand.
     *
     * @param done how many are done
     * @param retried how many failed and are tried again
     * @param handedBack how many wait again without an attempt
     * @param deadLettered how many are dead letters, because somebody said so
     * @param extended how many have longer leases
     * @param lost of how many nothing came, because their leases had expired or they were settled before
     */
    record SettledJobs(int done, int retried, int handedBack, int deadLettered, int extended, int lost) {}

    /** A call that enqueues was answered. */
    default void onEnqueued(Source source, EnqueuedJobs jobs) {}

    /** A claim was answered; of a group, the entries of the stream and those that are tried again are two claims. */
    default void onClaimed(Source source, ClaimedJobs jobs) {}

    /** Something was said of jobs in hand, by itself or with a claim. */
    default void onSettled(Source source, SettledJobs jobs) {}

    /** So many dead letters wait again: 1 or more. */
    default void onRedriven(Source source, int jobs) {}

    /**
     * So many jobs were removed for good, by {@link JobQueue#purge} or, where they were dead letters, {@link
     * DeadLetters#discard}: 1 or more.
     *
     * @param were the state that they were in
     */
    default void onRemoved(Source source, JobState.Kind were, int jobs) {}

    /** A job that waited was taken out of the queue. */
    default void onCancelled(Source source) {}

    /**
     * A call of any kind failed; of one that was carried out, but is not as safe as the queue's {@link Durability} wants,
     * what it did is heard as well. That a queue or stream is full is no failure here, but {@link EnqueuedJobs#full}.
     */
    default void onFailed(Source source, QueueException failure) {}

    /**
     * The health of the engine has changed; reported within 200 ms. A change that lasts for a shorter time may not be reported. {@link
     * QueueEngine#health()} describes when the health changes.
     *
     * @param before the health that was reported last
     * @param now the health from now on
     * @param reason what has happened, for logs: it names the Redis, without a password
     */
    default void onHealthChange(QueueHealth before, QueueHealth now, String reason) {}
}
