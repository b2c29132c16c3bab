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
 * What is to be said of jobs with the next turns, in the order in which it came up; what concerns shards that are left alone is held
 * back. Guarded by the owner's lock.
 */
final class Sayings<T> {

    /** What is to be said of a job; with no outcome, that its lease is extended. */
    record Saying<T>(
            Held<T> held, Settling settling, @Nullable Outcome outcome) {

        int shard() {
            return held.work.shard();
        }
    }

    private final Duration lease;
    private final Deque<Saying<T>> toSay = new ArrayDeque<>();
    private final List<Saying<T>> heldBack = new ArrayList<>();

    Sayings(Duration lease) {
        this.lease = lease;
    }

    void add(Held<T> held, Outcome outcome) {
        toSay.add(new Saying<>(held, outcome.settling(), outcome));
    }

    boolean isEmpty() {
        return toSay.isEmpty() && heldBack.isEmpty();
    }

    /** As much as one turn may say, and leases that need it extended; nothing to some shards. */
    List<Saying<T>> next(Hand<T> hand, Set<Integer> without, long nowNanos) {
        List<Saying<T>> said = new ArrayList<>();
        // Leases first, but only half: neither must wait for ever for the other.
        for (Held<T> held : hand.toRenew(nowNanos, JobBounds.MAX_BATCH / 2, without)) {
            said.add(new Saying<>(held, held.work.extending(lease), null));
        }
        int weight = said.size();
        for (Iterator<Saying<T>> held = heldBack.iterator(); held.hasNext() && weight < JobBounds.MAX_BATCH; ) {
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
                heldBack.add(next);
            } else {
                weight += next.settling.weight();
                said.add(next);
            }
        }
        return said;
    }

    /** The shards to which something is to be said that was held back; to be changed as one likes. */
    Set<Integer> shardsHeldBack() {
        Set<Integer> shards = new HashSet<>();
        heldBack.forEach(saying -> shards.add(saying.shard()));
        return shards;
    }

    /** These were not heard by their shards, which are left alone now. */
    void holdBack(List<Saying<T>> said) {
        said.stream().filter(saying -> saying.outcome() != null).forEach(heldBack::add);
    }

    /** These were not heard: they are said again, but for extensions, which are asked for as they are needed. */
    void again(List<Saying<T>> said) {
        for (int i = said.size() - 1; i >= 0; i--) {
            if (said.get(i).outcome() != null) {
                toSay.addFirst(said.get(i));
            }
        }
    }
}
