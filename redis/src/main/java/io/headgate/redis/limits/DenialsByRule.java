package io.headgate.redis.limits;

import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * What an engine knows of denials by each rule, by the stem of the rule's keys: its limiters learn from each other. Where no policy
 * has the rule any more, nothing is kept of it. Safe for use by any number of threads.
 */
final class DenialsByRule {

    private final int mostOfRule;
    private final Runnable whenKnown;
    private final Map<String, OfRule> rules = new ConcurrentHashMap<>();
    private final ReferenceQueue<KnownDenials> unused = new ReferenceQueue<>();

    /**
     * Nothing is known yet.
     *
     * @param whenKnown is run whenever there is one denial more
     */
    DenialsByRule(int mostOfRule, Runnable whenKnown) {
        this.mostOfRule = mostOfRule;
        this.whenKnown = whenKnown;
    }

    /** Kept as long as a policy has it. */
    private static final class OfRule extends WeakReference<KnownDenials> {

        private final String stem;

        OfRule(String stem, KnownDenials known, ReferenceQueue<KnownDenials> unused) {
            super(known, unused);
            this.stem = stem;
        }
    }

    /** What is known of a rule, from now on shared by all who ask for it and keep it. */
    KnownDenials of(String stem) {
        removeUnused();
        KnownDenials fresh = new KnownDenials(mostOfRule, whenKnown);
        while (true) {
            OfRule there = rules.compute(
                    stem,
                    (same, known) -> known == null || known.get() == null ? new OfRule(stem, fresh, unused) : known);
            KnownDenials known = there.get();
            if (known != null) {
                return known;
            }
        }
    }

    /** The same, where a policy has the rule. */
    Optional<KnownDenials> find(String stem) {
        return Optional.ofNullable(rules.get(stem)).map(Reference::get);
    }

    /** Forgets all, and what is still on its way. */
    void forgetAll(long nowMicros) {
        for (OfRule rule : rules.values()) {
            @Nullable KnownDenials known = rule.get();
            if (known != null) {
                known.forgetAll(nowMicros);
            }
        }
    }

    /** Of how many rules something is known, or was. */
    int size() {
        removeUnused();
        return rules.size();
    }

    private void removeUnused() {
        for (Reference<?> gone = unused.poll(); gone != null; gone = unused.poll()) {
            if (gone instanceof OfRule rule) {
                rules.remove(rule.stem, rule);
            }
        }
    }
}
