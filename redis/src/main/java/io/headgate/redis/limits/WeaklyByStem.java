package io.headgate.redis.limits;

import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Something of each rule, by the stem of the rule's keys, which is shared by all who have the rule. Where nobody keeps it any more
 * it is gone, whatever names policies and rules have had. Safe for use by any number of threads.
 */
final class WeaklyByStem<T> {

    private final Supplier<T> fresh;
    private final Map<String, OfRule<T>> rules = new ConcurrentHashMap<>();
    private final ReferenceQueue<T> unused = new ReferenceQueue<>();

    /**
     * Of no rule yet.
     *
     * @param fresh makes that of another rule
     */
    WeaklyByStem(Supplier<T> fresh) {
        this.fresh = fresh;
    }

    private static final class OfRule<T> extends WeakReference<T> {

        private final String stem;

        OfRule(String stem, T one, ReferenceQueue<T> unused) {
            super(one, unused);
            this.stem = stem;
        }
    }

    /** That of a rule, for as long as somebody keeps it. */
    T of(String stem) {
        removeUnused();
        OfRule<T> known = rules.get(stem);
        T kept = known == null ? null : known.get();
        if (kept != null) {
            return kept;
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

    /** The same, where somebody keeps it. */
    Optional<T> find(String stem) {
        return Optional.ofNullable(rules.get(stem)).map(Reference::get);
    }

    /** Does something with each that is kept. */
    void forEach(Consumer<T> action) {
        for (OfRule<T> rule : rules.values()) {
            T one = rule.get();
            if (one != null) {
                action.accept(one);
            }
        }
    }

    /** Of how many rules there is one, or was until just now. */
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
