package io.headgate.redis.limits.internal.denials;

import io.headgate.limits.Rule;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A bounded number of cached denials of one rule: for each key, one for each limit that denied it. Nearly all keys have one limit, so a map
 * has the first denial of each key, and further ones are linked to it. Safe for use by any number of threads: the list of a key is
 * immutable, and is replaced by compare-and-set.
 */
final class DenialGeneration {

    /** The maximum number of limits with a denial of one key, so that a lookup remains short. */
    static final int MAX_LIMITS = 16;

    private final int max;
    private final Map<Object, Denial> byKey = new ConcurrentHashMap<>();

    /** How many denials follow the first one of their key. */
    private final AtomicInteger further = new AtomicInteger();

    /** Creates an instance without denials, for at most {@code max} of them. */
    DenialGeneration(int max) {
        this.max = max;
    }

    /** How many denials are cached. */
    int size() {
        return byKey.size() + further.get();
    }

    boolean isEmpty() {
        return byKey.isEmpty();
    }

    /** The denial of a key under the limit of a rule; null if there is none. */
    @Nullable
    Denial get(Object key, Rule rule) {
        Denial denial = byKey.get(key);
        while (denial != null && !denial.isOf(rule)) {
            denial = denial.next();
        }
        return denial;
    }

    /** Whether there is room for another denial, or the key already has one, which may be replaced. */
    boolean hasRoomFor(Object key) {
        return hasRoom() || byKey.containsKey(key);
    }

    private boolean hasRoom() {
        return size() < max;
    }

    /** Caches a denial, for which {@link #hasRoomFor} returned true, in place of an earlier one under the same limit. */
    @SuppressWarnings("ReferenceEquality") // the same list: there was no denial to replace
    void put(Object key, Denial denial) {
        Denial first = byKey.putIfAbsent(key, denial);
        while (first != null) {
            Denial others = first.without(denial.decision().rule());
            if ((others == first && (!hasRoom() || first.following() + 1 >= MAX_LIMITS))
                    || replace(key, first, denial.before(others))) {
                return;
            }
            first = byKey.putIfAbsent(key, denial);
        }
    }

    /** Drops the denials of a key that may be wrong after a request for this many permits was admitted under a rule. */
    @SuppressWarnings("ReferenceEquality") // the same list: there was no denial to remove
    void admitted(Object key, Rule rule, long permits) {
        while (true) {
            Denial first = byKey.get(key);
            Denial others = first == null ? null : first.withoutEnded(rule, permits);
            if (first == null || others == first || replace(key, first, others)) {
                return;
            }
        }
    }

    /** Drops the denials of a key under all limits. */
    void drop(Object key) {
        Denial first = byKey.remove(key);
        if (first != null) {
            addFurther(-first.following());
        }
    }

    /** Drops all denials. */
    void clear() {
        byKey.keySet().forEach(this::drop);
    }

    /** Replaces the list of a key, or removes it if there is no other one; returns false if it has changed meanwhile. */
    private boolean replace(Object key, Denial first, @Nullable Denial other) {
        boolean isReplaced = other == null ? byKey.remove(key, first) : byKey.replace(key, first, other);
        if (isReplaced) {
            addFurther((other == null ? 0 : other.following()) - first.following());
        }
        return isReplaced;
    }

    private void addFurther(int count) {
        if (count != 0) {
            further.addAndGet(count);
        }
    }
}
