package io.headgate.redis.queues;

import io.headgate.queues.Codec;
import io.headgate.queues.JobState;
import io.headgate.queues.StoredJob;

/**
 * A job as stored in Redis, not yet decoded, and its state.
 *
 * @param record the record
 * @param state the state
 */
record RawJob(JobRecord record, JobState state) {

    <T> StoredJob<T> decode(Codec<T> codec, int shard) {
        boolean inHand = state instanceof JobState.Leased;
        return new StoredJob<>(inHand ? record.decode(codec, shard) : record.decodeIdle(codec, shard), state);
    }
}
