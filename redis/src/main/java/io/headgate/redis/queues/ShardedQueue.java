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
import io.headgate.queues.internal.JobBounds;
import io.headgate.queues.internal.Settling;
import io.headgate.queues.internal.Shown;
import io.headgate.queues.internal.Turn;
import io.headgate.queues.internal.Work;
import io.headgate.queues.internal.WorkSource;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * One queue over several shards, each of which is a queue by itself, in a slot of its own. What concerns one job goes to
 * the shard that its key or its id names; what concerns all goes to all. docs/decisions/0010-shards.md says why it is so.
 */
final class ShardedQueue<T> implements AsyncQueue<T>, WorkSource<T> {

    private final QueueSettings settings;
    private final Shards<T> shards;
    private final ShardTimes times;
    private final AtomicInteger enqueueing;

    /** Over the shards, in the order of their numbers. */
    ShardedQueue(QueueSettings settings, List<RedisAsyncQueue<T>> shards) {
        int first = ThreadLocalRandom.current().nextInt(shards.size());
        this.settings = settings;
        this.shards = new Shards<>(shards);
        this.times = new ShardTimes(shards.size(), first, System::nanoTime);
        this.enqueueing = new AtomicInteger(first);
    }

    @Override
    public QueueSettings settings() {
        return settings;
    }

    @Override
    public CompletableFuture<Enqueued> enqueue(NewJob<T> job) {
        return to(List.of(job), shard -> shard.enqueue(job));
    }

    @Override
    public CompletableFuture<List<Enqueued>> enqueueAll(Collection<NewJob<T>> jobs) {
        return to(jobs, shard -> shard.enqueueAll(jobs));
    }

    /** Enqueues at the shard of the jobs' keys; where they have none at the next one, or when that is full, at the one after. */
    private <R> CompletableFuture<R> to(
            Collection<NewJob<T>> jobs, Function<RedisAsyncQueue<T>, CompletableFuture<R>> enqueue) {
        Optional<Integer> ofKeys = shardOfKeys(jobs);
        if (ofKeys.isPresent()) {
            return enqueue.apply(shards.at(ofKeys.get()));
        }
        int next = Math.floorMod(enqueueing.getAndIncrement(), shards.count());
        return enqueue.apply(shards.at(next))
                .exceptionallyCompose(problem -> isFull(problem)
                        ? enqueue.apply(shards.at((next + 1) % shards.count()))
                        : CompletableFuture.failedFuture(problem));
    }

    private Optional<Integer> shardOfKeys(Collection<NewJob<T>> jobs) {
        List<String> keys = jobs.stream()
                .flatMap(job -> job.key().stream())
                .map(NewJob.JobKey::value)
                .toList();
        for (String key : keys) {
            if (shardOf(key) != shardOf(keys.get(0))) {
                throw new IllegalArgumentException("jobs whose keys belong to different shards can't be enqueued all or"
                        + " none: " + Shown.of(keys.get(0)) + " belongs to shard " + shardOf(keys.get(0)) + " of "
                        + shards.count() + ", and " + Shown.of(key) + " to shard " + shardOf(key));
            }
        }
        return keys.stream().findFirst().map(this::shardOf);
    }

    private int shardOf(String key) {
        return Shards.ofKey(key, shards.count());
    }

    private static boolean isFull(Throwable problem) {
        return problem instanceof QueueFullException
                || (problem instanceof CompletionException && problem.getCause() instanceof QueueFullException);
    }

    @Override
    public CompletableFuture<List<AsyncLease<T>>> claim(int most, Duration lease) {
        JobBounds.inRange("number of jobs to claim", most, 1, JobBounds.MAX_BATCH);
        JobBounds.lease(lease);
        return new ShardTurn<>(shards, times, times.toAsk(true), most, lease, List.of())
                .run()
                .thenCompose(turn -> turn.claimed().isEmpty() && turn.doubt().isPresent()
                        ? CompletableFuture.failedFuture(turn.doubt().get())
                        : CompletableFuture.completedFuture(
                                turn.claimed().stream().map(this::lease).toList()));
    }

    @SuppressWarnings("unchecked") // a shard's work is a lease
    private AsyncLease<T> lease(Work<T> work) {
        return (AsyncLease<T>) work;
    }

    @Override
    public CompletableFuture<Turn<T>> turn(int most, Duration lease, List<Settling> settling) {
        List<Integer> toAsk = most == 0 ? List.of() : times.toAsk(false);
        return new ShardTurn<>(shards, times, toAsk, most, lease, settling).run();
    }

    @Override
    public Listening listen(Runnable onSignal) {
        List<Listening> all = IntStream.range(0, shards.count())
                .mapToObj(shard -> shards.at(shard).listen(() -> {
                    times.signalled(shard);
                    onSignal.run();
                }))
                .toList();
        times.listening(1);
        AtomicBoolean closed = new AtomicBoolean();
        return () -> {
            if (closed.compareAndSet(false, true)) {
                all.forEach(Listening::close);
                times.listening(-1);
            }
        };
    }

    @Override
    public CompletableFuture<List<Settled>> ackAll(Collection<AsyncLease<T>> leases) {
        JobBounds.inRange("number of leases", leases.size(), 1, JobBounds.MAX_BATCH);
        return new ShardedAcks<>(shards, List.copyOf(leases)).run();
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
        return shards.of(id).map(call).orElseGet(() -> CompletableFuture.completedFuture(whenThereIsNone));
    }

    @Override
    public CompletableFuture<Page<StoredJob<T>>> jobs(JobState.Kind kind, Cursor from, int most) {
        return new ShardPages<StoredJob<T>>(
                        shards.count(), (shard, there, some) -> shards.at(shard).jobs(kind, there, some))
                .page(from, most);
    }

    @Override
    public CompletableFuture<Integer> purge(JobState.Kind kind, int most) {
        return purge(kind, most, 0);
    }

    private CompletableFuture<Integer> purge(JobState.Kind kind, int most, int shard) {
        return shards.at(shard).purge(kind, most).thenCompose(count -> {
            boolean ended = count == most || shard == shards.count() - 1;
            return ended
                    ? CompletableFuture.completedFuture(count)
                    : purge(kind, most - count, shard + 1).thenApply(more -> count + more);
        });
    }

    @Override
    public AsyncDeadLetters<T> deadLetters() {
        return new ShardedDeadLetters<>(shards);
    }

    @Override
    public CompletableFuture<AuditReport> audit() {
        return audited(RedisAsyncQueue::audit);
    }

    @Override
    public CompletableFuture<AuditReport> repair() {
        return audited(RedisAsyncQueue::repair);
    }

    private CompletableFuture<AuditReport> audited(Function<RedisAsyncQueue<T>, CompletableFuture<AuditReport>> audit) {
        CompletableFuture<AuditReport> all = CompletableFuture.completedFuture(new AuditReport(0, List.of(), 0, 0));
        for (RedisAsyncQueue<T> shard : shards.all()) {
            all = all.thenCompose(
                    before -> audit.apply(shard).thenApply(report -> ShardReports.sum(before, shard.shard(), report)));
        }
        return all;
    }

    @Override
    public CompletableFuture<Void> pause() {
        return shards.each(RedisAsyncQueue::pause).thenAccept(done -> {});
    }

    @Override
    public CompletableFuture<Void> resume() {
        return shards.each(RedisAsyncQueue::resume).thenAccept(done -> {});
    }

    @Override
    public CompletableFuture<QueueCounts> counts() {
        return shards.each(RedisAsyncQueue::counts)
                .thenApply(all -> all.stream().reduce(ShardReports::sum).orElseThrow());
    }
}
