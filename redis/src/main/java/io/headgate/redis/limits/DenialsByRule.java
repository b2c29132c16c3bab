package io.headgate.redis.limits;

import java.util.Optional;

/**
 * What an engine knows of denials by each rule, by the stem of the rule's keys: its limiters learn from each other. Where no policy
 * has the rule any more, nothing is kept of it. Safe for use by any number of threads.
 */
final class DenialsByRule {

    private final WeaklyByStem<KnownDenials> rules;

    /**
     * Nothing is known yet.
     *
     * @param whenKnown is run whenever there is one denial more
     */
    DenialsByRule(int mostOfRule, Runnable whenKnown) {
        this.rules = new WeaklyByStem<>(() -> new KnownDenials(mostOfRule, whenKnown));
    }

    /** What is known of a rule, from now on shared by all who ask for it and keep it. */
    KnownDenials of(String stem) {
        return rules.of(stem);
    }

    /** The same, where a policy has the rule. */
    Optional<KnownDenials> find(String stem) {
        return rules.find(stem);
    }

    /** Forgets all, and what is still on its way, by {@link System#nanoTime()}. */
    void forgetAll(long nowNanos) {
        rules.forEach(known -> known.forgetAll(nowNanos));
    }

    /** Of how many rules something is known, or was. */
    int size() {
        return rules.size();
    }
}
