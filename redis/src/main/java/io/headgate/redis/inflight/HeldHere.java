package io.headgate.redis.inflight;

import io.headgate.limits.Decision;
import io.headgate.limits.InFlight;
import io.headgate.limits.InFlightCount;
import io.headgate.limits.InFlightPolicy;
import io.headgate.limits.InFlightRule;
import io.headgate.limits.internal.HoldId;
import io.headgate.limits.internal.HoldStore;
import io.headgate.limits.internal.MemoryHolds;
import io.headgate.limits.internal.PlacedHold;
import io.headgate.limits.internal.Released;
import io.headgate.limits.internal.Shares;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * What this instance holds, as far as it knows, whether Redis knows it or not, and what of that Redis is still to be told. It is what
 * a share is counted by. A hold that expires here, as nobody renews it, is forgotten.
 *
 * <p>Safe for use by several threads.
 */
final class HeldHere {

    private static final int FEW = 1024;

    /** How many are told at once. */
    private static final int MOST_AT_ONCE = 10_000;

    /**
     * A hold, and whether it was handed out here.
     *
     * @param vouched if not, somebody only says so, by a ticket
     */
    private record Kept(String policy, PlacedHold hold, boolean vouched) {}

    /** What a call tells of several holds that have this in common. */
    record Common(String policy, boolean vouched, Duration lease) {}

    private final MemoryHolds memory;
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<HoldId, Kept> kept = new HashMap<>();
    private final Map<HoldId, Kept> owed = new LinkedHashMap<>();
    private int sweptAt = FEW;

    /** Nothing, by the clock of these holds. */
    HeldHere(MemoryHolds memory) {
        this.memory = memory;
    }

    /** Takes permits of the share of one of so many instances; what it takes is owed. */
    HoldStore.Taken takeOfShare(InFlightPolicy policy, PlacedHold hold, int instances) {
        InFlightPolicy share = Shares.of(policy, instances);
        lock.lock();
        try {
            HoldStore.Taken taken = now(memory.acquire(share, hold));
            if (taken.allowed()) {
                keep(policy, hold, true);
            }
            return new HoldStore.Taken(taken.allowed(), ofWhole(policy, taken.inFlight()));
        } finally {
            lock.unlock();
        }
    }

    /** Takes permits whatever the limits, and owes them. */
    HoldStore.Taken takeAny(InFlightPolicy policy, PlacedHold hold) {
        lock.lock();
        try {
            memory.put(hold, policy.lease());
            keep(policy, hold, true);
            return new HoldStore.Taken(true, look(policy, hold.places()));
        } finally {
            lock.unlock();
        }
    }

    private void keep(InFlightPolicy policy, PlacedHold hold, boolean owing) {
        keep(new Kept(policy.name(), hold, true), owing);
    }

    private void keep(Kept one, boolean owing) {
        if (kept.size() > sweptAt) {
            kept.values().removeIf(it -> memory.leaseLeft(it.hold()).isEmpty());
            sweptAt = Math.max(FEW, 2 * kept.size());
        }
        kept.put(one.hold().id(), one);
        if (owing) {
            owed.put(one.hold().id(), one);
        }
    }

    /** Redis has handed it out. */
    void taken(InFlightPolicy policy, PlacedHold hold) {
        lock.lock();
        try {
            memory.put(hold, policy.lease());
            keep(policy, hold, false);
        } finally {
            lock.unlock();
        }
    }

    /** Redis was late to hand out what is held here; it is not owed any more, if it still is held. */
    void takenLate(PlacedHold hold) {
        lock.lock();
        try {
            owed.remove(hold.id());
        } finally {
            lock.unlock();
        }
    }

    /** What is held here, by the share of one of so many instances. */
    InFlight lookAtShare(InFlightPolicy policy, List<String> places, int instances) {
        return ofWhole(policy, now(memory.peek(Shares.of(policy, instances), places)));
    }

    /** What is held here. */
    InFlight look(InFlightPolicy policy, List<String> places) {
        InFlight here = now(memory.peek(policy, places));
        return new InFlight(here.rules(), here.at(), Decision.Basis.OPEN);
    }

    /** As if nothing was free. */
    InFlight full(InFlightPolicy policy, List<String> places) {
        InFlight here = now(memory.peek(policy, places));
        List<InFlightCount> all = here.rules().stream()
                .map(count -> new InFlightCount(
                        count.rule(), Math.max(count.held(), count.rule().permits()), count.nextExpiry()))
                .toList();
        return new InFlight(all, here.at(), Decision.Basis.CLOSED);
    }

    /** What the shares of others may have counts as held. */
    private static InFlight ofWhole(InFlightPolicy policy, InFlight ofShare) {
        List<InFlightCount> counts = new ArrayList<>();
        for (int i = 0; i < policy.rules().size(); i++) {
            InFlightRule whole = policy.rules().get(i);
            InFlightCount share = ofShare.rules().get(i);
            long others = whole.permits() - share.rule().permits();
            counts.add(new InFlightCount(whole, others + share.held(), share.nextExpiry()));
        }
        return new InFlight(counts, ofShare.at(), Decision.Basis.LOCAL_SHARE);
    }

