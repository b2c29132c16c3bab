package io.headgate.redis.streams;

import io.headgate.queues.AsyncLease;
import io.headgate.queues.Codec;
import io.headgate.queues.Job;
import io.headgate.queues.JobId;
import io.headgate.queues.Settled;
import io.headgate.queues.internal.Settlement;
import io.headgate.queues.internal.Work;
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
record RetryLease<T>(RedisAsyncConsumerGroup<T> group, Codec<T> codec, AsyncLease<byte[]> inQueue, Work<byte[]> work)
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
    static <T> RetryLease<T> of(RedisAsyncConsumerGroup<T> group, Codec<T> codec, Work<byte[]> work) {
        return new RetryLease<>(group, codec, (AsyncLease<byte[]>) work, work);
    }

    @Override
    public int crashes() {
        return work.crashes();
    }

    @Override
    public Said acking() {
        return new Said(work.acking(), keyToKeep());
    }

    @Override
    public Said passingOver() {
        return new Said(work.acking());
    }

    @Override
    public Optional<String> key() {
        return RetriedEntry.key(inQueue.job());
    }

    private Optional<String> keyToKeep() {
        return group.planner().keepsDone() ? key() : Optional.empty();
    }

    @Override
    public Said handingBack(Duration delay) {
        return new Said(work.handingBack(delay));
    }

    @Override
    public Said retrying(Duration delay, String cause) {
        return new Said(work.retrying(delay, cause));
    }

    @Override
    public Said buryingFor(String cause) {
        return new Said(work.buryingFor(cause));
    }

    @Override
    public Said extending(Duration lease) {
        return new Said(work.extending(lease));
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
