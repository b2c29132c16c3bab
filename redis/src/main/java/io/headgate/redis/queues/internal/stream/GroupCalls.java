package io.headgate.redis.queues.internal.stream;

import io.headgate.queues.Durability;
import io.headgate.queues.internal.JobBounds;
import io.headgate.queues.internal.QueueEvents;
import io.headgate.queues.streams.GroupSettings;
import io.headgate.queues.worker.JobSource;
import io.headgate.redis.internal.script.PairExecutor;
import io.headgate.redis.queues.internal.durability.WriteResult;
import io.headgate.redis.queues.internal.durability.Writes;
import java.time.Duration;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * The calls of one group to its stream: claims, settlements, and the keys of done entries. It notifies listeners. Safe for use by several
 * threads.
 */
final class GroupCalls {

    private final GroupPlanner planner;
    private final PairExecutor executor;
    private final RetryQueues queues;
    private final Writes writes;
    private final QueueEvents events;
    private final GroupReader reader;

    GroupCalls(GroupPlanner planner, PairExecutor executor, RetryQueues queues, Writes writes, QueueEvents events) {
        this.planner = planner;
        this.executor = executor;
        this.queues = queues;
        this.writes = writes;
        this.events = events;
        this.reader = new GroupReader(planner, executor);
    }

    GroupPlanner planner() {
        return planner;
    }

    GroupSettings settings() {
        return planner.settings();
    }

    /** Whether settlements must be confirmed. */
    boolean isDurable() {
        return !settings().durability().equals(Durability.none());
    }

    /** Rejects a lease that is longer than the minimum idle time of the group. */
    void checkLease(Duration lease) {
        if (JobBounds.lease(lease).compareTo(settings().minIdle()) > 0) {
            throw new IllegalArgumentException(
                    "a lease of the group " + settings().name() + " is at most its minimum idle time of "
                            + settings().minIdle() + ", was " + lease);
        }
    }

    /** Processes settlements, then claims from the stream. */
    CompletableFuture<GroupClaim> claim(int max, Duration lease, List<EntrySettlement> settlements) {
        return events.observe(reader.claim(max, lease, settlements), claim -> {
            events.settled(settlements, claim.settled());
            events.claimed(claim::counts);
        });
    }

    /** Settles entries of the stream; an unconfirmed settlement is a result, not a failure. */
    CompletableFuture<WriteResult<EntrySettlements.Results>> settle(List<EntrySettlement> settlements) {
        return writes.write(planner.settle(settlements)).thenApply(written -> {
            events.settled(settlements, written.reply().each());
            return written;
        });
    }

    /** Stores the keys of done entries; sends nothing when there are none. */
    CompletableFuture<Boolean> keepDone(List<String> keys) {
        // The acknowledgements that follow are confirmed together with every write before them.
        return keys.isEmpty()
                ? CompletableFuture.completedFuture(true)
                : writes.write(planner.keepDone(keys)).thenApply(WriteResult::reply);
    }

    /** Returns the indexes of the keys for which an entry is done. */
    CompletableFuture<BitSet> areDone(List<String> keys) {
        return events.observe(executor.execute(planner.areDone(keys)), done -> {});
    }

    /** Runs the callback at each signal that there are new entries, until the subscription is closed. */
    JobSource.Subscription subscribe(Runnable onSignal) {
        return queues.subscribe(planner.channel(), onSignal);
    }
}
