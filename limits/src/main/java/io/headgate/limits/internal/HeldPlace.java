package io.headgate.limits.internal;

import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** What is held in one place, in the order in which it expires. Not safe for use by several threads. */
final class HeldPlace {

    private record Entry(HoldId id, long permits, long expiresMicros) {}

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

    void put(HoldId id, long many, long expiresMicros) {
        remove(id);
        Entry entry = new Entry(id, many, expiresMicros);
        byId.put(id, entry);
        byExpiry.add(entry);
        permits += many;
    }

    boolean remove(HoldId id) {
        @Nullable Entry entry = byId.remove(id);
        if (entry != null) {
            byExpiry.remove(entry);
            permits -= entry.permits();
        }
        return entry != null;
    }
}
