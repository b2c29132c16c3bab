package io.headgate.redis.streams;

import io.headgate.queues.AsyncLease;
import io.headgate.queues.Codec;
import io.headgate.queues.Job;
import io.headgate.queues.JobId;
import io.headgate.queues.Settled;
import io.headgate.queues.internal.ClaimedJob;
import io.headgate.queues.internal.Settlement;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * An entry that is tried again: a job of the group's queue, which shows itself as the entry that it was.
 *
 * @param group the group
 * @param codec what reads the payload
 * @param inQueue the job in hand
 * @param work the same, as a worker sees it
 */
record RetryLease<T>(
        RedisAsyncConsumerGroup<T> group, Codec<T> codec, AsyncLease<byte[]> inQueue, ClaimedJob<byte[]> work)
        implements GroupLease<T> {

    /**
     * What is said of it, for the queue.
     *
     * @param inQueue that
     * @param done the key that is to be kept, if there is one
     */
    record Said(Settlement inQueue, Optional<String> done) implements Settlement {

        Said(Settlement inQueue) {
            this(inQueue, Optional.empty());
        }

        @Override
        public Kind kind() {
            return inQueue.kind();
        }
    }

    @SuppressWarnings("unchecked") // what a queue hands to a worker is its own lease
    static <T> RetryLease<T> of(RedisAsyncConsumerGroup<T> group, Codec<T> codec, ClaimedJob<byte[]> work) {
        return new RetryLease<>(group, codec, (AsyncLease<byte[]>) work, work);
    }

    @Override
    public int crashes() {
        return work.crashes();
    }

    @Override
    public Said ackSettlement() {
        return new Said(work.ackSettlement(), keyToKeep());
    }

    @Override
    public Said duplicateSettlement() {
        return new Said(work.ackSettlement());
    }

    @Override
    public Optional<String> key() {
        return RetriedEntry.key(inQueue.job());
    }

    private Optional<String> keyToKeep() {
        return group.planner().keepsDone() ? key() : Optional.empty();
    }

    @Override
    public Said handBackSettlement(Duration delay) {
        return new Said(work.handBackSettlement(delay));
    }

    @Override
    public Said retrySettlement(Duration delay, String cause) {
        return new Said(work.retrySettlement(delay, cause));
    }

    @Override
    public Said deadLetterSettlement(String cause) {
        return new Said(work.deadLetterSettlement(cause));
    }

    @Override
    public Said extendSettlement(Duration lease) {
        return new Said(work.extendSettlement(lease));
    }

    @Override
    public boolean isOf(RedisAsyncConsumerGroup<?> other) {
        return group == other;
    }

    @Override
    public Job<T> job() {
        return RetriedEntry.job(inQueue.job(), codec);
    }

    @Override
    public JobId id() {
        return RetriedEntry.id(inQueue.job());
    }

    @Override
    public Instant expiresAt() {
        return inQueue.expiresAt();
    }

    @Override
    public CompletionStage<Settled> ack() {
        return group.keepDone(keyToKeep().stream().toList()).thenCompose(kept -> inQueue.ack());
    }

    @Override
    public CompletionStage<Settled> handBack(Duration delay) {
        return inQueue.handBack(delay);
    }

    @Override
    public CompletionStage<Settled> retry(Duration delay, String cause) {
        return inQueue.retry(delay, cause);
    }

    @Override
    public CompletionStage<Settled> deadLetter(String cause) {
        return inQueue.deadLetter(cause);
    }

    @Override
    public CompletionStage<Settled> extend(Duration lease) {
        group.checkLease(lease);
        return inQueue.extend(lease);
    }
}
