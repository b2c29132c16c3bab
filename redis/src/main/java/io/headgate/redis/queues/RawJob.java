package io.headgate.redis.queues;

import io.headgate.queues.Codec;
import io.headgate.queues.JobState;
import io.headgate.queues.StoredJob;

/**
 * A job as it lies in Redis, and its state.
 *
 * @param record the job
 * @param state where it is
 */
record RawJob(JobRecord record, JobState state) {

    <T> StoredJob<T> decode(Codec<T> codec, int shard) {
        boolean inHand = state instanceof JobState.Leased;
        return new StoredJob<>(inHand ? record.decode(codec, shard) : record.decodeIdle(codec, shard), state);
    }
}
