package io.headgate.redis.queues.internal.shards;

import io.headgate.queues.AsyncDeadLetters;
import io.headgate.queues.AsyncJobQueue;
import io.headgate.queues.AsyncLease;
import io.headgate.queues.Enqueued;
import io.headgate.queues.JobId;
import io.headgate.queues.NewJob;
import io.headgate.queues.QueueFullException;
import io.headgate.queues.QueueSettings;
import io.headgate.queues.Settled;
import io.headgate.queues.inspect.AuditReport;
import io.headgate.queues.inspect.Cursor;
import io.headgate.queues.inspect.JobState;
import io.headgate.queues.inspect.Page;
import io.headgate.queues.inspect.QueueCounts;
import io.headgate.queues.inspect.StoredJob;
import io.headgate.queues.internal.JobBounds;
import io.headgate.queues.worker.ClaimedJob;
import io.headgate.queues.worker.JobSource;
import io.headgate.queues.worker.PollRequest;
import io.headgate.queues.worker.PollResult;
import io.headgate.redis.queues.internal.job.EnqueueGroup;
import io.headgate.redis.queues.internal.queue.JobLookup;
import io.headgate.redis.queues.internal.queue.RedisAsyncJobQueue;
import io.headgate.redis.queues.internal.queue.RedisAsyncLease;
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
 * A queue with one or more shards. Each shard is a separate queue in Redis, in a slot of its own. An operation on one job is sent to the
 * shard of its key or id; an operation on all jobs is sent to every shard. docs/decisions/0010-shards.md gives the reasons.
 */
public final class ShardedQueue<T> implements AsyncJobQueue<T>, JobSource<T> {

    private final QueueSettings settings;
    private final ShardDirectory<T> directory;
    private final ShardSchedule schedule;
    private final ShardSubscriptions<T> subscriptions;
    private final AtomicInteger nextShard;

    /** Creates a queue that has the shards of the directory. */
    public ShardedQueue(QueueSettings settings, ShardDirectory<T> directory) {
        int shards = directory.current().count();
        int first = ThreadLocalRandom.current().nextInt(shards);
        this.settings = settings;
        this.directory = directory;
        this.schedule = new ShardSchedule(shards, first, System::nanoTime);
        this.subscriptions = new ShardSubscriptions<>(schedule);
        this.nextShard = new AtomicInteger(first);
        directory.onGrowth(subscriptions::grow);
    }

    @Override
    public QueueSettings settings() {
        return settings;
    }

    /** Returns the maximum number of consecutive calls of an operation on every shard. */
    int mostCalls() {
        int shards = directory.current().count();
        // One call reads the number of shards first. Calls to several shards may follow one another.
        return (directory.isReady() ? 0 : 1) + (shards == 1 ? 1 : 2 * shards);
    }

    @Override
    public CompletableFuture<Integer> shards() {
        return directory.call(shards -> directory.refresh());
    }

    @Override
    public CompletableFuture<Enqueued> enqueue(NewJob<T> job) {
        EnqueueGroup group = directory.current().at(0).group(job);
        return directory.call(shards -> enqueueAll(shards, List.of(job), group)).thenApply(all -> all.get(0));
    }

    @Override
    public CompletableFuture<List<Enqueued>> enqueueAll(Collection<NewJob<T>> jobs) {
        List<NewJob<T>> given = List.copyOf(jobs);
        EnqueueGroup group = directory.current().at(0).group(given);
        return directory.call(shards -> enqueueAll(shards, given, group));
    }

    private CompletableFuture<List<Enqueued>> enqueueAll(ShardMap<T> shards, List<NewJob<T>> jobs, EnqueueGroup group) {
        return group.hasTenants()
                ? directory.withTenants(() -> enqueue(shards, jobs, group))
                : enqueue(shards, jobs, group);
    }

    /** Enqueues each job at the shard of its grouping key or job key; jobs that have neither are enqueued at one shard, atomically. */
    private CompletableFuture<List<Enqueued>> enqueue(ShardMap<T> shards, List<NewJob<T>> jobs, EnqueueGroup group) {
        if (shards.count() == 1) {
            return sendTo(shards, Optional.of(0), group);
        }
        Map<Optional<Integer>, List<Integer>> indexes = new LinkedHashMap<>();
        for (int i = 0; i < jobs.size(); i++) {
            indexes.computeIfAbsent(shards.of(jobs.get(i)), first -> new ArrayList<>())
                    .add(i);
        }
        if (indexes.size() == 1) {
            return sendTo(shards, indexes.keySet().iterator().next(), group);
        }
        List<ShardedEnqueue.Part> parts = new ArrayList<>();
        indexes.forEach(
                (shard, some) -> parts.add(new ShardedEnqueue.Part(some, sendTo(shards, shard, group.part(some)))));
        return new ShardedEnqueue(shards.at(0).header(), jobs.size(), parts);
    }

    private CompletableFuture<List<Enqueued>> sendTo(ShardMap<T> shards, Optional<Integer> shard, EnqueueGroup group) {
        return (shard.isPresent() ? shards.at(shard.get()).enqueue(group) : enqueueRoundRobin(shards, group))
                .thenApply(enqueued -> {
                    directory.registerAfterEnqueue(enqueued);
                    return enqueued;
                });
    }

