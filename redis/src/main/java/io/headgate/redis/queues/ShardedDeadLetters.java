package io.headgate.redis.queues;

import io.headgate.queues.AsyncDeadLetters;
import io.headgate.queues.Cursor;
import io.headgate.queues.DeadLetter;
import io.headgate.queues.JobId;
import io.headgate.queues.Page;
import io.headgate.queues.internal.JobBounds;
import io.headgate.redis.internal.ScriptCall;
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
    private interface Step {

        ScriptCall<Integer> of(QueuePlanner planner, int most);
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
        return oldest(most).thenCompose(counts -> {
            // Those of one shard are further apart, so that all together come at the rate that is asked for.
            Duration apart = spacing.multipliedBy(counts.size());
            return each(counts, (planner, some) -> planner.redrive(some, apart, Optional.empty()));
        });
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
                .thenCompose(counts -> each(counts, (planner, some) -> planner.discard(some, Optional.empty())));
    }

    private CompletableFuture<Integer> each(Map<Integer, Integer> counts, Step step) {
        List<CompletableFuture<Integer>> calls = new ArrayList<>();
        counts.forEach((shard, most) -> {
            RedisAsyncDeadLetters<T> letters = letters(shard);
            calls.add(letters.writes().execute(step.of(letters.planner(), most)));
        });
        return Shards.together(calls)
                .thenApply(done -> done.stream().mapToInt(Integer::intValue).sum());
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
