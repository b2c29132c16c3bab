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
 * A map from the stem of a rule's keys to a value that all holders of the rule share, with weak values: a value without a strong
 * reference is dropped, so the map does not grow with the names that policies and rules have had. Safe for use by any number of
 * threads.
 */
public final class WeaklyByStem<T> {

    private final Supplier<T> fresh;
    private final Map<String, OfRule<T>> rules = new ConcurrentHashMap<>();
    private final ReferenceQueue<T> unused = new ReferenceQueue<>();

    /**
     * An empty map.
     *
     * @param fresh makes the value of another rule
     */
    public WeaklyByStem(Supplier<T> fresh) {
        this.fresh = fresh;
    }

    private static final class OfRule<T> extends WeakReference<T> {

        private final String stem;

        OfRule(String stem, T one, ReferenceQueue<T> unused) {
            super(one, unused);
            this.stem = stem;
        }
    }

    /** The value of a rule, which is made where there is none. It stays in the map while the caller holds it. */
    public T of(String stem) {
        removeUnused();
        OfRule<T> known = rules.get(stem);
        T held = known == null ? null : known.get();
        if (held != null) {
            return held;
        }
        T another = fresh.get();
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

    /** How many rules have a value, or had until just now. */
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
