package io.headgate.redis.limits;

import io.headgate.limits.Attributes;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What was admitted under one rule without Redis, by key, until it is charged there. It keeps so many keys at most; what is admitted of
 * others is not charged later.
 */
final class Spending {

    private final int most;
    private final Map<String, Spent> byKey = new ConcurrentHashMap<>();

    Spending(int most) {
        this.most = most;
    }

    /** How many permits of whom, and when the latest were spent. */
    record Spent(Attributes attributes, long permits, long latestMicros) {

        private Spent less(long charged) {
            return new Spent(attributes, permits - charged, latestMicros);
        }
    }

    /** Permits were spent. */
    void add(String key, Attributes attributes, long permits, long nowMicros) {
        if (byKey.size() < most || byKey.containsKey(key)) {
            byKey.merge(
                    key,
                    new Spent(attributes, permits, nowMicros),
                    (had, more) -> new Spent(had.attributes(), had.permits() + permits, nowMicros));
        }
    }

    /** So many of them turned out to be charged after all. */
    void charged(String key, long permits) {
        byKey.computeIfPresent(key, (same, had) -> had.permits() <= permits ? null : had.less(permits));
    }

    boolean isEmpty() {
        return byKey.isEmpty();
    }

    int size() {
        return byKey.size();
    }

    /** Takes up to so many keys of which nothing was spent since then, to be charged. */
    List<Map.Entry<String, Spent>> take(int upTo, long untouchedSinceMicros) {
        List<Map.Entry<String, Spent>> taken = new ArrayList<>();
        Iterator<Map.Entry<String, Spent>> all = byKey.entrySet().iterator();
        while (taken.size() < upTo && all.hasNext()) {
            Map.Entry<String, Spent> one = all.next();
            // What was added meanwhile is taken, too.
            Spent spent = one.getValue().latestMicros() <= untouchedSinceMicros ? byKey.remove(one.getKey()) : null;
            if (spent != null) {
                taken.add(Map.entry(one.getKey(), spent));
            }
        }
        return taken;
    }
}
