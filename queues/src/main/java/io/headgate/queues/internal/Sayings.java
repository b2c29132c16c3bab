package io.headgate.queues.internal;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What is to be said of jobs with the next turns: what was said and not heard, or concerns shards that were left alone, and then the
 * rest, in the order in which it came up. Guarded by the owner's lock.
 */
final class Sayings<T> {

    /** What is to be said of a job; with no outcome, that its lease is extended. */
    record Saying<T>(
            Held<T> held, Settlement settling, @Nullable Outcome outcome) {

        int shard() {
            return held.work.shard();
        }
    }

    private final Duration lease;
    private final Deque<Saying<T>> toSay = new ArrayDeque<>();
    private final List<Saying<T>> unheard = new ArrayList<>();

    Sayings(Duration lease) {
        this.lease = lease;
    }

    void add(Held<T> held, Outcome outcome) {
        toSay.add(new Saying<>(held, outcome.settling(), outcome));
    }

    boolean isEmpty() {
        return toSay.isEmpty() && unheard.isEmpty();
    }

    /** Whether nothing is to be said, but to some shards. */
    boolean isEmptyBut(Set<Integer> shards) {
        return toSay.isEmpty() && unheard.stream().allMatch(saying -> shards.contains(saying.shard()));
    }

    /** As much as one turn may say, and leases that need it extended; nothing to some shards. */
    List<Saying<T>> next(Hand<T> hand, Set<Integer> without, long nowNanos) {
        List<Saying<T>> said = new ArrayList<>();
        // Leases first, but only half: neither must wait for ever for the other.
        for (Held<T> held : hand.toRenew(nowNanos, JobBounds.MAX_BATCH / 2, without)) {
            said.add(new Saying<>(held, held.work.extendSettlement(lease), null));
        }
        int weight = said.size();
        for (Iterator<Saying<T>> held = unheard.iterator(); held.hasNext() && weight < JobBounds.MAX_BATCH; ) {
            Saying<T> next = held.next();
            if (!without.contains(next.shard())) {
                held.remove();
                weight += next.settling.weight();
                said.add(next);
            }
        }
        while (!toSay.isEmpty() && weight < JobBounds.MAX_BATCH) {
            Saying<T> next = toSay.remove();
            if (without.contains(next.shard())) {
                unheard.add(next);
            } else {
                weight += next.settling.weight();
                said.add(next);
            }
        }
        return said;
    }

    /** These shards, and those that have not yet heard what they failed to hear, or were not told. */
    Set<Integer> unheardAnd(Set<Integer> shards) {
        if (unheard.isEmpty()) {
            return shards;
        }
        Set<Integer> all = new HashSet<>(shards);
        unheard.forEach(saying -> all.add(saying.shard()));
        return all;
    }

    /** These were not heard: they are said again, but for extensions, which are asked for as they are needed. */
    void again(List<Saying<T>> said) {
        said.stream().filter(saying -> saying.outcome() != null).forEach(unheard::add);
    }
}
