package io.headgate.redis.limits.internal.inflight;

import io.headgate.limits.InFlight;
import io.headgate.limits.InFlightPolicy;
import io.headgate.limits.internal.inflight.HoldId;
import io.headgate.limits.internal.inflight.HoldStore;
import io.headgate.limits.internal.inflight.MemoryHolds;
import io.headgate.limits.internal.inflight.PlacedHold;
import io.headgate.limits.internal.inflight.Released;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * The holds of this instance, as far as it knows, whether Redis knows them or not; local shares count by them. Some are unsynced: Redis
 * does not know them yet, or may have lost them. A hold whose lease expires here is forgotten.
 *
 * <p>Safe for use by several threads: one lock guards all state, and no call to Redis is made under it.
 */
final class LocalHolds {

    private static final int MIN_SWEEP_SIZE = 1024;
    private static final int MAX_ENTRIES_AT_ONCE = 10_000;

    /**
     * A hold.
     *
     * @param certain whether it is held even if Redis does not know it. A hold by ticket is certain only until Redis knows it, as
     *     another instance may release it from then on
     * @param redisMayKnow whether Redis may know it
     */
    private record Kept(String policy, PlacedHold hold, boolean certain, boolean redisMayKnow) {}

    /** What the holds of a batch have in common. */
    record Batch(String policy, boolean certain, Duration lease) {}

    private final long engine;
    private final MemoryHolds memory;
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<HoldId, Kept> kept = new HashMap<>();

    /** A subset of the kept holds, in the order of their synchronization. */
    private final Set<HoldId> unsynced = new LinkedHashSet<>();

    private int sweepAtSize = MIN_SWEEP_SIZE;

    /**
     * Creates an instance without holds, which the memory counts and expires.
     *
     * @param engine the engine in the ids of its own holds, which no other engine renews or releases
     */
    LocalHolds(long engine, MemoryHolds memory) {
        this.engine = engine;
        this.memory = memory;
    }

    private boolean isOwn(PlacedHold hold) {
        return hold.id().engine() == engine;
    }

    /**
     * Acquires permits without Redis; the hold is unsynced.
     *
     * @param redisMayKnow whether Redis was called, and may have granted it
     */
    HoldStore.Taken acquire(InFlightPolicy limits, PlacedHold hold, boolean redisMayKnow) {
        lock.lock();
        try {
            HoldStore.Taken taken = now(memory.acquire(limits, hold));
            if (taken.allowed()) {
                addUnsynced(new Kept(limits.name(), hold, true, redisMayKnow));
            }
            return taken;
        } finally {
            lock.unlock();
        }
    }

    /** Acquires permits without Redis, whatever the limits; the hold is unsynced. */
    void acquireUnlimited(InFlightPolicy policy, PlacedHold hold, boolean redisMayKnow) {
        lock.lock();
        try {
            memory.put(hold, policy.lease());
            addUnsynced(new Kept(policy.name(), hold, true, redisMayKnow));
        } finally {
            lock.unlock();
        }
    }

    /** Adds a hold that Redis has granted. */
    void addGranted(InFlightPolicy policy, PlacedHold hold) {
        lock.lock();
        try {
            memory.put(hold, policy.lease());
            add(new Kept(policy.name(), hold, isOwn(hold), true));
        } finally {
            lock.unlock();
        }
    }

    private void addUnsynced(Kept one) {
        add(one);
        unsynced.add(one.hold().id());
    }

    private void add(Kept one) {
        if (kept.size() > sweepAtSize) {
            kept.values().removeIf(it -> memory.leaseLeft(it.hold()).isEmpty());
            unsynced.retainAll(kept.keySet());
            sweepAtSize = Math.max(MIN_SWEEP_SIZE, 2 * kept.size());
        }
        kept.put(one.hold().id(), one);
    }

    /** Redis knows the hold; returns whether it is still held here. */
    boolean synced(PlacedHold hold) {
        lock.lock();
        try {
            unsynced.remove(hold.id());
            return kept.computeIfPresent(
                            hold.id(),
                            (id, one) -> new Kept(one.policy(), one.hold(), one.certain() && isOwn(hold), true))
                    != null;
        } finally {
            lock.unlock();
        }
    }

    /** What is held here under these limits. */
    InFlight peek(InFlightPolicy limits, List<String> places) {
        return now(memory.peek(limits, places));
    }

