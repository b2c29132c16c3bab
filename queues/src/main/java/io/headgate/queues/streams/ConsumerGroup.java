package io.headgate.queues.streams;

import io.headgate.queues.DeadLetters;
import io.headgate.queues.Lease;
import io.headgate.queues.Settled;
import io.headgate.queues.inspect.QueueCounts;
import io.headgate.queues.worker.JobSource;
import io.headgate.queues.worker.Worker;
import java.time.Duration;
import java.util.Collection;
import java.util.List;

/**
 * A consumer group of a stream. It delivers each entry under a lease to one of its consumers at a time, at least once: until a
 * consumer acknowledges the entry, or it becomes a dead letter.
 *
 * <p>New entries are delivered in the order of the stream, after retried entries and entries whose leases have expired. The first claim
 * creates the group, and the stream if it does not exist. Safe for use by any number of threads. Errors are as in {@link
 * EventStream}.
 *
 * @param <T> the type of the payload
 */
public interface ConsumerGroup<T> {

    /** Returns the settings with which this group was opened. */
    GroupSettings settings();

    /** Returns the same group with calls that do not block. */
    AsyncConsumerGroup<T> async();

    /** Returns this group as the source of a worker. You can decorate the source and pass it to {@link Worker#of(JobSource)}. */
    JobSource<T> source();

    /** Claims entries with a lease of the group's minimum idle time: {@link #claim(int, Duration)}. */
    default List<Lease<T>> claim(int max) {
        return claim(max, settings().minIdle());
    }

    /**
     * Claims up to {@code max} entries under a lease. Returns fewer entries if they are large, and an empty list if there are
     * none or the group is paused. {@link EntryId#of} returns the id of the entry of a lease.
     *
     * <p>Unlike the lease of a job, an expired lease can still be settled until the entry is delivered again. This does not apply
     * to a retried entry, whose lease is that of a job in the group's queue.
     *
     * @param max 1 to 500
     * @param lease 10 ms to the group's minimum idle time
     */
    List<Lease<T>> claim(int max, Duration lease);

    /**
     * Acknowledges several entries together. Returns the result of each lease, in the order of the leases.
     *
     * @param leases 1 to 500 leases that were claimed with this object or its {@link #async} form; any other lease throws an {@link
     *     IllegalArgumentException}
     */
    List<Settled> ackAll(Collection<Lease<T>> leases);

    /** Stops the delivery of entries in all processes, until {@link #resume}. Leased entries stay leased. */
    void pause();

    /** Resumes the delivery of entries after {@link #pause}. */
    void resume();

    /**
     * Returns the dead letters of this group. A dead letter has the id of a job in the group's queue of retried entries; the header
     * {@code headgate-entry} has the id of the entry. A redriven entry is delivered again to this group only. Does not call the store.
     */
    DeadLetters<T> deadLetters();

    /** Returns the numbers of retried entries that wait (ready or delayed) or are leased, and of dead letters. */
    QueueCounts retryCounts();

    /** Returns the retried entries of this group one by one, and an audit of their queue. Does not call the store. */
    RetriedEntries<T> retriedEntries();
}
