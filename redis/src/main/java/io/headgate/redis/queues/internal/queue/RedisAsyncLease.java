package io.headgate.redis.queues.internal.queue;

import io.headgate.queues.AsyncLease;
import io.headgate.queues.Codec;
import io.headgate.queues.Job;
import io.headgate.queues.JobId;
import io.headgate.queues.QueueSettings;
import io.headgate.queues.Settled;
import io.headgate.queues.internal.JobBounds;
import io.headgate.queues.worker.ClaimedJob;
import io.headgate.redis.queues.internal.job.ClaimReply;
import io.headgate.redis.queues.internal.job.JobRecord;
import io.headgate.redis.queues.internal.job.JobSettlement;
import io.headgate.redis.queues.internal.job.JobSettlements;
import io.headgate.redis.queues.internal.job.Times;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** The non-blocking lease of one job of a claim. Safe for use by several threads. */
public final class RedisAsyncLease<T> implements AsyncLease<T>, ClaimedJob<T> {

    private final Owner queue;
    private final Codec<T> codec;
    private final byte[] token;
    /** How many jobs the claim has. */
    private final int ofJobs;

    private final int index;
    private final JobRecord record;
    private volatile long expiresAtMicros;

    /** The queue or shard that the job was claimed from. */
    interface Owner {

        QueueSettings settings();

        int shard();

        CompletableFuture<JobSettlements.Results> settle(List<JobSettlement> settlements);
    }

    /** The lease of the job at index {@code at} of the claim. */
    RedisAsyncLease(Owner queue, Codec<T> codec, ClaimReply claim, int at) {
        this.queue = queue;
        this.codec = codec;
        this.token = claim.token();
        this.ofJobs = claim.jobs().size();
        this.index = at + 1;
        this.record = claim.jobs().get(at);
        this.expiresAtMicros = claim.expiresAtMicros();
    }

    /** Whether the job was claimed from any shard of the queue of this name. */
    boolean isOf(String queueName) {
        return queue.settings().name().equals(queueName);
    }

    @Override
    public int shard() {
        return queue.shard();
    }

    @Override
    public int crashes() {
        return record.crashes();
    }

    @Override
    public JobSettlement ackSettlement() {
        return settlement(
                JobSettlement.ack(record.hasKey() || queue.settings().keepDone().isAny()));
    }

    @Override
    public JobSettlement handBackSettlement(Duration delay) {
        return settlement(JobSettlement.handBack(delay));
    }

    @Override
    public JobSettlement retrySettlement(Duration delay, String cause) {
        return settlement(JobSettlement.retry(delay, cause));
    }

    @Override
    public JobSettlement deadLetterSettlement(String cause) {
        return settlement(JobSettlement.deadLetter(cause));
    }

    @Override
    public JobSettlement extendSettlement(Duration lease) {
        return settlement(JobSettlement.extend(lease));
    }

    @Override
    public Job<T> job() {
        return record.decode(codec, queue.shard());
    }

    @Override
    public JobId id() {
        return record.id(queue.shard());
    }

    @Override
    public Instant expiresAt() {
        return Times.instant(expiresAtMicros);
    }

    @Override
    public CompletableFuture<Settled> ack() {
        return settle(ackSettlement());
    }

    @Override
    public CompletableFuture<Settled> handBack(Duration delay) {
        return settle(handBackSettlement(JobBounds.delay(delay)));
    }

    @Override
    public CompletableFuture<Settled> retry(Duration delay, String cause) {
        return settle(retrySettlement(JobBounds.delay(delay), JobBounds.cause(cause)));
    }

    @Override
    public CompletableFuture<Settled> deadLetter(String cause) {
        return settle(deadLetterSettlement(JobBounds.cause(cause)));
    }

    @Override
    public CompletableFuture<Settled> extend(Duration lease) {
        JobBounds.lease(lease);
        return queue.settle(List.of(extendSettlement(lease))).thenApply(results -> {
            Settled extended = results.each().get(0);
            if (extended == Settled.DONE) {
                expiresAtMicros = results.nowMicros() + Times.micros(lease);
            }
            return extended;
        });
    }

    private CompletableFuture<Settled> settle(JobSettlement settlement) {
        return queue.settle(List.of(settlement))
                .thenApply(results -> results.each().get(0));
    }

    private JobSettlement settlement(byte[] action) {
        return new JobSettlement(queue.shard(), token, ofJobs, index, action);
    }
}
