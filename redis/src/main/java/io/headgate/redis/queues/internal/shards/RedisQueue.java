package io.headgate.redis.queues.internal.shards;

import io.headgate.queues.AsyncJobQueue;
import io.headgate.queues.DeadLetters;
import io.headgate.queues.Enqueued;
import io.headgate.queues.JobId;
import io.headgate.queues.JobQueue;
import io.headgate.queues.Lease;
import io.headgate.queues.NewJob;
import io.headgate.queues.QueueSettings;
import io.headgate.queues.Settled;
import io.headgate.queues.inspect.AuditReport;
import io.headgate.queues.inspect.Cursor;
import io.headgate.queues.inspect.JobState;
import io.headgate.queues.inspect.Page;
import io.headgate.queues.inspect.QueueCounts;
import io.headgate.queues.inspect.StoredJob;
import io.headgate.queues.worker.JobSource;
import io.headgate.redis.internal.connection.BlockingCalls;
import io.headgate.redis.queues.internal.queue.RedisDeadLetters;
import io.headgate.redis.queues.internal.queue.RedisLease;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * The blocking queue on Redis: waits for the non-blocking one.
 *
 * @param own the non-blocking queue
 * @param ofOneCall waits for one call. Operations that may use every shard wait for a known number of calls, and scans such as find,
 *     jobs, purge, counts and audits for as many as they need; each call has its own timeout
 */
public record RedisQueue<T>(ShardedQueue<T> own, BlockingCalls ofOneCall) implements JobQueue<T> {

    private BlockingCalls blocking() {
        return ofOneCall.ofCalls(own.mostCalls());
    }

    @Override
    public QueueSettings settings() {
        return own.settings();
    }

    @Override
    public JobSource<T> source() {
        return own;
    }

    @Override
    public AsyncJobQueue<T> async() {
        return own;
    }

    @Override
    public int shards() {
        return blocking().await("shards", own::shards);
    }

    @Override
    public Enqueued enqueue(NewJob<T> job) {
        return blocking().await("enqueue", () -> own.enqueue(job));
    }

    @Override
    public List<Enqueued> enqueueAll(Collection<NewJob<T>> jobs) {
        return blocking().await("enqueue", () -> own.enqueueAll(jobs));
    }

    @Override
    public List<Lease<T>> claim(int max, Duration lease) {
        return blocking().await("claim", () -> own.claim(max, lease)).stream()
                .<Lease<T>>map(claimed -> new RedisLease<>(claimed, ofOneCall))
                .toList();
    }

    @Override
    public List<Settled> ackAll(Collection<Lease<T>> leases) {
        return blocking()
                .await(
                        "settle",
                        () -> own.ackAll(leases.stream().map(Lease::async).toList()));
    }

    @Override
    public boolean cancel(JobId id) {
        return blocking().await("cancel", () -> own.cancel(id));
    }

    @Override
    public boolean reschedule(JobId id, Duration delay) {
        return blocking().await("reschedule", () -> own.reschedule(id, delay));
    }

    @Override
    public boolean reschedule(JobId id, Instant at) {
        return blocking().await("reschedule", () -> own.reschedule(id, at));
    }

    @Override
    public Optional<StoredJob<T>> find(JobId id) {
        return ofOneCall.ofManyCalls().await("find", () -> own.find(id));
    }

    @Override
    public Page<StoredJob<T>> jobs(JobState.Kind kind, Cursor from, int max) {
        return ofOneCall.ofManyCalls().await("jobs", () -> own.jobs(kind, from, max));
    }

    @Override
    public int purge(JobState.Kind kind, int max) {
        return ofOneCall.ofManyCalls().await("purge", () -> own.purge(kind, max));
    }

    @Override
    public DeadLetters<T> deadLetters() {
        return new RedisDeadLetters<>(own.deadLetters(), blocking());
    }

    @Override
    public AuditReport audit() {
        return ofOneCall.ofManyCalls().await("audit", own::audit);
    }

    @Override
    public AuditReport repair() {
        return ofOneCall.ofManyCalls().await("repair", own::repair);
    }

    @Override
    public void pause() {
        blocking().await("pause", own::pause);
    }

    @Override
    public void resume() {
        blocking().await("pause", own::resume);
    }

    @Override
    public QueueCounts counts() {
        return ofOneCall.ofManyCalls().await("counts", own::counts);
    }
}
