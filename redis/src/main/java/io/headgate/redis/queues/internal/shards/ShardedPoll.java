package io.headgate.redis.queues.internal.shards;

import io.headgate.queues.QueueException;
import io.headgate.queues.Settled;
import io.headgate.queues.internal.QueueExceptions;
import io.headgate.queues.worker.ClaimedJob;
import io.headgate.queues.worker.PollRequest;
import io.headgate.queues.worker.PollResult;
import io.headgate.queues.worker.Settlement;
import io.headgate.redis.queues.internal.job.JobSettlement;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One poll of a queue with several shards. It runs in rounds, in which the number of shards doubles.
 *
 * <p>The first round sends all settlements to their shards, and claims the requested number of jobs from one shard. If that shard has
 * fewer due jobs, the second round claims the rest from two shards, the third from four, and so on; each shard of a round gets an equal
 * share. So the poll never claims more jobs than requested, and 64 shards take at most seven rounds when most of them are empty. Shards
 * whose last poll failed are polled in the first round.
 *
 * <p>If a shard fails, the poll still returns the jobs that were claimed from other shards, and claims nothing more from the failed shard.
 *
 * <p>Not safe for use by several threads: each round starts when the replies of the round before have arrived.
 *
 * @param <T> the type of the payload
 */
final class ShardedPoll<T> {

    private final ShardMap<T> shards;
    private final ShardSchedule schedule;
    private final Duration lease;
    private final List<Settlement> settlements;
    private final Deque<Integer> toPoll;
    private final List<ClaimedJob<T>> claimed = new ArrayList<>();
    private final Settled[] settled;
    private final Set<Integer> excludedShards;
    private final Set<String> excludedTenants;
    private final Set<Integer> unsettled = new TreeSet<>();
    private final Set<Integer> failedShards = new HashSet<>();
    private final Map<Integer, QueueException> unconfirmed = new HashMap<>();
    private Optional<QueueException> reported = Optional.empty();
    private @Nullable Throwable thrown;
    private boolean anySucceeded;
    private int failedClaims;
    private int room;

    /**
     * Creates a poll, which {@link #run} starts.
     *
     * @param toPoll the shards to claim from, in that order
     */
    ShardedPoll(ShardMap<T> shards, ShardSchedule schedule, List<Integer> toPoll, PollRequest request) {
        this.shards = shards;
        this.schedule = schedule;
        this.lease = request.lease();
        this.settlements = request.settlements();
        this.toPoll = new ArrayDeque<>(toPoll);
        this.excludedShards = request.excludedShards();
        this.excludedTenants = request.excludedTenants();
        this.settled = new Settled[settlements.size()];
        // Stays for settlements that are not processed, whose results the caller ignores.
        Arrays.fill(settled, Settled.LEASE_LOST);
        this.room = request.max();
    }

    /**
     * The exception for a call that only claims: the failure in the result of a shard, otherwise the first exception of a call to a shard.
     * Empty when no shard failed. Read it after {@link #run} has ended.
     */
    Optional<Throwable> failure() {
        return reported.map(Throwable.class::cast)
                .or(() -> Optional.ofNullable(thrown).map(QueueExceptions::unwrapped));
    }

    /** Runs the poll. The future never fails; the result names the shards that failed. */
    CompletableFuture<PollResult<T>> run() {
        Map<Integer, List<Integer>> indexesOf = new LinkedHashMap<>();
        for (int index = 0; index < settlements.size(); index++) {
            int shard = ((JobSettlement) settlements.get(index)).shard();
            indexesOf.computeIfAbsent(shard, none -> new ArrayList<>()).add(index);
        }
        return round(1 + moveFailedForward(), indexesOf);
    }

    /** Moves shards whose last poll failed into the first round: their timeouts then run concurrently. Returns their number. */
    private int moveFailedForward() {
        List<Integer> failed = toPoll.stream().filter(schedule::hasFailed).toList();
        toPoll.removeAll(failed);
        Optional<Integer> first = Optional.ofNullable(toPoll.poll());
        for (int i = failed.size() - 1; i >= 0; i--) {
            toPoll.addFirst(failed.get(i));
        }
        first.ifPresent(toPoll::addFirst);
        return failed.size();
    }

    private CompletableFuture<PollResult<T>> round(int atOnce, Map<Integer, List<Integer>> indexesOf) {
        if (failedClaims > 1 && !anySucceeded) {
            // Gives up: perhaps no shard is reachable, and each round would last as long as the timeout.
            toPoll.clear();
        }
        Map<Integer, Integer> mostOf = share(Math.min(atOnce, Math.min(room, toPoll.size())));
        Set<Integer> polled = new LinkedHashSet<>(mostOf.keySet());
        polled.addAll(indexesOf.keySet());
        if (polled.isEmpty()) {
            return CompletableFuture.completedFuture(result());
        }
        List<CompletableFuture<Runnable>> updates = new ArrayList<>();
        for (int shard : polled) {
            updates.add(poll(shard, mostOf.getOrDefault(shard, 0), indexesOf.getOrDefault(shard, List.of())));
        }
        return ShardMap.allOf(updates).thenCompose(all -> {
            all.forEach(Runnable::run);
            return round(Math.min(2 * atOnce, shards.count()), Map.of());
        });
    }

    /** Returns how many jobs to claim from each of the next shards. */
    private Map<Integer, Integer> share(int among) {
        Map<Integer, Integer> mostOf = new LinkedHashMap<>();
        for (int i = 0; i < among; i++) {
            mostOf.put(toPoll.remove(), room / among + (i < room % among ? 1 : 0));
        }
        return mostOf;
    }

    /** Polls a shard; returns the update of this object, to be run when the whole round has ended. */
    private CompletableFuture<Runnable> poll(int shard, int max, List<Integer> indexes) {
        long signals = schedule.signals(shard);
        List<Settlement> ofShard = indexes.stream().map(settlements::get).toList();
        PollRequest request = new PollRequest(max, lease, ofShard).withExcludedTenants(excludedTenants);
        return shards.at(shard).poll(request).handle((result, failure) -> () -> {
            if (result == null) {
                thrown = thrown == null ? failure : thrown;
                unsettled.addAll(indexes);
                failedShards.add(shard);
                schedule.failed(shard);
                toPoll.remove(shard);
                failedClaims += max > 0 ? 1 : 0;
            } else {
                anySucceeded = true;
                add(shard, max, indexes, signals, result);
            }
        });
    }

    private void add(int shard, int max, List<Integer> indexes, long signals, PollResult<T> result) {
        for (int i = 0; i < indexes.size(); i++) {
            settled[indexes.get(i)] = result.settled().get(i);
            QueueException reason = result.unconfirmed().get(i);
            if (reason != null) {
                unconfirmed.put(indexes.get(i), reason);
            }
        }
        reported = reported.or(result::failure);
        if (max > 0) {
            claimed.addAll(result.claimed());
            room -= result.claimed().size();
            schedule.polled(shard, signals, result.moreInMicros());
            if (result.claimed().size() == max) {
                // This shard may have more jobs than its share; a later round claims them if other shards had fewer.
                toPoll.add(shard);
            }
        }
    }

    private PollResult<T> result() {
        Set<Integer> notPolled = new HashSet<>(excludedShards);
        notPolled.addAll(failedShards);
        return new PollResult<>(
                List.copyOf(claimed),
                schedule.moreInMicros(notPolled),
                List.of(settled),
                Map.copyOf(unconfirmed),
                reported.or(() -> Optional.ofNullable(thrown).map(QueueExceptions::of)),
                Set.copyOf(unsettled),
                Set.copyOf(failedShards));
    }
}