    /** Enqueues a group at the next shard in round-robin order; if that shard is full, at the one after it. */
    private CompletableFuture<List<Enqueued>> enqueueRoundRobin(ShardMap<T> shards, EnqueueGroup group) {
        int next = Math.floorMod(nextShard.getAndIncrement(), shards.count());
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
    public CompletableFuture<List<AsyncLease<T>>> claim(int max, Duration lease) {
        JobBounds.inRange("number of jobs to claim", max, 1, JobBounds.MAX_BATCH);
        JobBounds.lease(lease);
        return directory.call(shards -> {
            directory.registerBeforeClaim();
            return shards.count() == 1 ? shards.at(0).claim(max, lease) : claimFromShards(max, lease);
        });
    }

    private CompletableFuture<List<AsyncLease<T>>> claimFromShards(int max, Duration lease) {
        List<Integer> toPoll = schedule.toPoll(true, Set.of());
        ShardedPoll<T> claim =
                new ShardedPoll<>(directory.current(), schedule, toPoll, new PollRequest(max, lease, List.of()));
        return claim.run()
                .thenCompose(result -> result.claimed().isEmpty()
                                && claim.failure().isPresent()
                        ? CompletableFuture.failedFuture(claim.failure().get())
                        : CompletableFuture.completedFuture(
                                result.claimed().stream().map(this::lease).toList()));
    }

    @SuppressWarnings("unchecked") // a claimed job of a shard is its lease
    private AsyncLease<T> lease(ClaimedJob<T> claimed) {
        return (AsyncLease<T>) claimed;
    }

    @Override
    public String name() {
        return "queue " + settings.name();
    }

    @Override
    public CompletableFuture<PollResult<T>> poll(PollRequest request) {
        return directory.call(shards -> {
            directory.registerBeforeClaim();
            if (shards.count() == 1) {
                return shards.at(0).poll(request);
            }
            Set<Integer> excluded = request.excludedShards();
            // The schedule is read before the map. Because the map grows first, it has every shard of the schedule.
            List<Integer> toPoll = request.max() == 0 ? List.of() : schedule.toPoll(false, excluded);
            return new ShardedPoll<>(directory.current(), schedule, toPoll, request).run();
        });
    }

    @Override
    public Subscription subscribe(Runnable onSignal) {
        return subscriptions.subscribe(directory, onSignal);
    }

    @Override
    public CompletableFuture<List<Settled>> ackAll(Collection<AsyncLease<T>> leases) {
        JobBounds.inRange("number of leases", leases.size(), 1, JobBounds.MAX_BATCH);
        List<RedisAsyncLease<T>> own =
                leases.stream().map(directory.current().at(0)::own).toList();
        return directory.call(
                shards -> shards.count() == 1 ? shards.at(0).ackAll(List.copyOf(own)) : shards.ackAll(own));
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
            JobId id, Function<RedisAsyncJobQueue<T>, CompletableFuture<R>> call, R absent) {
        return directory.call(
                shards -> shards.of(id).map(call).orElseGet(() -> CompletableFuture.completedFuture(absent)));
    }

    @Override
    public CompletableFuture<Page<StoredJob<T>>> jobs(JobState.Kind kind, Cursor from, int max) {
        JobLookup.checkedMax(max);
        return directory.call(shards -> new ShardPages<StoredJob<T>>(
                        shards.count(), (shard, there, some) -> shards.at(shard).jobs(kind, there, some))
                .page(from, max));
    }

    @Override
    public CompletableFuture<Integer> purge(JobState.Kind kind, int max) {
        JobLookup.purgeable(kind);
        JobLookup.checkedMax(max);
        return directory.call(shards -> purge(shards, kind, max, 0));
    }

    private static <T> CompletableFuture<Integer> purge(ShardMap<T> shards, JobState.Kind kind, int max, int shard) {
        return shards.at(shard).purge(kind, max).thenCompose(count -> {
            boolean ended = count == max || shard == shards.count() - 1;
            return ended
                    ? CompletableFuture.completedFuture(count)
                    : purge(shards, kind, max - count, shard + 1).thenApply(more -> count + more);
        });
    }

    @Override
    public AsyncDeadLetters<T> deadLetters() {
        return new ShardedDeadLetters<>(directory);
    }

    @Override
    public CompletableFuture<AuditReport> audit() {
        return directory.call(shards -> audited(shards, RedisAsyncJobQueue::audit));
    }

    @Override
    public CompletableFuture<AuditReport> repair() {
        return directory.call(shards -> audited(shards, RedisAsyncJobQueue::repair));
    }

    private static <T> CompletableFuture<AuditReport> audited(
            ShardMap<T> shards, Function<RedisAsyncJobQueue<T>, CompletableFuture<AuditReport>> audit) {
        if (shards.count() == 1) {
            return audit.apply(shards.at(0));
        }
        CompletableFuture<AuditReport> all = CompletableFuture.completedFuture(new AuditReport(0, List.of(), 0, 0));
        for (RedisAsyncJobQueue<T> shard : shards.all()) {
            all = all.thenCompose(
                    before -> audit.apply(shard).thenApply(report -> ShardReports.sum(before, shard.shard(), report)));
        }
        return all;
    }

    @Override
    public CompletableFuture<Void> pause() {
        return directory.call(shards -> shards.each(RedisAsyncJobQueue::pause)).thenAccept(done -> {});
    }

    @Override
    public CompletableFuture<Void> resume() {
        return directory.call(shards -> shards.each(RedisAsyncJobQueue::resume)).thenAccept(done -> {});
    }

    @Override
    public CompletableFuture<QueueCounts> counts() {
        return directory
                .call(shards -> shards.each(RedisAsyncJobQueue::counts))
                .thenApply(all -> all.stream().reduce(ShardReports::sum).orElseThrow());
    }
}
