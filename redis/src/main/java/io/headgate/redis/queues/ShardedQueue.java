package io.headgate.redis.queues;

import io.headgate.queues.AsyncDeadLetters;
import io.headgate.queues.AsyncLease;
import io.headgate.queues.AsyncQueue;
import io.headgate.queues.AuditReport;
import io.headgate.queues.Cursor;
import io.headgate.queues.Enqueued;
import io.headgate.queues.JobId;
import io.headgate.queues.JobState;
import io.headgate.queues.NewJob;
import io.headgate.queues.Page;
import io.headgate.queues.QueueCounts;
import io.headgate.queues.QueueFullException;
import io.headgate.queues.QueueSettings;
import io.headgate.queues.Settled;
import io.headgate.queues.StoredJob;
import io.headgate.queues.internal.ClaimedJob;
import io.headgate.queues.internal.JobBounds;
import io.headgate.queues.internal.JobSource;
import io.headgate.queues.internal.PollResult;
import io.headgate.queues.internal.Settlement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/**
 * One queue over its shards, mostly one, each of which is a queue by itself, in a slot of its own. What concerns one job goes
 * to the shard that its key or its id names; what concerns all goes to all. docs/decisions/0010-shards.md says why it is so.
 */
final class ShardedQueue<T> implements AsyncQueue<T>, JobSource<T> {

    private final QueueSettings settings;
    private final KnownShards<T> known;
    private final ShardTimes times;
    private final ShardSignals<T> signals;
    private final AtomicInteger enqueueing;

    /** Over the shards that are known. */
    ShardedQueue(QueueSettings settings, KnownShards<T> known) {
        int shards = known.now().count();
        int first = ThreadLocalRandom.current().nextInt(shards);
        this.settings = settings;
        this.known = known;
        this.times = new ShardTimes(shards, first, System::nanoTime);
        this.signals = new ShardSignals<>(times);
        this.enqueueing = new AtomicInteger(first);
        known.onMore(signals::more);
    }

    @Override
    public QueueSettings settings() {
        return settings;
    }

    /** How many calls, one after the other, what goes from shard to shard may need. */
    int mostCalls() {
        int shards = known.now().count();
        return (known.areKnown() ? 0 : 1) + (shards == 1 ? 1 : 2 * shards);
    }

    @Override
    public CompletableFuture<Integer> shards() {
        return known.call(shards -> known.ask());
    }

    @Override
    public CompletableFuture<Enqueued> enqueue(NewJob<T> job) {
        EnqueueGroup group = known.now().at(0).group(job);
        return known.call(shards -> enqueue(shards, List.of(job), group)).thenApply(all -> all.get(0));
    }

    @Override
    public CompletableFuture<List<Enqueued>> enqueueAll(Collection<NewJob<T>> jobs) {
        List<NewJob<T>> given = List.copyOf(jobs);
        EnqueueGroup group = known.now().at(0).group(given);
        return known.call(shards -> enqueue(shards, given, group));
    }

    /** Enqueues each job at the shard that its group or its key names, and those that have neither together. */
    private CompletableFuture<List<Enqueued>> enqueue(Shards<T> shards, List<NewJob<T>> jobs, EnqueueGroup group) {
        if (shards.count() == 1) {
            return part(shards, Optional.of(0), group);
        }
        Map<Optional<Integer>, List<Integer>> indexes = new LinkedHashMap<>();
        for (int i = 0; i < jobs.size(); i++) {
            indexes.computeIfAbsent(shards.of(jobs.get(i)), first -> new ArrayList<>())
                    .add(i);
        }
        if (indexes.size() == 1) {
            return part(shards, indexes.keySet().iterator().next(), group);
        }
        List<ShardedEnqueue.Part> parts = new ArrayList<>();
        indexes.forEach(
                (shard, some) -> parts.add(new ShardedEnqueue.Part(some, part(shards, shard, group.part(some)))));
        return new ShardedEnqueue(shards.at(0).header(), jobs.size(), parts);
    }

    private CompletableFuture<List<Enqueued>> part(Shards<T> shards, Optional<Integer> shard, EnqueueGroup group) {
        return (shard.isPresent() ? shards.at(shard.get()).enqueue(group) : enqueueRoundRobin(shards, group))
                .thenApply(enqueued -> {
                    known.enqueued(enqueued);
                    return enqueued;
                });
    }

    /** Enqueues at the next shard, or when that is full, at the one after. */
    private CompletableFuture<List<Enqueued>> enqueueRoundRobin(Shards<T> shards, EnqueueGroup group) {
        int next = Math.floorMod(enqueueing.getAndIncrement(), shards.count());
        return shards.at(next)
                .enqueue(group)
                .exceptionallyCompose(problem -> isFull(problem)
                        ? shards.at((next + 1) % shards.count()).enqueue(group)
                        : CompletableFuture.failedFuture(problem));
    }

    private static boolean isFull(Throwable problem) {
        return problem instanceof QueueFullException
                || (problem instanceof CompletionException && problem.getCause() instanceof QueueFullException);
    }

    @Override
    public CompletableFuture<List<AsyncLease<T>>> claim(int most, Duration lease) {
        JobBounds.inRange("number of jobs to claim", most, 1, JobBounds.MAX_BATCH);
        JobBounds.lease(lease);
        return known.call(shards -> {
            known.claimed();
            return shards.count() == 1 ? shards.at(0).claim(most, lease) : claimOfMany(most, lease);
        });
    }

