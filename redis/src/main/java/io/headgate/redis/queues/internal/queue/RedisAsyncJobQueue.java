package io.headgate.redis.queues.internal.queue;

import io.headgate.queues.AsyncJobQueue;
import io.headgate.queues.AsyncLease;
import io.headgate.queues.Codec;
import io.headgate.queues.Enqueued;
import io.headgate.queues.JobId;
import io.headgate.queues.NewJob;
import io.headgate.queues.QueueException;
import io.headgate.queues.QueueSettings;
import io.headgate.queues.Settled;
import io.headgate.queues.inspect.AuditReport;
import io.headgate.queues.inspect.Cursor;
import io.headgate.queues.inspect.JobState;
import io.headgate.queues.inspect.Page;
import io.headgate.queues.inspect.QueueCounts;
import io.headgate.queues.inspect.StoredJob;
import io.headgate.queues.internal.JobBounds;
import io.headgate.queues.internal.QueueEvents;
import io.headgate.queues.worker.JobSource;
import io.headgate.queues.worker.PollRequest;
import io.headgate.queues.worker.PollResult;
import io.headgate.queues.worker.Settlement;
import io.headgate.redis.internal.connection.Signals;
import io.headgate.redis.internal.script.ScriptCall;
import io.headgate.redis.internal.script.ScriptExecutor;
import io.headgate.redis.queues.internal.audit.Auditor;
import io.headgate.redis.queues.internal.durability.ObservedWrites;
import io.headgate.redis.queues.internal.durability.Writes;
import io.headgate.redis.queues.internal.job.ClaimReply;
import io.headgate.redis.queues.internal.job.Due;
import io.headgate.redis.queues.internal.job.EnqueueGroup;
import io.headgate.redis.queues.internal.job.JobSettlement;
import io.headgate.redis.queues.internal.job.JobSettlements;
import io.headgate.redis.queues.internal.job.Tokens;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

/** The non-blocking queue on Redis, or one of its shards: checks arguments, sends calls, and decodes replies. */
public final class RedisAsyncJobQueue<T> implements AsyncJobQueue<T>, JobSource<T>, RedisAsyncLease.Owner {

    private final QueuePlanner planner;
    private final Codec<T> codec;
    private final ScriptExecutor executor;
    private final Writes writes;
    private final Signals signals;
    private final QueueEvents events;
    private final EnqueueBatcher batcher;
    private final JobLookup<T> lookup;

    /**
     * Creates a queue. Listeners are notified of all its calls.
     *
     * @param executor sends calls that only read or claim, and audits with their repairs
     * @param writes sends all other calls, also claims that settle jobs, and confirms them by the durability of the queue
     */
    public RedisAsyncJobQueue(
            QueuePlanner planner,
            Codec<T> codec,
            ScriptExecutor executor,
            Writes writes,
            Signals signals,
            QueueEvents events) {
        this.planner = planner;
        this.codec = codec;
        this.executor = new ObservedWrites(Writes.unconfirmed(executor), events);
        this.writes = new ObservedWrites(writes, events);
        this.signals = signals;
        this.events = events;
        this.batcher = new EnqueueBatcher(planner, this.writes, events);
        this.lookup = new JobLookup<>(new LookupPlanner(planner), codec, this.executor, this.writes, events);
    }

    @Override
    public QueueSettings settings() {
        return planner.settings();
    }

    @Override
    public CompletableFuture<Integer> shards() {
        return CompletableFuture.completedFuture(1);
    }

    /** The Redis key of the queue's header, which names the queue in errors. */
    public String header() {
        return planner.header();
    }

    /** The number of the shard; 0 when the queue has only one. */
    @Override
    public int shard() {
        return planner.keys().shard();
    }

    @Override
    public CompletableFuture<Enqueued> enqueue(NewJob<T> job) {
        return enqueue(group(job)).thenApply(enqueued -> enqueued.get(0));
    }

    @Override
    public CompletableFuture<List<Enqueued>> enqueueAll(Collection<NewJob<T>> jobs) {
        return enqueue(group(jobs));
    }

    /** Encodes a job; rejects one that exceeds a limit. */
    public EnqueueGroup group(NewJob<T> job) {
        return EnqueueGroup.of(List.of(entry(job)));
    }

    /** Encodes jobs; rejects them when one exceeds a limit. */
    public EnqueueGroup group(Collection<NewJob<T>> jobs) {
        JobBounds.inRange("number of jobs", jobs.size(), 1, JobBounds.MAX_BATCH);
        EnqueueGroup group = EnqueueGroup.of(jobs.stream().map(this::entry).toList());
        JobBounds.inRange("number of delayed or keyed jobs", group.delayedOrKeyed(), 0, JobBounds.MAX_DELAYED_OR_KEYED);
        JobBounds.inRange("bytes of all jobs", group.bytes(), 0, JobBounds.MAX_BATCH_BYTES);
        return group;
    }

    public CompletableFuture<List<Enqueued>> enqueue(EnqueueGroup group) {
        return batcher.add(group);
    }

    private EnqueueGroup.Entry entry(NewJob<T> job) {
        byte[] payload = codec.encode(job.payload());
        JobBounds.inRange("bytes of the payload", payload.length, 0, settings().maxPayloadBytes());
        return EnqueueGroup.Entry.of(job, payload);
    }

