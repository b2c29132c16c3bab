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
 * A group that reads a stream: each entry is in the hands of one of its consumers at a time, again and again until one of
 * them says that it is done, or gives it up.
 *
 * <p>New entries are handed out in their order, after what is tried again and what is taken over. The first claim makes the
 * group, and the stream if there is none. Threads and errors are as of {@link EventStream}.
 *
 * @param <T> what a payload is
 */
public interface ConsumerGroup<T> {

    /** The name of the group, and how it goes on. */
    GroupSettings settings();

    /** The same group, asked without blocking. */
    AsyncConsumerGroup<T> async();

    /** Returns this group as the source of a worker. A user may decorate it, and pass that to {@link Worker#of(JobSource)}. */
    JobSource<T> source();

    /** {@link #claim(int, Duration)} for the group's minimum idle time. */
    default List<Lease<T>> claim(int max) {
        return claim(max, settings().minIdle());
    }

    /**
     * Takes entries in hand: as many as there are, up to a bound; fewer when they are large. None when the group is paused,
     * or there are none. {@link EntryId#of} tells from the id of a lease which entry it is. What was said of expiry there
     * is milder here: as long as nobody has taken the entry over, it can still be settled.
     *
     * @param max how many at most: 1 to 500
     * @param lease for how long: 10 ms to the group's minimum idle time
     */
    List<Lease<T>> claim(int max, Duration lease);

    /** Acks several entries in one call; what became of each, in their order. */
    List<Settled> ackAll(Collection<Lease<T>> leases);

    /** Hands out nothing more until {@link #resume}, in all processes; what is in hand stays there. */
    void pause();

    /** Hands out entries again. */
    void resume();

    /**
     * The entries that this group gave up, as its queue has them: an id there is not the entry's, which the header {@code
     * headgate-entry} tells. To redrive one has it handed out again to this group. Asks nothing yet.
     */
    DeadLetters<T> deadLetters();

    /** How many entries wait to be tried again (ready or delayed), are in hand again (leased), and are dead letters. */
    QueueCounts retries();

    /** These one by one, as the group's queue has them; and an audit of that. Asks nothing yet. */
    RetriedEntries<T> retriedEntries();
}
