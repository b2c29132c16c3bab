package io.headgate.limits.internal.inflight;

import io.headgate.limits.Attributes;
import io.headgate.limits.InFlight;
import io.headgate.limits.InFlightCount;
import io.headgate.limits.InFlightPolicy;
import io.headgate.limits.InFlightRule;
import io.headgate.limits.LimiterException;
import io.headgate.limits.TimeSource;
import io.headgate.limits.internal.BoundedId;
import io.headgate.limits.internal.HeapBounds;
import io.headgate.limits.internal.Micros;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A store of holds in memory: as many as fit in an eighth of the heap, at least 10 000 and at most a million. If it is full, requests
 * fail. Expired holds are removed when their place is used, when the number of places has doubled, and when the store is full.
 */
public final class MemoryHolds implements HoldStore {

    /** The number of places up to which only a full store is swept. */
    private static final int FEW = 1024;

    /** The bytes of a hold with a ticket and a place of its own. */
    private static final int BYTES_PER_HOLD = 1000;

    /** The shortest time between two sweeps of a full store. */
    private static final long SWEEP_MICROS = 1_000_000;

    private final TimeSource time;
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, HeldPlace> places = new HashMap<>();
    private final HoldCount count = new HoldCount();
    private final int most;
    private int sweepAtSize = FEW;
    private long sweptMicros;
    private @Nullable Supplier<? extends RuntimeException> whenClosed;

    /** Creates a store whose holds expire by this clock. */
    public MemoryHolds(TimeSource time) {
        this(time, HeapBounds.entries(8, BYTES_PER_HOLD, 10_000, HoldKeeper.MAX_HOLDS));
    }

    /** Creates a store with another bound of holds, for tests. */
    public MemoryHolds(TimeSource time, int most) {
        this.time = time;
        this.most = most;
    }

    @Override
    public List<String> places(InFlightPolicy policy, Attributes attributes) {
        List<String> all = new ArrayList<>();
        for (InFlightRule rule : policy.rules()) {
            StringBuilder place = new StringBuilder(policy.name() + ":" + rule.name() + ":");
            for (String id : attributes.idsOf(rule)) {
                String bounded = BoundedId.of(id);
                place.append(bounded.length()).append(':').append(bounded);
            }
            all.add(place.toString());
        }
        return all;
    }

    @Override
    public CompletionStage<Taken> acquire(InFlightPolicy policy, PlacedHold hold) {
        if (isFull()) {
            return CompletableFuture.failedFuture(full(policy.name()));
        }
        return locked(() -> {
            long now = time.nowMicros();
            boolean allowed = true;
            for (int i = 0; i < hold.places().size(); i++) {
                HeldPlace place = place(hold.places().get(i), now);
                allowed &= place.has(hold.id())
                        || place.permits() + hold.permits()
                                <= policy.rules().get(i).permits();
            }
            if (allowed) {
                HoldCount.One counted = counted(hold);
                for (String name : hold.places()) {
                    HeldPlace place = places.computeIfAbsent(name, any -> new HeldPlace());
                    if (!place.has(hold.id())) {
                        place.put(hold, now + Micros.of(policy.lease()), counted);
                    }
                }
            }
            // Not in doubt, and decided by this process.
            return new Taken(allowed, countsAt(policy, hold.places(), now), false, true);
        });
    }

    /** Returns the failure of a request for which the store has no room. */
    public LimiterException full(String policy) {
        return new LimiterException(
                "hold", "of policy " + policy, "this engine has " + most + " holds; no permit was taken", false, null);
    }

