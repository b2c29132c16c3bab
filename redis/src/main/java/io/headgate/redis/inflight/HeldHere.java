package io.headgate.redis.inflight;

import io.headgate.limits.InFlight;
import io.headgate.limits.InFlightPolicy;
import io.headgate.limits.internal.HoldId;
import io.headgate.limits.internal.HoldStore;
import io.headgate.limits.internal.MemoryHolds;
import io.headgate.limits.internal.PlacedHold;
import io.headgate.limits.internal.Released;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.ReentrantLock;

/**
 * What this instance holds, as far as it knows, whether Redis knows it or not, and what of that Redis is still to be told. It is what
 * a share is counted by. A hold that expires here, as nobody renews it, is forgotten.
 *
 * <p>Safe for use by several threads.
 */
final class HeldHere {

    private static final int FEW = 1024;

    /** How many entries Redis is told of at once. */
    private static final int MOST_ENTRIES_AT_ONCE = 10_000;

    /**
     * A hold.
     *
     * @param sure whether it surely is held, and is so though Redis does not know it. By ticket that is only until Redis has heard of it: whoever
     *     has the ticket may release it anywhere
     * @param isAsked whether Redis may have heard of it
     */
    private record Kept(String policy, PlacedHold hold, boolean sure, boolean isAsked) {

        Kept asked() {
            return new Kept(policy, hold, sure, true);
        }
    }

    /** What several holds have in common that Redis is told of together. */
    record Common(String policy, boolean sure, Duration lease) {}

    private final long engine;
    private final MemoryHolds memory;
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<HoldId, Kept> kept = new HashMap<>();

    /** Of what is kept, what Redis is still to be told, in that order. */
    private final Set<HoldId> owed = new LinkedHashSet<>();

    private int sweptAt = FEW;

    /**
     * Nothing yet.
     *
     * @param engine in the ids of this engine's own holds, which nobody else renews or releases
     * @param memory counts them
     */
    HeldHere(long engine, MemoryHolds memory) {
        this.engine = engine;
        this.memory = memory;
    }

    private boolean isOwn(PlacedHold hold) {
        return hold.id().engine() == engine;
    }

    /**
     * Takes permits without Redis; what it takes is owed.
     *
     * @param limits says how many there are
     * @param isAsked whether Redis was asked for it, and may have taken it
     */
    HoldStore.Taken take(InFlightPolicy limits, PlacedHold hold, boolean isAsked) {
        lock.lock();
        try {
            HoldStore.Taken taken = now(memory.acquire(limits, hold));
            if (taken.allowed()) {
                keep(new Kept(limits.name(), hold, true, isAsked), true);
            }
            return taken;
        } finally {
            lock.unlock();
        }
    }

    /** The same, whatever the limits. */
    void takeAny(InFlightPolicy policy, PlacedHold hold, boolean isAsked) {
        lock.lock();
        try {
            memory.put(hold, policy.lease());
            keep(new Kept(policy.name(), hold, true, isAsked), true);
        } finally {
            lock.unlock();
        }
    }

    /** Redis has handed it out. */
    void taken(InFlightPolicy policy, PlacedHold hold) {
        lock.lock();
        try {
            memory.put(hold, policy.lease());
            keep(new Kept(policy.name(), hold, isOwn(hold), true), false);
        } finally {
            lock.unlock();
        }
    }

    private void keep(Kept one, boolean owing) {
        if (kept.size() > sweptAt) {
            kept.values().removeIf(it -> memory.leaseLeft(it.hold()).isEmpty());
            owed.retainAll(kept.keySet());
            sweptAt = Math.max(FEW, 2 * kept.size());
        }
        kept.put(one.hold().id(), one);
        if (owing) {
            owed.add(one.hold().id());
        }
    }

    /** Redis knows of it; says whether it is held here still. */
    boolean known(PlacedHold hold) {
        lock.lock();
        try {
            owed.remove(hold.id());
            Kept known = kept.computeIfPresent(
                    hold.id(), (id, one) -> new Kept(one.policy(), one.hold(), one.sure() && isOwn(hold), true));
            return known != null;
        } finally {
            lock.unlock();
        }
    }

    /** What is held here of these limits. */
    InFlight look(InFlightPolicy limits, List<String> places) {
        return now(memory.peek(limits, places));
    }

