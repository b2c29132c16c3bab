package io.headgate.redis.queues;

import io.headgate.queues.AsyncDeadLetters;
import io.headgate.queues.Cursor;
import io.headgate.queues.DeadLetter;
import io.headgate.queues.JobId;
import io.headgate.queues.Page;
import io.headgate.queues.QueueFullException;
import io.headgate.queues.internal.JobBounds;
import io.headgate.redis.writes.Written;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

/** The dead letters of all shards of a queue. */
record ShardedDeadLetters<T>(Shards<T> shards) implements AsyncDeadLetters<T> {

    /**
     * A dead letter.
     *
     * @param shard where it is
     * @param sinceMicros since when it is one
     */
    private record Seen(int shard, long sinceMicros) {}

    /** What is to be done with so many of the oldest of one shard. */
    private interface Step<T, R> {

        CompletableFuture<R> of(RedisAsyncDeadLetters<T> letters, int most);
    }

    @Override
    public CompletableFuture<Page<DeadLetter<T>>> list(Cursor from, int most) {
        return new ShardPages<DeadLetter<T>>(
                        shards.count(), (shard, there, some) -> letters(shard).list(there, some))
                .page(from, most);
    }

    @Override
    public CompletableFuture<Boolean> redrive(JobId id) {
        return shards.of(id)
                .map(shard -> shard.deadLetters().redrive(id))
                .orElseGet(() -> CompletableFuture.completedFuture(false));
    }

    @Override
    public CompletableFuture<Integer> redriveOldest(int most, Duration spacing) {
        batch(most);
        JobBounds.spacing(spacing);
        return oldest(most)
                .thenCompose(counts -> {
                    // Those of one shard are further apart, so that all together come at the rate that is asked for.
                    Duration apart = spacing.multipliedBy(counts.size());
                    return each(counts, (letters, some) -> letters.redriven(some, apart));
                })
                .thenApply(this::redriven);
    }

    /** How many wait again; full only when no shard that has some has room for any. */
    private int redriven(List<Written<RedriveReply>> each) {
        int redriven = 0;
        boolean full = false;
        for (Written<RedriveReply> one : each) {
            redriven += one.answer().redriven();
            full |= one.answer().full();
        }
        if (full && redriven == 0) {
            long maxJobs = shards.all().stream()
                    .mapToLong(shard -> shard.settings().maxJobs())
                    .sum();
            throw QueueFullException.redriving(letters(0).planner().header(), maxJobs);
        }
        each.stream().filter(one -> one.answer().redriven() > 0).forEach(Written::confirmed);
        return redriven;
    }

    @Override
    public CompletableFuture<Boolean> discard(JobId id) {
        return shards.of(id)
                .map(shard -> shard.deadLetters().discard(id))
                .orElseGet(() -> CompletableFuture.completedFuture(false));
    }

    @Override
    public CompletableFuture<Integer> discardOldest(int most) {
        batch(most);
        return oldest(most)
                .thenCompose(counts -> each(counts, (letters, some) -> letters.discard(some, Optional.empty())))
                .thenApply(done -> done.stream().mapToInt(Integer::intValue).sum());
    }

    private <R> CompletableFuture<List<R>> each(Map<Integer, Integer> counts, Step<T, R> step) {
        List<CompletableFuture<R>> calls = new ArrayList<>();
        counts.forEach((shard, most) -> calls.add(step.of(letters(shard), most)));
        return Shards.together(calls);
    }

    /** How many of the oldest of all each shard has. */
    private CompletableFuture<Map<Integer, Integer>> oldest(int most) {
        return Shards.together(IntStream.range(0, shards.count())
                        .mapToObj(this::letters)
                        .map(letters -> letters.executor()
                                .execute(letters.planner().deadLetters(Cursor.START, most, JobRecord::all)))
                        .toList())
                .thenApply(pages -> oldest(pages, most));
    }

    private static Map<Integer, Integer> oldest(List<Page<JobRecord>> pages, int most) {
        List<Seen> seen = new ArrayList<>();
        long knownTo = Long.MAX_VALUE;
        for (int shard = 0; shard < pages.size(); shard++) {
            List<JobRecord> records = pages.get(shard).items();
            for (JobRecord record : records) {
                seen.add(new Seen(shard, record.dueMicros()));
            }
            if (pages.get(shard).next().isPresent()) {
                knownTo = Math.min(knownTo, records.get(records.size() - 1).dueMicros());
            }
        }
        long last = knownTo;
        Map<Integer, Integer> counts = new TreeMap<>();
        seen.stream()
                .filter(one -> one.sinceMicros() <= last)
                .sorted(Comparator.comparingLong(Seen::sinceMicros))
                .limit(most)
                .forEach(one -> counts.merge(one.shard(), 1, Integer::sum));
        return counts;
    }

    private RedisAsyncDeadLetters<T> letters(int shard) {
        return shards.at(shard).deadLetters();
    }

    private static void batch(int most) {
        JobBounds.inRange("number of dead letters", most, 1, JobBounds.MAX_BATCH);
    }
}