    @Override
    public CompletableFuture<List<AsyncLease<T>>> claim(int max, Duration lease) {
        JobBounds.inRange("number of jobs to claim", max, 1, JobBounds.MAX_BATCH);
        JobBounds.lease(lease);
        return executor.execute(planner.claim(max, lease, Tokens.next(), List.of(), Set.of()))
                .thenApply(reply -> {
                    events.claimed(reply::counts);
                    return List.copyOf(leases(reply));
                });
    }

    private List<RedisAsyncLease<T>> leases(ClaimReply reply) {
        return IntStream.range(0, reply.jobs().size())
                .mapToObj(i -> new RedisAsyncLease<>(this, codec, reply, i))
                .toList();
    }

    @Override
    public String name() {
        return "queue " + settings().name();
    }

    @Override
    public CompletableFuture<PollResult<T>> poll(PollRequest request) {
        List<JobSettlement> settlements =
                request.settlements().stream().map(this::own).toList();
        if (request.max() == 0) {
            if (settlements.isEmpty()) {
                return CompletableFuture.completedFuture(PollResult.empty());
            }
            return writes.write(planner.settle(settlements)).thenApply(written -> {
                List<Settled> settled = written.reply().each();
                events.settled(settlements, settled);
                return new PollResult<>(List.of(), 0, settled, written.unconfirmed());
            });
        }
        ScriptCall<ClaimReply> claim =
                planner.claim(request.max(), request.lease(), Tokens.next(), settlements, request.excludedTenants());
        return settlements.isEmpty()
                ? executor.execute(claim).thenApply(reply -> result(reply, settlements, Optional.empty()))
                : writes.write(claim).thenApply(written -> result(written.reply(), settlements, written.unconfirmed()));
    }

    private JobSettlement own(Settlement settlement) {
        if (settlement instanceof JobSettlement own) {
            return own;
        }
        throw new IllegalArgumentException(
                "a settlement of another source can't be sent to " + name() + ": " + settlement);
    }

    private PollResult<T> result(
            ClaimReply reply, List<JobSettlement> settlements, Optional<QueueException> unconfirmed) {
        events.settled(settlements, reply.settled());
        events.claimed(reply::counts);
        return new PollResult<>(
                List.copyOf(leases(reply)),
                Math.max(0, reply.moreAtMicros() - reply.nowMicros()),
                reply.settled(),
                unconfirmed);
    }

    @Override
    public Subscription subscribe(Runnable onSignal) {
        return signals.listen(planner.header(), message -> onSignal.run())::run;
    }

    @Override
    public CompletableFuture<List<Settled>> ackAll(Collection<AsyncLease<T>> leases) {
        JobBounds.inRange("number of leases", leases.size(), 1, JobBounds.MAX_BATCH);
        return settle(leases.stream()
                        .map(this::own)
                        .map(RedisAsyncLease::ackSettlement)
                        .toList())
                .thenApply(JobSettlements.Results::each);
    }

    /** Returns the lease if it is of a queue with this name, from any shard, and otherwise throws IllegalArgumentException. */
    public RedisAsyncLease<T> own(AsyncLease<T> lease) {
        if (lease instanceof RedisAsyncLease<T> own && own.isOf(settings().name())) {
            return own;
        }
        throw new IllegalArgumentException(
                "a lease of another queue can't be acked at queue " + settings().name());
    }

    @Override
    public CompletableFuture<JobSettlements.Results> settle(List<JobSettlement> settlements) {
        return writes.execute(planner.settle(settlements), results -> events.settled(settlements, results.each()));
    }

    @Override
    public CompletableFuture<Boolean> cancel(JobId id) {
        return writes.execute(planner.cancel(id), events::cancelled);
    }

    @Override
    public CompletableFuture<Boolean> reschedule(JobId id, Duration delay) {
        return writes.execute(planner.reschedule(id, Due.of(new NewJob.After(delay))));
    }

    @Override
    public CompletableFuture<Boolean> reschedule(JobId id, Instant at) {
        return writes.execute(planner.reschedule(id, Due.of(new NewJob.At(at))));
    }

    @Override
    public CompletableFuture<Optional<StoredJob<T>>> find(JobId id) {
        return lookup.find(id);
    }

    @Override
    public CompletableFuture<Page<StoredJob<T>>> jobs(JobState.Kind kind, Cursor from, int max) {
        return lookup.jobs(kind, from, max);
    }

    @Override
    public CompletableFuture<Integer> purge(JobState.Kind kind, int max) {
        return lookup.purge(kind, max);
    }

    @Override
    public RedisAsyncDeadLetters<T> deadLetters() {
        return new RedisAsyncDeadLetters<>(planner, codec, executor, writes, events);
    }

    @Override
    public CompletableFuture<AuditReport> audit() {
        return audit(false);
    }

    @Override
    public CompletableFuture<AuditReport> repair() {
        return audit(true);
    }

    private CompletableFuture<AuditReport> audit(boolean repair) {
        ScriptChoice scripts = planner.scripts();
        Auditor auditor = new Auditor(scripts.current().audit, lookup.lanes(), planner.clock(), executor, repair);
        return auditor.run().thenCompose(report -> {
            if (!auditor.hasFoundTenants()) {
                return CompletableFuture.completedFuture(report);
            }
            scripts.useTenants();
            return audit(repair);
        });
    }

    @Override
    public CompletableFuture<Void> pause() {
        return writes.execute(planner.pause(true)).thenAccept(changed -> {});
    }

    @Override
    public CompletableFuture<Void> resume() {
        return writes.execute(planner.pause(false)).thenAccept(changed -> {});
    }

    @Override
    public CompletableFuture<QueueCounts> counts() {
        return executor.execute(planner.counts()).thenCompose(lookup::corrected);
    }
}
