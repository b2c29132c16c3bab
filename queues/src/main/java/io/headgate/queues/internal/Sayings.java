package io.headgate.queues.internal;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What is to be said of jobs with the next turns, in the order in which it came up. Guarded by the owner's lock. */
final class Sayings<T> {

    /** What is to be said of a job; with no outcome, that its lease is extended. */
    record Saying<T>(
            Held<T> held, Settling settling, @Nullable Outcome outcome) {}

    private final Duration lease;
    private final Deque<Saying<T>> toSay = new ArrayDeque<>();

    Sayings(Duration lease) {
        this.lease = lease;
    }

    void add(Held<T> held, Outcome outcome) {
        toSay.add(new Saying<>(held, outcome.settling(), outcome));
    }

    boolean isEmpty() {
        return toSay.isEmpty();
    }

    /** As much as one turn may say, and leases that need it extended. */
    List<Saying<T>> next(Hand<T> hand, long nowNanos) {
        List<Saying<T>> said = new ArrayList<>();
        // Leases first, but only half: neither must wait for ever for the other.
        for (Held<T> held : hand.toRenew(nowNanos, JobBounds.MAX_BATCH / 2)) {
            said.add(new Saying<>(held, held.work.extending(lease), null));
        }
        int weight = said.size();
        while (!toSay.isEmpty() && weight < JobBounds.MAX_BATCH) {
            Saying<T> next = toSay.remove();
            weight += next.settling.weight();
            said.add(next);
        }
        return said;
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
