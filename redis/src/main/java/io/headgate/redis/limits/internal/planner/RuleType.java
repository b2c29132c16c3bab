package io.headgate.redis.limits.internal.planner;

import io.headgate.limits.Rule;
import io.headgate.limits.internal.algorithm.LimitKind;
import java.util.Comparator;

/** The properties of a rule on which the code of a script depends; other properties are arguments of each call. */
record RuleType(LimitKind kind, boolean countsAttempts, boolean shadow, boolean bans) implements Comparable<RuleType> {

    private static final Comparator<RuleType> ORDER = Comparator.comparing(RuleType::kind)
            .thenComparing(RuleType::countsAttempts)
            .thenComparing(RuleType::shadow)
            .thenComparing(RuleType::bans);

    static RuleType of(Rule rule) {
        return new RuleType(
                LimitKind.of(rule.limit()),
                rule.countsAttempts(),
                rule.shadow(),
                rule.ban().isPresent());
    }

    /** The type of any rule of a kind, for scripts that depend on nothing else. */
    static RuleType of(LimitKind kind) {
        return new RuleType(kind, false, false, false);
    }

    @Override
    public int compareTo(RuleType other) {
        return ORDER.compare(this, other);
    }
}
