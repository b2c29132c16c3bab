package io.headgate.queues.internal;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The jobs that a worker has in hand: those that wait for a handler, and those that have one. Guarded by the loop.
 *
 * <p>A job whose lease has expired before, more often than chance would have it, may be one that kills its process. So that
 * the blame falls on no other, it is handled alone: nothing else is claimed, all others come to an end first, and any
 * further such job is handed back. When the process dies then, only that job's lease expires, and those of jobs that were handled
 * and whose shards, which fail, have not heard so: to wait for them could take hours.
 *
 * @param <T> what a payload is
 */
final class Hand<T> {

    /** So many expired leases are taken for chance. */
    private static final int CRASHES_BY_CHANCE = 1;

    private final int concurrency;
    private final long leaseNanos;
    private final Deque<Held<T>> buffer = new ArrayDeque<>();
    private final Set<Held<T>> all = new LinkedHashSet<>();
    private int running;
    private @Nullable Held<T> suspect;

    Hand(int concurrency, long leaseNanos) {
        this.concurrency = concurrency;
        this.leaseNanos = leaseNanos;
    }

    /** Takes a job in hand that was claimed by a call sent then; false when it is to be handed back instead. */
    boolean take(Held<T> held, long sentNanos) {
        renewed(held, sentNanos);
        if (held.work.crashes() > CRASHES_BY_CHANCE) {
            if (suspect != null) {
                return false;
            }
            suspect = held;
        } else {
            buffer.add(held);
        }
        all.add(held);
        return true;
    }

    /** Notes that the lease was extended by a call sent then. */
    void renewed(Held<T> held, long sentNanos) {
        held.leased(sentNanos, leaseNanos);
    }

    /** Puts a job away that is settled, or lost. */
    void drop(Held<T> held) {
        held.settled = true;
        all.remove(held);
        if (!held.begun) {
            buffer.remove(held);
        }
        if (suspect == held) {
            suspect = null;
        }
    }

    /** The next job for a handler that has one ready; the caller asks whether its lease still holds. */
    @Nullable
    Held<T> next() {
        return buffer.poll();
    }

    /** The job for another handler, if there may be one more. */
    @Nullable
    Held<T> nextToStart(boolean nothingElse) {
        if (running >= concurrency) {
            return null;
        }
        Held<T> next = buffer.poll();
        if (next == null && nothingElse && running == 0 && suspect != null && !suspect.begun) {
            next = suspect;
        }
        return next;
    }

    void began(Held<T> held) {
        held.begun = true;
        running++;
    }

    void ended() {
        running--;
    }

    boolean isIdle() {
        return running <= 0;
    }

    /** How many more jobs to claim, to have so many in hand. */
    int room(int target) {
        return suspect != null || buffer.size() > target / 2 ? 0 : Math.max(0, target - buffer.size() - running);
    }

    /** Those whose lease is to be extended by then, but for those of some shards. */
    List<Held<T>> toRenew(long nowNanos, int most, Set<Integer> without) {
        List<Held<T>> late = new ArrayList<>();
        for (Held<T> held : all) {
            if (late.size() < most && held.renewAtNanos - nowNanos <= 0 && !without.contains(held.work.shard())) {
                late.add(held);
            }
        }
        return late;
    }

    /** The earlier of a time and when the first lease is to be extended, but for those of some shards. */
    long firstRenewal(long atNanos, Set<Integer> without) {
        long first = atNanos;
        for (Held<T> held : all) {
            boolean isFirst = held.renewAtNanos - first < 0 && !without.contains(held.work.shard());
            first = isFirst ? held.renewAtNanos : first;
        }
        return first;
    }

    /** Those that no handler has. */
    List<Held<T>> notBegun() {
        return all.stream().filter(held -> !held.begun).toList();
    }

    /** All of them. */
    List<Held<T>> all() {
        return List.copyOf(all);
    }
}
