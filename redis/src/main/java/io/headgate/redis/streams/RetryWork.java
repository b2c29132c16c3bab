package io.headgate.redis.streams;

import io.headgate.queues.Codec;
import io.headgate.queues.Job;
import io.headgate.queues.JobId;
import io.headgate.queues.internal.Settling;
import io.headgate.queues.internal.Work;
import java.time.Duration;

/**
 * An entry that is tried again, in the hands of a worker.
 *
 * @param inQueue the job in the group's queue
 * @param codec what reads the payload
 */
record RetryWork<T>(Work<byte[]> inQueue, Codec<T> codec) implements Work<T> {

    /** What is said of it, for the queue. */
    record Said(Settling inQueue) implements Settling {}

    @Override
    public JobId id() {
        return RetriedEntry.id(inQueue.job());
    }

    @Override
    public Job<T> job() {
        return RetriedEntry.job(inQueue.job(), codec);
    }

    @Override
    public int crashes() {
        return inQueue.crashes();
    }

    @Override
    public Said acking() {
        return new Said(inQueue.acking());
    }

    @Override
    public Said handingBack() {
        return new Said(inQueue.handingBack());
    }

    @Override
    public Said retrying(Duration delay, String cause) {
        return new Said(inQueue.retrying(delay, cause));
    }

    @Override
    public Said buryingFor(String cause) {
        return new Said(inQueue.buryingFor(cause));
    }

    @Override
    public Said extending(Duration lease) {
        return new Said(inQueue.extending(lease));
    }
}
