package io.headgate.redis.queues.internal.shards;

import io.headgate.queues.AsyncLease;
import io.headgate.queues.JobId;
import io.headgate.queues.KeepDone;
import io.headgate.queues.NewJob;
import io.headgate.queues.QueueSettings;
import io.headgate.queues.Settled;
import io.headgate.queues.internal.Utf8;
import io.headgate.redis.queues.internal.job.JobIds;
import io.headgate.redis.queues.internal.queue.RedisAsyncJobQueue;
import io.headgate.redis.queues.internal.queue.RedisAsyncLease;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.zip.CRC32;

/**
 * The shards of a queue, each of which is a separate queue in Redis, and the assignment of jobs to shards. Immutable.
 *
 * @param all the shards, in the order of their numbers
 * @param <T> the type of the payload
 */
public record ShardMap<T>(List<RedisAsyncJobQueue<T>> all) {

    int count() {
        return all.size();
    }

    RedisAsyncJobQueue<T> at(int shard) {
        return all.get(shard);
    }

    /** Returns the shard that the id of a job names; empty if the queue has no such shard. */
    Optional<RedisAsyncJobQueue<T>> of(JobId id) {
        int shard = JobIds.shard(id);
        return shard < count() ? Optional.of(at(shard)) : Optional.empty();
    }

    /** Returns the shard of a new job, by its grouping key if it has one, otherwise by its job key; empty if it has neither. */
    Optional<Integer> of(NewJob<?> job) {
        return job.group().or(() -> job.key().map(NewJob.JobKey::value)).map(key -> ofKey(key, count()));
    }

    /** Returns the shard of a grouping key or job key: the CRC-32 of its UTF-8 bytes, modulo the number of shards. */
    public static int ofKey(String key, int shards) {
        CRC32 sum = new CRC32();
        sum.update(Utf8.of(key));
        return (int) (sum.getValue() % shards);
    }

    /** Returns the settings of one shard: its part of the maximum numbers of the queue, but room for at least one job. */
    public static QueueSettings shardSettings(QueueSettings whole, int shards, int shard) {
        KeepDone kept = whole.keepDone();
        long jobs = Math.max(1, whole.maxJobs() / shards + (shard < whole.maxJobs() % shards ? 1 : 0));
        long done = (kept.max() + shards - 1) / shards;
        return whole.withShards(1).withMaxJobs(jobs).withKeepDone(new KeepDone(done, kept.time()));
    }

    /** Acknowledges leases, with one call for each shard; returns the results in the caller's order. */
    CompletableFuture<List<Settled>> ackAll(List<RedisAsyncLease<T>> leases) {
        Map<Integer, List<Integer>> indexesOf = new TreeMap<>();
        for (int index = 0; index < leases.size(); index++) {
            int shard = leases.get(index).shard();
            indexesOf.computeIfAbsent(shard, none -> new ArrayList<>()).add(index);
        }
        List<CompletableFuture<Void>> calls = new ArrayList<>();
        Settled[] settled = new Settled[leases.size()];
        indexesOf.forEach((shard, indexes) -> calls.add(at(shard)
                .ackAll(indexes.stream().<AsyncLease<T>>map(leases::get).toList())
                .thenAccept(results -> {
                    for (int i = 0; i < indexes.size(); i++) {
                        settled[indexes.get(i)] = results.get(i);
                    }
                })));
        return allOf(calls).thenApply(done -> List.of(settled));
    }

    /** Makes a call to each shard, in parallel. */
    <R> CompletableFuture<List<R>> each(Function<RedisAsyncJobQueue<T>, CompletableFuture<R>> call) {
        return allOf(all.stream().map(call).toList());
    }

    /** Returns the results of all calls, in their order; if a call fails, it fails after all calls have ended. */
    static <R> CompletableFuture<List<R>> allOf(List<CompletableFuture<R>> calls) {
        return CompletableFuture.allOf(calls.toArray(CompletableFuture[]::new))
                .thenApply(done -> calls.stream().map(CompletableFuture::join).toList());
    }
}