    /** Whether the hold is certain, and Redis may not know it. */
    boolean isUnsynced(PlacedHold hold) {
        return locked(() -> {
            Kept one = kept.get(hold.id());
            return one != null && one.certain() && unsynced.contains(hold.id());
        });
    }

    /** Renews the lease of a hold here, but not beyond the end; returns whether it is held. */
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
     * Renews a lease without Redis, which is unsynced; returns whether the hold is held. The hold of another engine need not be known here: a
     * client renews it by its ticket. An unknown hold of this engine was released.
     */
    boolean renewWithoutRedis(String policy, Duration lease, long endsMicros, PlacedHold hold) {
        lock.lock();
        try {
            if (!kept.containsKey(hold.id()) && !isOwn(hold)) {
                memory.put(hold, lease);
                addUnsynced(new Kept(policy, hold, false, true));
            }
            boolean held = extend(hold, lease, endsMicros);
            if (held) {
                unsynced.add(hold.id());
            } else {
                kept.remove(hold.id());
                unsynced.remove(hold.id());
            }
            return held;
        } finally {
            lock.unlock();
        }
    }

    /** Releases a hold here; the result is in doubt when it may be held in Redis. */
    Released release(PlacedHold hold) {
        lock.lock();
        try {
            Kept one = kept.remove(hold.id());
            unsynced.remove(hold.id());
            Released released = now(memory.release("", List.of(hold))).get(0);
            return new Released(hold, released.permits(), one == null || one.redisMayKnow());
        } finally {
            lock.unlock();
        }
    }

    /** Releases all holds in a place here. */
    void reset(String place) {
        lock.lock();
        try {
            for (Kept one : List.copyOf(kept.values())) {
                if (one.hold().places().contains(place)) {
                    release(one.hold());
                }
            }
        } finally {
            lock.unlock();
        }
    }

    /** Makes all holds unsynced, as Redis may have lost any. */
    void markAllUnsynced() {
        locked(() -> unsynced.addAll(kept.keySet()));
    }

    /** The number of kept holds, including expired ones that are not removed yet. */
    int size() {
        return locked(kept::size);
    }

    boolean isSynced() {
        return locked(unsynced::isEmpty);
    }

    /** Unsynced holds to send to Redis now, in batches: all, or as many as may be sent at once. */
    Map<Batch, List<PlacedHold>> nextBatches() {
        lock.lock();
        try {
            Map<Batch, List<PlacedHold>> batches = new LinkedHashMap<>();
            long entries = 0;
            for (Iterator<HoldId> all = unsynced.iterator(); all.hasNext() && entries < MAX_ENTRIES_AT_ONCE; ) {
                Kept one = kept.get(all.next());
                Duration left = one == null
                        ? Duration.ZERO
                        : memory.leaseLeft(one.hold()).orElse(Duration.ZERO);
                if (one == null || left.isZero()) {
                    all.remove();
                    continue;
                }
                kept.put(one.hold().id(), new Kept(one.policy(), one.hold(), one.certain(), true));
                // In whole seconds, so that many holds share a batch.
                Batch batch = new Batch(one.policy(), one.certain(), Duration.ofSeconds(left.toSeconds() + 1));
                batches.computeIfAbsent(batch, any -> new ArrayList<>()).add(one.hold());
                entries += one.hold().entries();
            }
            return batches;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Redis has replied to a hold that was sent.
     *
     * @param isHeld whether it is held there now
     * @param lease for how long, at least
     * @return whether it is held there, but was released here meanwhile
     */
    boolean replied(PlacedHold hold, boolean isHeld, Duration lease) {
        lock.lock();
        try {
            if (isHeld && !synced(hold)) {
                return true;
            }
            if (isHeld) {
                // A renewal meanwhile may have extended it beyond the lease that was sent.
                memory.leaseLeft(hold)
                        .filter(left -> left.compareTo(lease) > 0)
                        .ifPresent(left -> unsynced.add(hold.id()));
            } else if (isOwn(hold)) {
                // Its key has a foreign value. It counts here until a renewal finds that it is lost.
                unsynced.remove(hold.id());
            } else {
                release(hold);
            }
            return false;
        } finally {
            lock.unlock();
        }
    }

    /** For what does not happen with every hold. */
    private <T> T locked(Supplier<T> action) {
        lock.lock();
        try {
            return action.get();
        } finally {
            lock.unlock();
        }
    }

    /** The store in memory replies at once. */
    private static <T> T now(CompletionStage<T> answer) {
        return answer.toCompletableFuture().join();
    }
}
