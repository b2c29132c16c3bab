package io.headgate.redis.limits.internal.denials;

import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * A map from the stem of a rule's keys to a value that all users of the rule share. The map has weak values: a value without another
 * reference is dropped, so the map does not grow with the names of policies and rules that are no longer used. Safe for use by any
 * number of threads.
 */
public final class WeaklyByStem<T> {

    private final Supplier<T> newValue;
    private final Map<String, OfRule<T>> rules = new ConcurrentHashMap<>();
    private final ReferenceQueue<T> unused = new ReferenceQueue<>();

    /**
     * Creates an empty map.
     *
     * @param newValue creates the value of a rule that has none
     */
    public WeaklyByStem(Supplier<T> newValue) {
        this.newValue = newValue;
    }

    private static final class OfRule<T> extends WeakReference<T> {

        private final String stem;

        OfRule(String stem, T one, ReferenceQueue<T> unused) {
            super(one, unused);
            this.stem = stem;
        }
    }

    /** Returns the value of a rule, and creates it if there is none. It remains in the map while the caller references it. */
    public T of(String stem) {
        removeUnused();
        OfRule<T> known = rules.get(stem);
        T held = known == null ? null : known.get();
        if (held != null) {
            return held;
        }
        T another = newValue.get();
        while (true) {
            OfRule<T> there = rules.compute(
                    stem,
                    (same, other) ->
                            other == null || other.get() == null ? new OfRule<>(stem, another, unused) : other);
            T one = there.get();
            if (one != null) {
                return one;
            }
        }
    }

    /** The value of a rule, if there is one. */
    Optional<T> find(String stem) {
        return Optional.ofNullable(rules.get(stem)).map(Reference::get);
    }

    /** Runs an action for each value. */
    void forEach(Consumer<T> action) {
        for (OfRule<T> rule : rules.values()) {
            T one = rule.get();
            if (one != null) {
                action.accept(one);
            }
        }
    }

    /** The number of rules in the map, which may include some whose value was just dropped. */
    int size() {
        removeUnused();
        return rules.size();
    }

    private void removeUnused() {
        for (Reference<?> gone = unused.poll(); gone != null; gone = unused.poll()) {
            if (gone instanceof OfRule<?> rule) {
                rules.remove(rule.stem, rule);
            }
        }
    }
}
