package io.headgate.limits.internal.inflight;

import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** What is held in one place, in the order in which it expires. Not safe for use by several threads. */
final class HeldPlace {

    private record Entry(HoldId id, long permits, long expiresMicros, HoldCount.One counted) {}

    private final Map<HoldId, Entry> byId = new HashMap<>();
    private final TreeSet<Entry> byExpiry = new TreeSet<>(Comparator.comparingLong(Entry::expiresMicros)
            .thenComparingLong(entry -> entry.id().engine())
            .thenComparingLong(entry -> entry.id().number()));
    private long permits;

    /** Forgets what has expired: what expires at that time has. */
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
     * Puts a hold there.
     *
     * @param counted is told of it, and when it is removed
     */
    void put(HoldId id, long many, long expiresMicros, HoldCount.One counted) {
        counted.put();
        remove(id);
        Entry entry = new Entry(id, many, expiresMicros, counted);
        byId.put(id, entry);
        byExpiry.add(entry);
        permits += many;
    }

    /** When it expires, if it is held. */
    Optional<Long> expiryMicros(HoldId id) {
        return Optional.ofNullable(byId.get(id)).map(Entry::expiresMicros);
    }

    /** Has a hold last until then, with the permits that it has; says whether it was held. */
    boolean renew(HoldId id, long expiresMicros) {
        Entry entry = byId.get(id);
        if (entry != null) {
            put(id, entry.permits(), expiresMicros, entry.counted());
        }
        return entry != null;
    }

    /** Removes a hold; says how many permits it had. */
    long remove(HoldId id) {
        @Nullable Entry entry = byId.remove(id);
        if (entry == null) {
            return 0;
        }
        byExpiry.remove(entry);
        permits -= entry.permits();
        entry.counted().removed();
        return entry.permits();
    }

    /** Removes all. */
    void clear() {
        expire(Long.MAX_VALUE);
    }
}
