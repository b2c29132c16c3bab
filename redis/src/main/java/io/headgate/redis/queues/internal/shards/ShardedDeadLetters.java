package io.headgate.redis.queues.internal.shards;

import io.headgate.queues.AsyncDeadLetters;
import io.headgate.queues.DeadLetter;
import io.headgate.queues.DeadLetterIds;
import io.headgate.queues.JobId;
import io.headgate.queues.QueueFullException;
import io.headgate.queues.inspect.Cursor;
import io.headgate.queues.inspect.Page;
import io.headgate.queues.internal.JobBounds;
import io.headgate.queues.internal.QueueExceptions;
import io.headgate.redis.queues.internal.durability.WriteResult;
import io.headgate.redis.queues.internal.job.JobRecord;
import io.headgate.redis.queues.internal.queue.QueuePlanner.RedriveReply;
import io.headgate.redis.queues.internal.queue.RedisAsyncDeadLetters;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** The dead letters of all shards of a queue. */
record ShardedDeadLetters<T>(ShardDirectory<T> directory) implements AsyncDeadLetters<T> {

    /**
     * A dead letter of a page.
     *
     * @param shard its shard
     * @param sinceMicros when it became a dead letter, which its record has as the due time
     */
    private record Seen(int shard, long sinceMicros) {}

    /** An operation on up to {@code max} of the oldest dead letters of one shard. */
    private interface Step<T, R> {

        CompletableFuture<R> of(RedisAsyncDeadLetters<T> letters, int max);
    }

    @Override
    public CompletableFuture<Page<DeadLetter<T>>> list(Cursor from, int max) {
        RedisAsyncDeadLetters.checkedMax(max);
        return directory.call(shards -> new ShardPages<DeadLetter<T>>(
                        shards.count(),
                        (shard, there, some) -> shards.at(shard).deadLetters().list(there, some))
                .page(from, max));
    }

    @Override
    public CompletableFuture<DeadLetterIds> ids(Cursor from, int max) {
        RedisAsyncDeadLetters.checkedMax(max);
        return directory.call(shards -> new ShardPages<DeadLetterIds.Id>(
                        shards.count(),
                        (shard, there, some) -> shards.at(shard).deadLetters().idPage(there, some))
                .partialPage(from, max)
                .thenApply(part -> new DeadLetterIds(
                        part.items(), part.next(), part.failure().map(QueueExceptions::of))));
    }

    @Override
    public CompletableFuture<Optional<DeadLetter<T>>> find(JobId id, Instant diedAt) {
        return of(id, Optional.empty(), letters -> letters.find(id, diedAt));
    }

    @Override
    public CompletableFuture<Boolean> redrive(JobId id) {
        return of(id, false, letters -> letters.redrive(id));
    }

    @Override
    public CompletableFuture<Boolean> redrive(JobId id, Instant diedAt) {
        return of(id, false, letters -> letters.redrive(id, diedAt));
    }

    /** Makes a call to the shard of a job; returns the other result if the queue has no such shard. */
    private <R> CompletableFuture<R> of(
            JobId id, R ifNoShard, Function<RedisAsyncDeadLetters<T>, CompletableFuture<R>> call) {
        return directory.call(shards -> shards.of(id)
                .map(shard -> call.apply(shard.deadLetters()))
                .orElseGet(() -> CompletableFuture.completedFuture(ifNoShard)));
    }

    @Override
    public CompletableFuture<Integer> redriveOldest(int max, Duration spacing) {
        RedisAsyncDeadLetters.checkedMax(max);
        JobBounds.spacing(spacing);
        return directory.call(shards -> shards.count() == 1
                ? shards.at(0).deadLetters().redriveOldest(max, spacing)
                : oldest(shards, max)
                        .thenCompose(counts -> {
                            // Each shard has a larger spacing, so that the queue as a whole redrives at the requested
                            // rate.
                            Duration apart = spacing.multipliedBy(counts.size());
                            return each(shards, counts, (letters, some) -> letters.redriven(some, apart));
                        })
                        .thenApply(each -> redriven(shards, each)));
    }

    /** Returns how many dead letters were redriven; throws if shards are full and nothing was redriven, or if a redrive is unconfirmed. */
    private static int redriven(ShardMap<?> shards, List<WriteResult<RedriveReply>> each) {
        int redriven = 0;
        boolean full = false;
        for (WriteResult<RedriveReply> one : each) {
            redriven += one.reply().redriven();
            full |= one.reply().full();
        }
        if (full && redriven == 0) {
            long maxJobs = shards.all().stream()
                    .mapToLong(shard -> shard.settings().maxJobs())
                    .sum();
            throw QueueFullException.redriving(
                    shards.at(0).deadLetters().planner().header(), maxJobs);
        }
        each.stream().filter(one -> one.reply().redriven() > 0).forEach(WriteResult::requireConfirmed);
        return redriven;
    }

    @Override
    public CompletableFuture<Boolean> discard(JobId id) {
        return of(id, false, letters -> letters.discard(id));
    }

    @Override
    public CompletableFuture<Boolean> discard(JobId id, Instant diedAt) {
        return of(id, false, letters -> letters.discard(id, diedAt));
    }

    @Override
    public CompletableFuture<Integer> discardOldest(int max) {
        RedisAsyncDeadLetters.checkedMax(max);
        return directory.call(shards -> shards.count() == 1
                ? shards.at(0).deadLetters().discardOldest(max)
                : oldest(shards, max)
                        .thenCompose(counts -> each(shards, counts, RedisAsyncDeadLetters::discardOldest))
                        .thenApply(done ->
                                done.stream().mapToInt(Integer::intValue).sum()));
    }

    private static <T, R> CompletableFuture<List<R>> each(
            ShardMap<T> shards, Map<Integer, Integer> counts, Step<T, R> step) {
        List<CompletableFuture<R>> calls = new ArrayList<>();
        counts.forEach((shard, max) -> calls.add(step.of(shards.at(shard).deadLetters(), max)));
        return ShardMap.allOf(calls);
    }

    /** Returns how many of the oldest {@code max} dead letters of the queue each shard has. */
    private static <T> CompletableFuture<Map<Integer, Integer>> oldest(ShardMap<T> shards, int max) {
        return shards.each(shard -> {
                    RedisAsyncDeadLetters<T> letters = shard.deadLetters();
                    return letters.executor().execute(letters.planner().deadLetters(Cursor.START, max, JobRecord::all));
                })
                .thenApply(pages -> oldest(pages, max));
    }

    private static Map<Integer, Integer> oldest(List<Page<JobRecord>> pages, int max) {
        List<Seen> seen = new ArrayList<>();
        long knownTo = Long.MAX_VALUE;
        for (int shard = 0; shard < pages.size(); shard++) {
            List<JobRecord> records = pages.get(shard).items();
            for (JobRecord record : records) {
                seen.add(new Seen(shard, record.dueMicros()));
            }
            // A page may end before max. The order of the queue is known only up to the last record of such a page.
            if (pages.get(shard).next().isPresent()) {
                knownTo = Math.min(knownTo, records.get(records.size() - 1).dueMicros());
            }
        }
        long last = knownTo;
        Map<Integer, Integer> counts = new TreeMap<>();
        seen.stream()
                .filter(one -> one.sinceMicros() <= last)
                .sorted(Comparator.comparingLong(Seen::sinceMicros))
                .limit(max)
                .forEach(one -> counts.merge(one.shard(), 1, Integer::sum));
        return counts;
    }
}
