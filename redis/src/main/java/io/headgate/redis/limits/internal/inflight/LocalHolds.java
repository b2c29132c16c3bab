package io.headgate.redis.limits.internal.inflight;

import io.headgate.limits.InFlight;
import io.headgate.limits.InFlightPolicy;
import io.headgate.limits.LimiterException;
import io.headgate.limits.internal.inflight.HoldId;
import io.headgate.limits.internal.inflight.MemoryHolds;
import io.headgate.limits.internal.inflight.PlacedHold;
import io.headgate.limits.internal.inflight.Released;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * The holds of this instance, in memory, which count against its local shares. A hold is unsynced while Redis may lack it, or may have a
 * shorter lease; {@link Sync} states which. Expired holds are dropped.
 *
 * <p>Safe for use by several threads: one lock guards the unsynced holds, the store in memory has its own, and no call to Redis is made
 * under either.
 */
final class LocalHolds {

    private static final int MIN_SWEEP_SIZE = 1024;
    private static final int MAX_ENTRIES_AT_ONCE = 10_000;

    /** Why a hold is unsynced. */
    private enum Sync {

        /** Redis certainly lacks the hold, and must store it. */
        UNSENT,

        /** Redis may lack the hold, and must store it again: no other instance can have released it. */
        UNCONFIRMED,

        /** The lease in Redis may be shorter. It is extended, but a missing hold is not stored: another instance may have released it. */
        OUTDATED
    }

    private record Unsynced(PlacedHold hold, Sync sync) {}

    /**
     * The properties that all holds of a batch share.
     *
     * @param storesMissing whether Redis stores holds that it lacks; false if it only extends leases
     */
    record Batch(boolean storesMissing, Duration lease, String policy) {}

    private final long engine;
    private final MemoryHolds memory;
    private final ReentrantLock lock = new ReentrantLock();

    /** The unsynced holds, in the order in which they are sent. */
    private final Map<HoldId, Unsynced> unsynced = new LinkedHashMap<>();

    private int sweepAtSize = MIN_SWEEP_SIZE;

    /**
     * Creates an instance without holds.
     *
     * @param engine the engine in the ids of its own holds; other ids are those of tickets, which any instance may renew and release
     * @param memory counts the holds, and expires them
     */
    LocalHolds(long engine, MemoryHolds memory) {
        this.engine = engine;
        this.memory = memory;
    }

    /**
     * Acquires permits without Redis, and returns whether they were free.
     *
     * @param mayBeGranted whether Redis was called, and may have granted the hold
     */
    boolean acquire(InFlightPolicy limits, PlacedHold hold, boolean mayBeGranted) {
        return locked(() -> {
            boolean allowed = resultOf(memory.acquire(limits, hold)).allowed();
            if (allowed) {
                setUnsynced(hold, mayBeGranted ? Sync.UNCONFIRMED : Sync.UNSENT);
            }
            return allowed;
        });
    }

    /**
     * Acquires permits without Redis, even beyond the limits.
     *
     * @throws LimiterException if the store in memory is full: a hold that it lacks would be lost at its first renewal
     */
    boolean acquireUnlimited(PlacedHold hold, Duration lease, boolean mayBeGranted) {
        return locked(() -> {
            if (!memory.put(hold, lease)) {
                throw memory.full(hold.policy());
            }
            setUnsynced(hold, mayBeGranted ? Sync.UNCONFIRMED : Sync.UNSENT);
            return true;
        });
    }

    /** Adds a hold that Redis has granted; does nothing if the store in memory is full. */
    void addGranted(PlacedHold hold, Duration lease) {
        memory.put(hold, lease);
    }

    private void setUnsynced(PlacedHold hold, Sync sync) {
        unsynced.put(hold.id(), new Unsynced(hold, sync));
        if (unsynced.size() > sweepAtSize) {
            unsynced.values().removeIf(one -> !isHeld(one.hold()));
            sweepAtSize = Math.max(MIN_SWEEP_SIZE, 2 * unsynced.size());
        }
    }

    /** Makes a hold unsynced, because Redis may have lost it or has a shorter lease. */
    private void unsync(PlacedHold hold) {
        if (!unsynced.containsKey(hold.id())) {
            setUnsynced(hold, isOwn(hold) ? Sync.UNCONFIRMED : Sync.OUTDATED);
        }
    }

    private boolean isOwn(PlacedHold hold) {
        return hold.id().engine() == engine;
    }

    private boolean isHeld(PlacedHold hold) {
        return memory.leaseLeft(hold).isPresent();
    }

    /** Makes a hold synced, because Redis has it; returns whether it is still held here. */
    boolean synced(PlacedHold hold) {
        return locked(() -> {
            unsynced.remove(hold.id());
            return isHeld(hold);
        });
    }