    private CompletableFuture<List<AsyncLease<T>>> claimOfMany(int most, Duration lease) {
        List<Integer> toAsk = times.toAsk(true, Set.of());
        ShardTurn<T> claim = new ShardTurn<>(known.now(), times, toAsk, Set.of(), most, lease, List.of());
        return claim.run()
                .thenCompose(result -> result.claimed().isEmpty()
                                && claim.failure().isPresent()
                        ? CompletableFuture.failedFuture(claim.failure().get())
                        : CompletableFuture.completedFuture(
                                result.claimed().stream().map(this::lease).toList()));
    }

    @SuppressWarnings("unchecked") // a shard's work is a lease
    private AsyncLease<T> lease(ClaimedJob<T> work) {
        return (AsyncLease<T>) work;
    }

    @Override
    public CompletableFuture<PollResult<T>> poll(int most, Duration lease, List<Settlement> settling) {
        return poll(most, Set.of(), lease, settling);
    }

    @Override
    public CompletableFuture<PollResult<T>> poll(
            int most, Set<Integer> notClaimedOf, Duration lease, List<Settlement> settling) {
        return known.call(shards -> {
            known.claimed();
            if (shards.count() == 1) {
                return shards.at(0).poll(most, lease, settling);
            }
            // First: a shard is known before it is worth asking.
            List<Integer> toAsk = most == 0 ? List.of() : times.toAsk(false, notClaimedOf);
            return new ShardTurn<>(known.now(), times, toAsk, notClaimedOf, most, lease, settling).run();
        });
    }

    @Override
    public Subscription subscribe(Runnable onSignal) {
        return signals.subscribe(known, onSignal);
    }

    @Override
    public CompletableFuture<List<Settled>> ackAll(Collection<AsyncLease<T>> leases) {
        JobBounds.inRange("number of leases", leases.size(), 1, JobBounds.MAX_BATCH);
        List<RedisAsyncLease<T>> own =
                leases.stream().map(known.now().at(0)::own).toList();
        return known.call(shards ->
                shards.count() == 1 ? shards.at(0).ackAll(List.copyOf(own)) : new ShardedAcks<>(shards, own).run());
    }

    @Override
    public CompletableFuture<Boolean> cancel(JobId id) {
        return of(id, shard -> shard.cancel(id), false);
    }

    @Override
    public CompletableFuture<Boolean> reschedule(JobId id, Duration delay) {
        JobBounds.delay(delay);
        return of(id, shard -> shard.reschedule(id, delay), false);
    }

    @Override
    public CompletableFuture<Boolean> reschedule(JobId id, Instant at) {
        JobBounds.due(at);
        return of(id, shard -> shard.reschedule(id, at), false);
    }

    @Override
    public CompletableFuture<Optional<StoredJob<T>>> find(JobId id) {
        return of(id, shard -> shard.find(id), Optional.empty());
    }

    private <R> CompletableFuture<R> of(
            JobId id, Function<RedisAsyncQueue<T>, CompletableFuture<R>> call, R whenThereIsNone) {
        return known.call(
                shards -> shards.of(id).map(call).orElseGet(() -> CompletableFuture.completedFuture(whenThereIsNone)));
    }

    @Override
    public CompletableFuture<Page<StoredJob<T>>> jobs(JobState.Kind kind, Cursor from, int most) {
        JobLooks.batch(most);
        return known.call(shards -> new ShardPages<StoredJob<T>>(
                        shards.count(), (shard, there, some) -> shards.at(shard).jobs(kind, there, some))
                .page(from, most));
    }

    @Override
    public CompletableFuture<Integer> purge(JobState.Kind kind, int most) {
        JobLooks.purged(kind);
        JobLooks.batch(most);
        return known.call(shards -> purge(shards, kind, most, 0));
    }

    private static <T> CompletableFuture<Integer> purge(Shards<T> shards, JobState.Kind kind, int most, int shard) {
        return shards.at(shard).purge(kind, most).thenCompose(count -> {
            boolean ended = count == most || shard == shards.count() - 1;
            return ended
                    ? CompletableFuture.completedFuture(count)
                    : purge(shards, kind, most - count, shard + 1).thenApply(more -> count + more);
        });
    }

    @Override
    public AsyncDeadLetters<T> deadLetters() {
        return new ShardedDeadLetters<>(known);
    }

    @Override
    public CompletableFuture<AuditReport> audit() {
        return known.call(shards -> audited(shards, RedisAsyncQueue::audit));
    }

    @Override
    public CompletableFuture<AuditReport> repair() {
        return known.call(shards -> audited(shards, RedisAsyncQueue::repair));
    }

    private static <T> CompletableFuture<AuditReport> audited(
            Shards<T> shards, Function<RedisAsyncQueue<T>, CompletableFuture<AuditReport>> audit) {
        if (shards.count() == 1) {
            return audit.apply(shards.at(0));
        }
        CompletableFuture<AuditReport> all = CompletableFuture.completedFuture(new AuditReport(0, List.of(), 0, 0));
        for (RedisAsyncQueue<T> shard : shards.all()) {
            all = all.thenCompose(
                    before -> audit.apply(shard).thenApply(report -> ShardReports.sum(before, shard.shard(), report)));
        }
        return all;
    }

    @Override
    public CompletableFuture<Void> pause() {
        return known.call(shards -> shards.each(RedisAsyncQueue::pause)).thenAccept(done -> {});
    }

    @Override
    public CompletableFuture<Void> resume() {
        return known.call(shards -> shards.each(RedisAsyncQueue::resume)).thenAccept(done -> {});
    }

    @Override
    public CompletableFuture<QueueCounts> counts() {
        return known.call(shards -> shards.each(RedisAsyncQueue::counts))
                .thenApply(all -> all.stream().reduce(ShardReports::sum).orElseThrow());
    }
}
