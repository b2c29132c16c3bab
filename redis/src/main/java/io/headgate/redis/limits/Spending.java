package io.headgate.redis.limits;

import io.headgate.limits.Attributes;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What was admitted under one rule without Redis, by key, until it is charged there. All rules of an engine share a budget of bytes;
 * what is admitted of keys for which nothing is left is not charged later.
 */
final class Spending {

    /** What an entry takes without the letters of its key and its attributes: map nodes, records, strings, a map of attributes. */
    private static final int BYTES_PER_ENTRY = 350;

    private final ByteBudget budget;
    private final Map<String, Spent> byKey = new ConcurrentHashMap<>();

    /**
     * Nothing yet.
     *
     * @param budget what all rules of the engine may take together
     */
    Spending(ByteBudget budget) {
        this.budget = budget;
    }

    /** Two bytes a letter, as many alphabets need. */
    static long bytes(String key, Attributes attributes) {
        long letters = key.length();
        for (Map.Entry<String, String> one : attributes.asMap().entrySet()) {
            letters += one.getKey().length() + one.getValue().length();
        }
        return BYTES_PER_ENTRY + 2 * letters;
    }

    /** How many permits of whom, and when the latest were spent. */
    record Spent(Attributes attributes, long permits, long latestMicros) {

        private Spent less(long charged) {
            return new Spent(attributes, permits - charged, latestMicros);
        }
    }

    /** Permits were spent. */
    void add(String key, Attributes attributes, long permits, long nowMicros) {
        byKey.compute(key, (same, had) -> {
            if (had != null) {
                return new Spent(had.attributes(), had.permits() + permits, nowMicros);
            }
            return budget.take(bytes(key, attributes)) ? new Spent(attributes, permits, nowMicros) : null;
        });
    }

    /** So many of them turned out to be charged after all. */
    void charged(String key, long permits) {
        byKey.computeIfPresent(key, (same, had) -> {
            if (had.permits() > permits) {
                return had.less(permits);
            }
            budget.giveBack(bytes(key, had.attributes()));
            return null;
        });
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
                budget.giveBack(bytes(one.getKey(), spent.attributes()));
                taken.add(Map.entry(one.getKey(), spent));
            }
        }
        return taken;
    }
}