    /** Adds or renews a hold, regardless of the limits. Returns false, and does nothing, if the store is full. */
    public boolean put(PlacedHold hold, Duration lease) {
        if (isFull()) {
            return false;
        }
        lock.lock();
        try {
            HoldCount.One counted = counted(hold);
            long expiresMicros = time.nowMicros() + Micros.of(lease);
            for (String name : hold.places()) {
                HeldPlace place = places.computeIfAbsent(name, any -> new HeldPlace());
                if (!place.renew(hold.id(), expiresMicros)) {
                    place.put(hold, expiresMicros, counted);
                }
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Returns the count of a hold in its other places, which remain after a reset of one; a new count if it is held nowhere. */
    private HoldCount.One counted(PlacedHold hold) {
        for (String name : hold.places()) {
            HeldPlace place = places.get(name);
            if (place != null && place.has(hold.id())) {
                return place.counted(hold.id()).orElseThrow();
            }
        }
        return count.new One();
    }

    /** Returns the time until the lease of a hold expires; empty if it is not held. */
    public Optional<Duration> leaseLeft(PlacedHold hold) {
        lock.lock();
        try {
            long now = time.nowMicros();
            return place(hold.places().get(0), now)
                    .expiryMicros(hold.id())
                    .map(expiry -> Micros.toDuration(expiry - now));
        } finally {
            lock.unlock();
        }
    }

    /** Returns all holds, each once: from its first place. */
    public List<PlacedHold> all() {
        lock.lock();
        try {
            sweep(time.nowMicros());
            return places.entrySet().stream()
                    .flatMap(place -> place.getValue()
                            .holds()
                            .filter(hold -> hold.places().get(0).equals(place.getKey())))
                    .toList();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public CompletionStage<InFlight> peek(InFlightPolicy policy, List<String> names) {
        return locked(() -> countsAt(policy, names, time.nowMicros()));
    }

    private InFlight countsAt(InFlightPolicy policy, List<String> names, long now) {
        List<InFlightCount> counts = new ArrayList<>();
        for (int i = 0; i < names.size(); i++) {
            HeldPlace place = place(names.get(i), now);
            counts.add(new InFlightCount(
                    policy.rules().get(i),
                    place.permits(),
                    place.nextExpiryMicros().map(expiry -> Micros.toDuration(expiry - now))));
        }
        return InFlight.counted(counts, Micros.toInstant(now));
    }

    @Override
    public CompletionStage<boolean[]> renew(Duration lease, long endsMicros, List<PlacedHold> holds) {
        return locked(() -> {
            long now = time.nowMicros();
            boolean[] held = new boolean[holds.size()];
            for (int i = 0; i < held.length; i++) {
                held[i] = true;
                for (String name : holds.get(i).places()) {
                    held[i] &= place(name, now).renew(holds.get(i).id(), Math.min(endsMicros, now + Micros.of(lease)));
                    forgetEmpty(name);
                }
            }
            return held;
        });
    }

    @Override
    public CompletionStage<List<Released>> release(List<PlacedHold> holds) {
        return locked(() -> {
            long now = time.nowMicros();
            return holds.stream().map(hold -> released(hold, now)).toList();
        });
    }

    private Released released(PlacedHold hold, long now) {
        List<Integer> permits = new ArrayList<>();
        for (String name : hold.places()) {
            permits.add((int) place(name, now).remove(hold.id()));
            forgetEmpty(name);
        }
        return new Released(hold, permits);
    }

    @Override
    public CompletionStage<Boolean> reset(String policy, String place) {
        return locked(() -> {
            // Removes expired holds, so that the result does not count them.
            place(place, time.nowMicros());
            HeldPlace held = places.remove(place);
            if (held != null) {
                held.clear();
            }
            return held != null;
        });
    }

    /** Removes all holds. Later requests, peeks, renewals, releases and resets fail with an exception of this supplier. */
    public void close(Supplier<? extends RuntimeException> problem) {
        lock.lock();
        try {
            whenClosed = problem;
            places.clear();
        } finally {
            lock.unlock();
        }
    }

    /** Returns the holds in a place now. An empty place is not stored. */
    private HeldPlace place(String name, long now) {
        HeldPlace place = places.get(name);
        if (place == null) {
            return new HeldPlace();
        }
        place.expire(now);
        forgetEmpty(name);
        return place;
    }

    /** Whether the store is full. Removes expired holds first, if a sweep is due; in a full store, at most once a second. */
    private boolean isFull() {
        lock.lock();
        try {
            long now = time.nowMicros();
            if (places.size() > sweepAtSize || (count.holds() >= most && now - sweptMicros >= SWEEP_MICROS)) {
                sweep(now);
            }
            return count.holds() >= most;
        } finally {
            lock.unlock();
        }
    }

    private void sweep(long now) {
        sweptMicros = now;
        places.values().forEach(place -> place.expire(now));
        places.values().removeIf(HeldPlace::isEmpty);
        sweepAtSize = Math.max(FEW, 2 * places.size());
    }

    /** The number of stored places. */
    public int size() {
        lock.lock();
        try {
            return places.size();
        } finally {
            lock.unlock();
        }
    }

    private void forgetEmpty(String name) {
        places.computeIfPresent(name, (key, place) -> place.isEmpty() ? null : place);
    }

    private <T> CompletionStage<T> locked(Supplier<T> what) {
        lock.lock();
        try {
            return whenClosed == null
                    ? CompletableFuture.completedFuture(what.get())
                    : CompletableFuture.failedFuture(whenClosed.get());
        } finally {
            lock.unlock();
        }
    }
}
