package io.headgate.limits.internal;

import io.headgate.limits.Attributes;
import io.headgate.limits.InFlight;
import io.headgate.limits.InFlightCount;
import io.headgate.limits.InFlightPolicy;
import io.headgate.limits.InFlightRule;
import io.headgate.limits.LimiterException;
import io.headgate.limits.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * Keeps the holds of an engine in memory. There are no more of them than the engine hands out; those that nobody renews, and that
 * are never asked for again, are looked for when there are twice as many places as the last time.
 */
public final class MemoryHolds implements HoldStore {

    private static final int FEW = 1024;

    /** The most places: there are no more holds that an engine renews, but there may be of those that nobody does. */
    private static final int MOST = HoldKeeper.MAX_HOLDS * Bounds.MAX_RULES;

    private static final long SWEEP_MICROS = 1_000_000;

    private final TimeSource time;
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, HeldPlace> places = new HashMap<>();
    private int sweptAt = FEW;
    private long sweptMicros;
    private boolean closed;

    /** Holds that expire by this clock. */
    public MemoryHolds(TimeSource time) {
        this.time = time;
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
            return CompletableFuture.failedFuture(new LimiterException(
                    "hold",
                    "of policy " + policy.name(),
                    "this engine has " + MOST + " places; none was taken",
                    false,
                    null));
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
                for (String name : hold.places()) {
                    HeldPlace place = places.computeIfAbsent(name, any -> new HeldPlace());
                    if (!place.has(hold.id())) {
                        place.put(hold.id(), hold.permits(), now + Micros.of(policy.lease()));
                    }
                }
            }
            return new Taken(allowed, look(policy, hold.places(), now));
        });
    }

    @Override
    public CompletionStage<InFlight> peek(InFlightPolicy policy, List<String> names) {
        return locked(() -> look(policy, names, time.nowMicros()));
    }

    private InFlight look(InFlightPolicy policy, List<String> names, long now) {
        List<InFlightCount> counts = new ArrayList<>();
        for (int i = 0; i < names.size(); i++) {
            HeldPlace place = place(names.get(i), now);
            counts.add(new InFlightCount(
                    policy.rules().get(i),
                    place.permits(),
                    place.nextExpiryMicros().map(expiry -> Micros.toDuration(expiry - now))));
        }
        return new InFlight(counts, Micros.toInstant(now));
    }

    @Override
    public CompletionStage<boolean[]> renew(String policy, Duration lease, long endsMicros, List<PlacedHold> holds) {
        return each(holds, (place, hold, now) -> {
            boolean held = place.has(hold.id());
            if (held) {
                place.put(hold.id(), hold.permits(), Math.min(endsMicros, now + Micros.of(lease)));
            }
            return held;
        });
    }

    @Override
    public CompletionStage<boolean[]> release(String policy, List<PlacedHold> holds) {
        return each(holds, (place, hold, now) -> place.remove(hold.id()));
    }

    @Override
    public CompletionStage<Boolean> reset(String policy, String place) {
        return locked(() -> {
            place(place, time.nowMicros());
            return places.remove(place) != null;
        });
    }

    /** Forgets everything. Who asks afterwards gets an {@link IllegalStateException}. */
    public void close() {
        lock.lock();
        try {
            closed = true;
            places.clear();
        } finally {
            lock.unlock();
        }
    }

    private interface Change {
        boolean of(HeldPlace place, PlacedHold hold, long nowMicros);
    }

    private CompletionStage<boolean[]> each(List<PlacedHold> holds, Change change) {
        return locked(() -> {
            long now = time.nowMicros();
            boolean[] held = new boolean[holds.size()];
            for (int i = 0; i < held.length; i++) {
                held[i] = true;
                for (String name : holds.get(i).places()) {
                    held[i] &= change.of(place(name, now), holds.get(i), now);
                    forgetEmpty(name);
                }
            }
            return held;
        });
    }

    /** What is held in a place now. Where nothing is, it is not kept. */
    private HeldPlace place(String name, long now) {
        HeldPlace place = places.get(name);
        if (place == null) {
            return new HeldPlace();
        }
        place.expire(now);
        forgetEmpty(name);
        return place;
    }

    /** Whether there is no place for another one, also when those are forgotten where nothing is held any more. */
    private boolean isFull() {
        lock.lock();
        try {
            long now = time.nowMicros();
            if (places.size() > sweptAt || (places.size() >= MOST && now - sweptMicros >= SWEEP_MICROS)) {
                sweep(now);
            }
            return places.size() >= MOST;
        } finally {
            lock.unlock();
        }
    }

    private void sweep(long now) {
        sweptMicros = now;
        places.values().forEach(place -> place.expire(now));
        places.values().removeIf(HeldPlace::isEmpty);
        sweptAt = Math.max(FEW, 2 * places.size());
    }

    /** How many places are kept. */
    public int size() {
        lock.lock();
        try {
            return places.size();
        } finally {
            lock.unlock();
        }
    }

    private void forgetEmpty(String name) {
        HeldPlace place = places.get(name);
        if (place != null && place.isEmpty()) {
            places.remove(name);
        }
    }

    private <T> CompletionStage<T> locked(Supplier<T> what) {
        lock.lock();
        try {
            if (closed) {
                throw new IllegalStateException("the engine is closed");
            }
            return CompletableFuture.completedFuture(what.get());
        } finally {
            lock.unlock();
        }
    }
}
