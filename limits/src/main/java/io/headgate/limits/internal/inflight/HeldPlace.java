package io.headgate.limits.internal.inflight;

import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The holds in one {@linkplain HoldStore place}, that is under one rule with the ids that it counts, in the order in which they expire. Not
 * safe for use by several threads.
 */
final class HeldPlace {

    private record Entry(PlacedHold hold, long expiresMicros, HoldCount.One counted) {

        HoldId id() {
            return hold.id();
        }
    }

    private final Map<HoldId, Entry> byId = new HashMap<>();
    private final TreeSet<Entry> byExpiry = new TreeSet<>(Comparator.comparingLong(Entry::expiresMicros)
            .thenComparingLong(entry -> entry.id().engine())
            .thenComparingLong(entry -> entry.id().number()));
    private long permits;

    /** Removes the holds that have expired by this time. */
    void expire(long nowMicros) {
        while (!byExpiry.isEmpty() && byExpiry.first().expiresMicros() <= nowMicros) {
            remove(byExpiry.first().id());
        }
    }

    boolean has(HoldId id) {
        return byId.containsKey(id);
    }

    boolean isEmpty() {
        return byId.isEmpty();
    }

    long permits() {
        return permits;
    }

    Optional<Long> nextExpiryMicros() {
        return byExpiry.isEmpty()
                ? Optional.empty()
                : Optional.of(byExpiry.first().expiresMicros());
    }

    /**
     * Adds a hold.
     *
     * @param counted the number of places that have the hold; raised here, and lowered when the hold is removed from this place
     */
    void put(PlacedHold hold, long expiresMicros, HoldCount.One counted) {
        // Before the removal, so that a hold that is added again is never in no place.
        counted.put();
        remove(hold.id());
        Entry entry = new Entry(hold, expiresMicros, counted);
        byId.put(hold.id(), entry);
        byExpiry.add(entry);
        permits += hold.permits();
    }

    Stream<PlacedHold> holds() {
        return byExpiry.stream().map(Entry::hold);
    }

    /** Returns the time at which a hold expires; empty if it is not held. */
    Optional<Long> expiryMicros(HoldId id) {
        return Optional.ofNullable(byId.get(id)).map(Entry::expiresMicros);
    }

    /** Returns the count of a hold, which all of its places share; empty if it is not held. */
    Optional<HoldCount.One> counted(HoldId id) {
        return Optional.ofNullable(byId.get(id)).map(Entry::counted);
    }

    /** Sets a new expiry of a hold; returns whether it was held. */
    boolean renew(HoldId id, long expiresMicros) {
        Entry entry = byId.get(id);
        if (entry != null) {
            put(entry.hold(), expiresMicros, entry.counted());
        }
        return entry != null;
    }

    /** Removes a hold; returns the number of its permits. */
    long remove(HoldId id) {
        @Nullable Entry entry = byId.remove(id);
        if (entry == null) {
            return 0;
        }
        byExpiry.remove(entry);
        permits -= entry.hold().permits();
        entry.counted().removed();
        return entry.hold().permits();
    }

    /** Removes all holds. */
    void clear() {
        expire(Long.MAX_VALUE);
    }
}
