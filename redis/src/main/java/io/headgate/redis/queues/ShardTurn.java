package io.headgate.redis.queues;

import io.headgate.queues.QueueException;
import io.headgate.queues.Settled;
import io.headgate.queues.internal.ClaimedJob;
import io.headgate.queues.internal.PollResult;
import io.headgate.queues.internal.QueueExceptions;
import io.headgate.queues.internal.Settlement;
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
 * One turn of a worker at the shards of a queue, or one claim. Each shard is told what came of its jobs. Meanwhile the first
 * one is asked for as many as there is room for, and while there is room still, two more, then four, and so on, each for its
 * part; those that failed when they were last asked come with the first. Never more jobs are claimed than there is room for, and
 * 64 shards take seven rounds at most when most have nothing.
 *
 * <p>What some shards have answered holds when others fail: the jobs that they handed out are in hand. One that could not be told
 * what came of its jobs is not asked for more.
 *
 * <p>Its parts are used one after the other, each when the answers before it have come.
 *
 * @param <T> what a payload is
 */
final class ShardTurn<T> {

    private final Shards<T> shards;
    private final ShardTimes times;
    private final Duration lease;
    private final List<Settlement> settling;
    private final Deque<Integer> toAsk;
    private final List<ClaimedJob<T>> claimed = new ArrayList<>();
    private final Settled[] settled;
    private final Set<Integer> notClaimedOf;
    private final Set<Integer> again = new TreeSet<>();
    private final Set<Integer> failed = new HashSet<>();
    private final Map<Integer, QueueException> unconfirmed = new HashMap<>();
    private Optional<QueueException> trouble = Optional.empty();
    private @Nullable Throwable problem;
    private boolean anyAnswered;
    private int claimsFailed;
    private int room;

    /**
     * One that asks some shards, in that order.
     *
     * @param notClaimedOf shards that are not asked for jobs now, whatever they may have
     */
    ShardTurn(
            Shards<T> shards,
            ShardTimes times,
            List<Integer> toAsk,
            Set<Integer> notClaimedOf,
            int most,
            Duration lease,
            List<Settlement> settling) {
        this.shards = shards;
        this.times = times;
        this.lease = lease;
        this.settling = settling;
        this.toAsk = new ArrayDeque<>(toAsk);
        this.notClaimedOf = notClaimedOf;
        this.settled = new Settled[settling.size()];
        Arrays.fill(settled, Settled.LEASE_LOST);
        this.room = most;
    }

    /**
     * The exception for a call that claims: what a shard reported, or the first exception of a call to a shard, as that call threw
     * it. Empty when no shard failed. Read it after {@link #run} has ended.
     */
    Optional<Throwable> failure() {
        return trouble.map(Throwable.class::cast)
                .or(() -> Optional.ofNullable(problem).map(QueueExceptions::unwrapped));
    }

    /** Does not fail, but tells which shards have. */
    CompletableFuture<PollResult<T>> run() {
        Map<Integer, List<Integer>> places = new LinkedHashMap<>();
        for (int place = 0; place < settling.size(); place++) {
            int shard = ((JobSettlement) settling.get(place)).shard();
            places.computeIfAbsent(shard, none -> new ArrayList<>()).add(place);
        }
        return ask(1 + moveDoubtful(), places);
    }

    /** Has those that failed last come with the first one: they take their time to fail once for all. */
    private int moveDoubtful() {
        List<Integer> doubtful = toAsk.stream().filter(times::hasFailed).toList();
        toAsk.removeAll(doubtful);
        Optional<Integer> first = Optional.ofNullable(toAsk.poll());
        for (int i = doubtful.size() - 1; i >= 0; i--) {
            toAsk.addFirst(doubtful.get(i));
        }
        first.ifPresent(toAsk::addFirst);
        return doubtful.size();
    }

    private CompletableFuture<PollResult<T>> ask(int atOnce, Map<Integer, List<Integer>> placesOf) {
        if (claimsFailed > 1 && !anyAnswered) {
            // Enough for this turn: maybe none would answer, and each takes its time to fail.
            toAsk.clear();
        }
        Map<Integer, Integer> mostOf = share(Math.min(atOnce, Math.min(room, toAsk.size())));
        Set<Integer> asked = new LinkedHashSet<>(mostOf.keySet());
        asked.addAll(placesOf.keySet());
        if (asked.isEmpty()) {
            return CompletableFuture.completedFuture(ended());
        }
        List<CompletableFuture<Runnable>> notes = new ArrayList<>();
        for (int shard : asked) {
            notes.add(ask(shard, mostOf.getOrDefault(shard, 0), placesOf.getOrDefault(shard, List.of())));
        }
        return Shards.together(notes).thenCompose(all -> {
            all.forEach(Runnable::run);
            return ask(Math.min(2 * atOnce, shards.count()), Map.of());
        });
    }

    /** How many to claim of each of the next shards. */
    private Map<Integer, Integer> share(int among) {
        Map<Integer, Integer> mostOf = new LinkedHashMap<>();
        for (int i = 0; i < among; i++) {
            mostOf.put(toAsk.remove(), room / among + (i < room % among ? 1 : 0));
        }
        return mostOf;
    }

    private CompletableFuture<Runnable> ask(int shard, int most, List<Integer> places) {
        long signals = times.signals(shard);
        List<Settlement> said = places.stream().map(settling::get).toList();
        return shards.at(shard).poll(most, lease, said).handle((result, failure) -> () -> {
            if (result == null) {
                problem = problem == null ? failure : problem;
                again.addAll(places);
                failed.add(shard);
                times.failed(shard);
                toAsk.remove(shard);
                claimsFailed += most > 0 ? 1 : 0;
            } else {
                anyAnswered = true;
                note(shard, most, places, signals, result);
            }
        });
    }

    private void note(int shard, int most, List<Integer> places, long signals, PollResult<T> result) {
        for (int i = 0; i < places.size(); i++) {
            settled[places.get(i)] = result.settled().get(i);
            QueueException doubt = result.unconfirmed().get(i);
            if (doubt != null) {
                unconfirmed.put(places.get(i), doubt);
            }
        }
        trouble = trouble.or(result::failure);
        if (most > 0) {
            claimed.addAll(result.claimed());
            room -= result.claimed().size();
            times.answered(shard, signals, result.moreInMicros());
            if (result.claimed().size() == most) {
                // It may have more than its part, for which there is room where others had less than theirs.
                toAsk.add(shard);
            }
        }
    }

    private PollResult<T> ended() {
        Set<Integer> notAsked = new HashSet<>(notClaimedOf);
        notAsked.addAll(failed);
        return new PollResult<>(
                List.copyOf(claimed),
                times.moreInMicros(notAsked),
                List.of(settled),
                Map.copyOf(unconfirmed),
                trouble.or(() -> Optional.ofNullable(problem).map(QueueExceptions::of)),
                Set.copyOf(again),
                Set.copyOf(failed));
    }
}
