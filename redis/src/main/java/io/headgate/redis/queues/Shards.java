package io.headgate.redis.queues;

import io.headgate.queues.JobId;
import io.headgate.queues.KeepDone;
import io.headgate.queues.NewJob;
import io.headgate.queues.QueueSettings;
import io.headgate.queues.internal.Utf8;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.zip.CRC32;

/**
 * The shards of a queue, each a queue of its own.
 *
 * @param all in the order of their numbers
 * @param <T> what a payload is
 */
record Shards<T>(List<RedisAsyncQueue<T>> all) {

    int count() {
        return all.size();
    }

    RedisAsyncQueue<T> at(int shard) {
        return all.get(shard);
    }

    /** The one that an id names; none where there are fewer. */
    Optional<RedisAsyncQueue<T>> of(JobId id) {
        int shard = JobIds.shard(id);
        return shard < count() ? Optional.of(at(shard)) : Optional.empty();
    }

    /** The one to which a job belongs: that of its group, or else of its key; none where it has neither. */
    Optional<Integer> of(NewJob<?> job) {
        return job.group().or(() -> job.key().map(NewJob.JobKey::value)).map(key -> ofKey(key, count()));
    }

    /** The one to which a grouping key or a key belongs: the CRC-32 of its UTF-8 bytes, modulo the number of shards. */
    static int ofKey(String key, int shards) {
        CRC32 sum = new CRC32();
        sum.update(Utf8.of(key));
        return (int) (sum.getValue() % shards);
    }

    /** The settings of one of so many shards: its part of what the queue may have, and one job at least. */
    static QueueSettings part(QueueSettings whole, int shards, int shard) {
        KeepDone kept = whole.keepDone();
        long jobs = Math.max(1, whole.maxJobs() / shards + (shard < whole.maxJobs() % shards ? 1 : 0));
        long done = (kept.most() + shards - 1) / shards;
        return whole.withShards(1).withMaxJobs(jobs).withKeepDone(new KeepDone(done, kept.time()));
    }

    /** What each of them answers, asked all at once. */
    <R> CompletableFuture<List<R>> each(Function<RedisAsyncQueue<T>, CompletableFuture<R>> call) {
        return together(all.stream().map(call).toList());
    }

    /** All answers, in their order; fails when one does, after all have ended. */
    static <R> CompletableFuture<List<R>> together(List<CompletableFuture<R>> calls) {
        return CompletableFuture.allOf(calls.toArray(CompletableFuture[]::new))
                .thenApply(done -> calls.stream().map(CompletableFuture::join).toList());
    }
}