    /** Makes all holds unsynced, as Redis may have lost any. */
    void unsyncAll() {
        locked(() -> {
            memory.all().forEach(this::unsync);
            return true;
        });
    }

    /** Counts the permits that are held here under these limits. */
    InFlight peek(InFlightPolicy limits, List<String> places) {
        return resultOf(memory.peek(limits, places));
    }

    /** Whether this hold is valid even if Redis lacks it. */
    boolean isValidWithoutRedis(PlacedHold hold) {
        return locked(() -> {
            Unsynced one = unsynced.get(hold.id());
            return one != null && one.sync() != Sync.OUTDATED;
        });
    }

    /** Extends a lease here, but not beyond {@code endsMicros}; returns whether the hold is held here. */
    boolean extend(PlacedHold hold, Duration lease, long endsMicros) {
        return locked(() -> resultOf(memory.renew(lease, endsMicros, List.of(hold)))[0] && isHeld(hold));
    }

    /**
     * Renews a lease without Redis; returns whether the hold is held. A ticket of another instance is unknown here, and is trusted. An
     * unknown hold of this engine was released or has expired.
     */
    boolean renewWithoutRedis(PlacedHold hold, Duration lease, long endsMicros) {
        return locked(() -> {
            if (!isOwn(hold) && !isHeld(hold) && !unsynced.containsKey(hold.id())) {
                memory.put(hold, lease);
            }
            boolean held = extend(hold, lease, endsMicros);
            if (held) {
                unsync(hold);
            } else {
                release(hold);
            }
            return held;
        });
    }

    /** Releases a hold here; the result is in doubt if Redis may have the hold. */
    Released release(PlacedHold hold) {
        return locked(() -> {
            Unsynced before = unsynced.remove(hold.id());
            Released released = resultOf(memory.release(List.of(hold))).get(0);
            return new Released(hold, released.permits(), before == null || before.sync() != Sync.UNSENT);
        });
    }

    /** Releases all holds in a place here. */
    void reset(String place) {
        memory.all().stream().filter(hold -> hold.places().contains(place)).forEach(this::release);
    }

    /** The number of unsynced holds, including expired ones that are not removed yet. */
    int unsynced() {
        return locked(unsynced::size);
    }

    /** Returns the unsynced holds to send to Redis now, in batches: all, or as many as may be in flight. */
    Map<Batch, List<PlacedHold>> nextBatches() {
        return locked(() -> {
            Map<Batch, List<PlacedHold>> batches = new LinkedHashMap<>();
            long entries = 0;
            Iterator<Map.Entry<HoldId, Unsynced>> all = unsynced.entrySet().iterator();
            while (all.hasNext() && entries < MAX_ENTRIES_AT_ONCE) {
                Map.Entry<HoldId, Unsynced> entry = all.next();
                PlacedHold hold = entry.getValue().hold();
                Duration left = memory.leaseLeft(hold).orElse(Duration.ZERO);
                if (left.isZero()) {
                    all.remove();
                    continue;
                }
                boolean storesMissing = entry.getValue().sync() != Sync.OUTDATED;
                if (storesMissing) {
                    entry.setValue(new Unsynced(hold, Sync.UNCONFIRMED));
                }
                // In whole seconds, so that many holds share a batch.
                Batch batch = new Batch(storesMissing, Duration.ofSeconds(left.toSeconds() + 1), hold.policy());
                batches.computeIfAbsent(batch, any -> new ArrayList<>()).add(hold);
                entries += hold.entries();
            }
            return batches;
        });
    }

    /**
     * Handles the reply of Redis to a hold that was sent.
     *
     * @param inRedis whether Redis has the hold now
     * @param lease the minimum lease of the hold in Redis now
     * @return whether the hold must be released in Redis, because it was released here meanwhile
     */
    boolean replied(PlacedHold hold, boolean inRedis, Duration lease) {
        return locked(() -> {
            boolean held = synced(hold);
            if (inRedis && held && memory.leaseLeft(hold).orElse(Duration.ZERO).compareTo(lease) > 0) {
                // A renewal meanwhile has extended it.
                unsync(hold);
            } else if (!inRedis && !isOwn(hold)) {
                release(hold);
            }
            // If Redis lacks a hold of this engine, the key has a foreign value. The hold counts here until Redis
            // replies to a renewal that it lacks the hold.
            return inRedis && !held;
        });
    }

    private <T> T locked(Supplier<T> action) {
        lock.lock();
        try {
            return action.get();
        } finally {
            lock.unlock();
        }
    }

    /** The result of a call to the store in memory, which completes immediately. */
    private static <T> T resultOf(CompletionStage<T> answer) {
        return answer.toCompletableFuture().join();
    }
}
