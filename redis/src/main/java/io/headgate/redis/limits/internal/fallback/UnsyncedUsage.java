package io.headgate.redis.limits.internal.fallback;

import io.headgate.limits.Attributes;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The permits, by key, that one rule admitted without Redis and that are not charged there yet. All rules of an engine share a budget of
 * bytes; usage beyond it is never charged. Safe for use by several threads.
 */
final class UnsyncedUsage {

    /** The bytes of an entry without the characters of its key and attributes: map nodes, records, strings, a map of attributes. */
    private static final int BYTES_PER_ENTRY = 350;

    private final ByteBudget budget;
    private final Map<String, Spent> byKey = new ConcurrentHashMap<>();

    /**
     * Creates an instance without usage.
     *
     * @param budget the memory that all rules of the engine share
     */
    UnsyncedUsage(ByteBudget budget) {
        this.budget = budget;
    }

    /** The bytes that the usage of several rules may take in total. Safe for use by several threads. */
    static final class ByteBudget {

        private final AtomicLong remaining;

        ByteBudget(long bytes) {
            this.remaining = new AtomicLong(bytes);
        }

        /** Takes bytes from the budget. Returns false and takes none if fewer remain. */
        boolean take(long bytes) {
            if (remaining.addAndGet(-bytes) >= 0) {
                return true;
            }
            remaining.addAndGet(bytes);
            return false;
        }

        void release(long bytes) {
            remaining.addAndGet(bytes);
        }

        long remaining() {
            return remaining.get();
        }
    }

    /** The bytes of an entry. Each character counts as two bytes, which most alphabets need. */
    static long bytes(String key, Attributes attributes) {
        long characters = key.length();
        for (Map.Entry<String, String> one : attributes.asMap().entrySet()) {
            characters += one.getKey().length() + one.getValue().length();
        }
        return BYTES_PER_ENTRY + 2 * characters;
    }

    /** The uncharged permits of a key, and when the latest were spent. */
    record Spent(Attributes attributes, long permits, long latestMicros) {

        private Spent minus(long charged) {
            return new Spent(attributes, permits - charged, latestMicros);
        }
    }

    /** Adds permits that were admitted without Redis. */
    void add(String key, Attributes attributes, long permits, long nowMicros) {
        byKey.compute(key, (same, before) -> {
            if (before != null) {
                return new Spent(before.attributes(), before.permits() + permits, nowMicros);
            }
            return budget.take(bytes(key, attributes)) ? new Spent(attributes, permits, nowMicros) : null;
        });
    }

    /** Removes permits that Redis has charged after all, or that were refunded, and returns how many of them were uncharged. */
    long remove(String key, long permits) {
        AtomicLong removed = new AtomicLong();
        byKey.computeIfPresent(key, (same, before) -> {
            removed.set(Math.min(permits, before.permits()));
            if (before.permits() > permits) {
                return before.minus(permits);
            }
            budget.release(bytes(key, before.attributes()));
            return null;
        });
        return removed.get();
    }

    boolean isEmpty() {
        return byKey.isEmpty();
    }

    int size() {
        return byKey.size();
    }

    /** Removes the usage of up to this number of keys, none of it newer than that time, and returns it so that it is charged. */
    List<Map.Entry<String, Spent>> take(int upTo, long untouchedSinceMicros) {
        List<Map.Entry<String, Spent>> taken = new ArrayList<>();
        Iterator<Map.Entry<String, Spent>> all = byKey.entrySet().iterator();
        while (taken.size() < upTo && all.hasNext()) {
            Map.Entry<String, Spent> one = all.next();
            // Permits that another thread adds before the removal are taken, too.
            Spent spent = one.getValue().latestMicros() <= untouchedSinceMicros ? byKey.remove(one.getKey()) : null;
            if (spent != null) {
                budget.release(bytes(one.getKey(), spent.attributes()));
                taken.add(Map.entry(one.getKey(), spent));
            }
        }
        return taken;
    }
}
