package io.headgate.redis.streams;

import io.headgate.queues.AsyncConsumerGroup;
import io.headgate.queues.AsyncDeadLetters;
import io.headgate.queues.AsyncLease;
import io.headgate.queues.AsyncQueue;
import io.headgate.queues.AsyncRetriedEntries;
import io.headgate.queues.Codec;
import io.headgate.queues.Durability;
import io.headgate.queues.GroupSettings;
import io.headgate.queues.QueueCounts;
import io.headgate.queues.Settled;
import io.headgate.queues.internal.JobBounds;
import io.headgate.queues.internal.JobSource;
import io.headgate.queues.internal.PollResult;
import io.headgate.queues.internal.QueueEvents;
import io.headgate.queues.internal.Settlement;
import io.headgate.redis.internal.PairExecutor;
import io.headgate.redis.writes.WriteResult;
import io.headgate.redis.writes.Writes;
import java.time.Duration;
import java.util.BitSet;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A group on Redis, asked without blocking: the stream, and the queue of what is tried again. */
final class RedisAsyncConsumerGroup<T> implements AsyncConsumerGroup<T>, JobSource<T> {

    private final GroupPlanner planner;
    private final Codec<T> codec;
    private final PairExecutor executor;
    private final QueueEvents events;
    private final Writes writes;
    private final AsyncQueue<byte[]> retries;
    private final JobSource<T> work;
    private final GroupReader reader;

    RedisAsyncConsumerGroup(GroupPlanner planner, Codec<T> codec, PairExecutor executor, RetryQueues queues) {
        this.planner = planner;
        this.codec = codec;
        this.executor = executor;
        this.events = planner.events();
        this.writes = queues.writes(planner.settings().durability(), events);
        RetryQueue queue = planner.retries();
        this.retries = queue.queue();
        this.work = new DoneOnce<>(this, new GroupWork<>(this, codec, queue.work()));
        this.reader = new GroupReader(planner, executor);
    }

    @Override
    public GroupSettings settings() {
        return planner.settings();
    }

    /** Whether what is settled is confirmed. */
    boolean isDurable() {
        return !settings().durability().equals(Durability.none());
    }

    GroupPlanner planner() {
        return planner;
    }

    void checkLease(Duration lease) {
        if (JobBounds.lease(lease).compareTo(settings().minIdle()) > 0) {
            throw new IllegalArgumentException(
                    "a lease of the group " + settings().name() + " is at most its minimum idle time of "
                            + settings().minIdle() + ", was " + lease);
        }
    }

    @Override
    public CompletionStage<List<AsyncLease<T>>> claim(int most, Duration lease) {
        JobBounds.inRange("number of entries to claim", most, 1, JobBounds.MAX_BATCH);
        checkLease(lease);
        return work.poll(most, lease, List.of()).thenApply(result -> result.claimed().stream()
                .<AsyncLease<T>>map(claimed -> (GroupLease<T>) claimed)
                .toList());
    }

    /** Settles what is to be, and claims from the stream. */
    CompletableFuture<GroupClaim> claimed(int most, Duration lease, List<EntrySettlement> settling) {
        return events.observe(reader.claim(most, lease, settling), claim -> {
            events.settled(settling, claim.settled());
            events.claimed(claim::inNumbers);
        });
    }

    @Override
    public CompletionStage<PollResult<T>> poll(int most, Duration lease, List<Settlement> settling) {
        return work.poll(most, lease, settling);
    }

    @Override
    public Subscription subscribe(Runnable onSignal) {
        return work.subscribe(onSignal);
    }

    @Override
    public CompletionStage<List<Settled>> ackAll(Collection<AsyncLease<T>> leases) {
        JobBounds.inRange("number of leases", leases.size(), 1, JobBounds.MAX_BATCH);
        List<Settlement> acks =
                leases.stream().map(lease -> own(lease).ackSettlement()).toList();
        return work.poll(0, settings().minIdle(), acks)
                .thenApply(result -> new WriteResult<>(result.settled(), result.firstProblem()).requireConfirmed());
    }

    private GroupLease<T> own(AsyncLease<T> lease) {
        if (lease instanceof GroupLease<T> own && own.isOf(this)) {
            return own;
        }
        throw new IllegalArgumentException("a lease of something else can't be acked at the group "
                + settings().name());
    }

    /** Keeps the keys of entries that are done; asks nothing when there are none. */
    CompletableFuture<Boolean> keepDone(List<String> keys) {
        // The acks that follow are confirmed together with all that was written before them.
        return keys.isEmpty()
                ? CompletableFuture.completedFuture(true)
                : writes.write(planner.keepDone(keys)).thenApply(WriteResult::reply);
    }

    /** Of which keys an entry is done. */
    CompletableFuture<BitSet> areDone(List<String> keys) {
        return events.observe(executor.execute(planner.areDone(keys)), done -> {});
    }

    /** Says what came of entries of the stream; whether that is safe enough is part of the answer. */
    CompletableFuture<WriteResult<EntriesSettled>> settle(List<EntrySettlement> settlements) {
        return writes.write(planner.settle(settlements)).thenApply(written -> {
            events.settled(settlements, written.reply().each());
            return written;
        });
    }

    @Override
    public CompletionStage<Void> pause() {
        return retries.pause();
    }

    @Override
    public CompletionStage<Void> resume() {
        return retries.resume();
    }

    @Override
    public AsyncDeadLetters<T> deadLetters() {
        return planner.deadLetters(codec);
    }

    @Override
    public CompletionStage<QueueCounts> retries() {
        return retries.counts();
    }

    @Override
    public AsyncRetriedEntries<T> retriedEntries() {
        return new RedisAsyncRetriedEntries<>(planner.retries(codec));
    }
}