    /** Those of them that surely are held, and that Redis is still to be told. */
    Set<PlacedHold> owed(List<PlacedHold> holds) {
        lock.lock();
        try {
            Set<PlacedHold> these = new HashSet<>();
            for (PlacedHold hold : holds) {
                Kept one = kept.get(hold.id());
                if (one != null && one.sure() && owed.contains(hold.id())) {
                    these.add(hold);
                }
            }
            return these;
        } finally {
            lock.unlock();
        }
    }

    /** Has it last for the lease here, or to the end, if it is held; says whether it is. */
    boolean extend(PlacedHold hold, Duration lease, long endsMicros) {
        lock.lock();
        try {
            return kept.containsKey(hold.id())
                    && now(memory.renew("", lease, endsMicros, List.of(hold)))[0]
                    && memory.leaseLeft(hold).isPresent();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Has it last for the lease without Redis, which is owed; also where it is not known here, as it is another's, by whoever has
     * its ticket. Says whether it is held; one of this engine's own that is not known was given back.
     */
    boolean renewWithout(String policy, Duration lease, long endsMicros, PlacedHold hold) {
        lock.lock();
        try {
            if (!kept.containsKey(hold.id()) && !isOwn(hold)) {
                memory.put(hold, lease);
                keep(new Kept(policy, hold, false, true), true);
            }
            boolean held = extend(hold, lease, endsMicros);
            if (held) {
                owed.add(hold.id());
            } else {
                forget(hold.id());
            }
            return held;
        } finally {
            lock.unlock();
        }
    }

    private void forget(HoldId id) {
        kept.remove(id);
        owed.remove(id);
    }

    /** It is not held any more; says what of it was, and that it may still be in Redis if that ever heard of it. */
    Released remove(PlacedHold hold) {
        lock.lock();
        try {
            Kept one = kept.get(hold.id());
            forget(hold.id());
            Released released = now(memory.release("", List.of(hold))).get(0);
            return new Released(hold, released.permits(), one == null || one.isAsked());
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
            owed.addAll(kept.keySet());
        } finally {
            lock.unlock();
        }
    }

    /** How many are kept, expired ones included that were not looked for yet. */
    int size() {
        lock.lock();
        try {
            return kept.size();
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

    /** What Redis is to be told now, by what it has in common: all, or as much as may be told at once. */
    Map<Common, List<PlacedHold>> toTell() {
        lock.lock();
        try {
            Map<Common, List<PlacedHold>> batches = new LinkedHashMap<>();
            long entries = 0;
            Iterator<HoldId> all = owed.iterator();
            while (all.hasNext() && entries < MOST_ENTRIES_AT_ONCE) {
                Kept one = kept.get(all.next());
                Duration left = one == null
                        ? Duration.ZERO
                        : memory.leaseLeft(one.hold()).orElse(Duration.ZERO);
                if (one == null || left.isZero()) {
                    all.remove();
                    continue;
                }
                kept.put(one.hold().id(), one.asked());
                // In whole seconds, so that many have the same.
                Common common = new Common(one.policy(), one.sure(), Duration.ofSeconds(left.toSeconds() + 1));
                batches.computeIfAbsent(common, any -> new ArrayList<>()).add(one.hold());
                entries += one.hold().entries();
            }
            return batches;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Redis was told of them.
     *
     * @param held which of them are held there now
     * @param lease for how long, at the least
     * @return those that are, and are held here no longer, as they were given back meanwhile
     */
    List<PlacedHold> told(List<PlacedHold> holds, boolean[] held, Duration lease) {
        lock.lock();
        try {
            List<PlacedHold> over = new ArrayList<>();
            for (int i = 0; i < held.length; i++) {
                PlacedHold hold = holds.get(i);
                if (held[i] && !known(hold)) {
                    over.add(hold);
                } else if (held[i]) {
                    // Unless it was renewed meanwhile, for longer than Redis was told.
                    memory.leaseLeft(hold)
                            .filter(left -> left.compareTo(lease) > 0)
                            .ifPresent(left -> owed.add(hold.id()));
                } else if (isOwn(hold)) {
                    // Something foreign is there. It counts here until its renewal says that it is lost.
                    owed.remove(hold.id());
                } else {
                    remove(hold);
                }
            }
            return over;
        } finally {
            lock.unlock();
        }
    }

    /** What memory answers it answers at once. */
    private static <T> T now(CompletionStage<T> answer) {
        return answer.toCompletableFuture().join();
    }
}