    /**
     * What was known of several holds at one moment.
     *
     * @param known those that were held here
     * @param owed those of them that were handed out here, and that Redis is still to be told
     */
    record Seen(Set<PlacedHold> known, Set<PlacedHold> owed) {}

    /** What is known of them now. */
    Seen seen(List<PlacedHold> holds) {
        lock.lock();
        try {
            Seen seen = new Seen(new HashSet<>(), new HashSet<>());
            for (PlacedHold hold : holds) {
                if (kept.containsKey(hold.id())) {
                    seen.known().add(hold);
                }
                Kept one = owed.get(hold.id());
                if (one != null && one.vouched()) {
                    seen.owed().add(hold);
                }
            }
            return seen;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Sends what says that holds are held. A release of one of them is sent behind it, or what is sent does not have it any more: a release removes it
     * here first, and has to wait for that.
     */
    <T> T inOrder(Supplier<T> sending) {
        lock.lock();
        try {
            return sending.get();
        } finally {
            lock.unlock();
        }
    }

    /** Redis has renewed it: it is owed no longer, and lasts here as long. */
    void renewed(PlacedHold hold, Duration lease, long endsMicros) {
        lock.lock();
        try {
            owed.remove(hold.id());
            extend(hold, lease, endsMicros);
        } finally {
            lock.unlock();
        }
    }

    /** Has it last for the lease, if it is held here. */
    void extend(PlacedHold hold, Duration lease, long endsMicros) {
        lock.lock();
        try {
            if (kept.containsKey(hold.id())) {
                now(memory.renew("", lease, endsMicros, List.of(hold)));
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Has them last for the lease without Redis, also what is not known here; all of that is owed.
     *
     * @param before what was known when it was asked for: what was and is no more was given back meanwhile, and stays so
     */
    void renewWithout(String policy, Duration lease, long endsMicros, List<PlacedHold> holds, Seen before) {
        lock.lock();
        try {
            for (PlacedHold hold : holds) {
                Kept one = kept.get(hold.id());
                if (one != null) {
                    memory.put(hold, lease);
                    extend(hold, lease, endsMicros);
                    keep(one, true);
                } else if (!before.known().contains(hold)) {
                    memory.put(hold, lease);
                    keep(new Kept(policy, hold, false), true);
                    extend(hold, lease, endsMicros);
                }
            }
        } finally {
            lock.unlock();
        }
    }

    /** It is not held any more; says what of it was. */
    Released remove(PlacedHold hold) {
        lock.lock();
        try {
            kept.remove(hold.id());
            owed.remove(hold.id());
            return now(memory.release("", List.of(hold))).get(0);
        } finally {
            lock.unlock();
        }
    }

    /** Nothing is held there any more. */
    void reset(String place) {
        lock.lock();
        try {
            kept.values().stream()
                    .map(Kept::hold)
                    .filter(hold -> hold.places().contains(place))
                    .toList()
                    .forEach(this::remove);
        } finally {
            lock.unlock();
        }
    }

    /** Redis may have forgotten anything. */
    void oweAll() {
        lock.lock();
        try {
            owed.putAll(kept);
        } finally {
            lock.unlock();
        }
    }

    boolean owesNothing() {
        lock.lock();
        try {
            return owed.isEmpty();
        } finally {
            lock.unlock();
        }
    }

    /** What is owed, or 10 000 holds of it, by what they have in common. */
    Map<Common, List<PlacedHold>> owed() {
        lock.lock();
        try {
            Map<Common, List<PlacedHold>> batches = new LinkedHashMap<>();
            int taken = 0;
            Iterator<Kept> all = owed.values().iterator();
            while (all.hasNext() && taken < MOST_AT_ONCE) {
                Kept one = all.next();
                Duration left = memory.leaseLeft(one.hold()).orElse(Duration.ZERO);
                if (left.isZero()) {
                    all.remove();
                    kept.remove(one.hold().id());
                } else {
                    // In whole seconds, so that many have the same.
                    Common common = new Common(one.policy(), one.vouched(), Duration.ofSeconds(left.toSeconds() + 1));
                    batches.computeIfAbsent(common, any -> new ArrayList<>()).add(one.hold());
                    taken++;
                }
            }
            return batches;
        } finally {
            lock.unlock();
        }
    }

    /** Redis was told of them, and holds these of them. */
    void told(List<PlacedHold> holds, boolean[] held) {
        lock.lock();
        try {
            for (int i = 0; i < held.length; i++) {
                if (held[i]) {
                    owed.remove(holds.get(i).id());
                } else {
                    remove(holds.get(i));
                }
            }
        } finally {
            lock.unlock();
        }
    }

    /** What memory answers it answers at once. */
    private static <T> T now(CompletionStage<T> answer) {
        return answer.toCompletableFuture().join();
    }
}
