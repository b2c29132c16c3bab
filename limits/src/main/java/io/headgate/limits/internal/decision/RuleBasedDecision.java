package io.headgate.limits.internal.decision;

import io.headgate.limits.RuleDecision;
import io.headgate.limits.internal.Micros;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A decision by one or more rules. Most policies have one rule, for which it takes only two small objects, including the decision of
 * the rule.
 */
final class RuleBasedDecision extends EngineDecision {

    private final long charged;
    private final EngineRuleDecision decisive;

    /** The decisions of all rules; null if the decisive rule is the only one. */
    private final @Nullable List<EngineRuleDecision> several;

    /** The time of the decision of each rule, in microseconds since 1970; null if they are the same. */
    private final long @Nullable [] ruleMicros;

    /** Creates a decision by one rule. */
    RuleBasedDecision(String policyName, Basis basis, long decidedAtMicros, long permits, EngineRuleDecision rule) {
        this(policyName, basis, decidedAtMicros, permits, rule, null, null);
    }

    /** Creates a decision by several rules. */
    RuleBasedDecision(
            String policyName,
            Basis basis,
            long decidedAtMicros,
            long permits,
            List<EngineRuleDecision> rules,
            long @Nullable [] ruleMicros) {
        this(policyName, basis, decidedAtMicros, permits, decisiveOf(rules), rules, ruleMicros);
    }

    private RuleBasedDecision(
            String policyName,
            Basis basis,
            long decidedAtMicros,
            long permits,
            EngineRuleDecision decisive,
            @Nullable List<EngineRuleDecision> several,
            long @Nullable [] ruleMicros) {
        super(policyName, basis, decidedAtMicros);
        this.decisive = decisive;
        this.several = several;
        this.charged = allowed() ? permits : 0;
        this.ruleMicros = ruleMicros;
    }

    @Override
    EngineDecision copy() {
        return new RuleBasedDecision(policyName(), basis(), decidedAtMicros(), charged, decisive, several, ruleMicros);
    }

    private static EngineRuleDecision decisiveOf(List<EngineRuleDecision> rules) {
        EngineRuleDecision decisive = rules.get(0);
        for (int i = 1; i < rules.size(); i++) {
            if (precedes(rules.get(i), decisive)) {
                decisive = rules.get(i);
            }
        }
        return decisive;
    }

    private static boolean precedes(EngineRuleDecision rule, EngineRuleDecision other) {
        if (rule.rule().shadow() != other.rule().shadow()) {
            return other.rule().shadow();
        }
        long longer = Long.compare(rule.waitMicros(), other.waitMicros());
        return longer > 0 || (longer == 0 && rule.remaining() < other.remaining());
    }

    @Override
    public boolean allowed() {
        return decisive.waitMicros() == 0 || decisive.rule().shadow() || (decisive.allowed() && !anyDenies());
    }

    /**
     * Whether any rule denies. A rule that counts attempts charges a request that it allows itself even if another rule denies it, or another
     * policy of a combined request. It then may have a wait although it allowed the request, and be decisive.
     */
    private boolean anyDenies() {
        for (EngineRuleDecision rule : all()) {
            if (!rule.allowed() && !rule.rule().shadow()) {
                return true;
            }
        }
        return false;
    }

    @Override
    public Optional<String> deniedBy() {
        return denier().map(rule -> rule.rule().name());
    }

    /**
     * Returns the rule that denied. Usually it is the decisive rule. But a rule that allowed the request, and counted it as an attempt, may
     * now have the longest wait, and so be decisive.
     */
    Optional<EngineRuleDecision> denier() {
        if (allowed()) {
            return Optional.empty();
        }
        return decisive.allowed()
                ? all().stream()
                        .filter(rule -> !rule.allowed() && !rule.rule().shadow())
                        .max(Comparator.comparingLong(EngineRuleDecision::waitMicros))
                : Optional.of(decisive);
    }

    @Override
    public List<String> deniedInShadow() {
        if (several == null && !decisive.rule().shadow()) {
            return List.of();
        }
        return all().stream()
                .filter(rule -> rule.rule().shadow() && !rule.allowed())
                .map(rule -> rule.rule().name())
                .toList();
    }

    @Override
    public Optional<RuleDecision> decisive() {
        return Optional.of(decisive);
    }

    /** The decisive rule. */
    EngineRuleDecision decisiveRule() {
        return decisive;
    }

    @Override
    @SuppressWarnings("unchecked") // the list is immutable
    public List<RuleDecision> rules() {
        return (List<RuleDecision>) (List<?>) all();
    }

    List<EngineRuleDecision> all() {
        return several == null ? List.of(decisive) : several;
    }

    /** Whether there is only one rule. */
    boolean isOfOneRule() {
        return several == null;
    }

    /** The time of the decision of each rule, in microseconds since 1970; null if they are the same. */
    @SuppressWarnings("NullAway") // a false positive: both the field and the result may be null
    long @Nullable [] ruleMicros() {
        return ruleMicros;
    }

    @Override
    public long limit() {
        return decisive.limit();
    }

    @Override
    public long remaining() {
        return decisive.remaining();
    }

    @Override
    public boolean retryable() {
        return denied() && decisive.retryable();
    }

    @Override
    public Optional<Duration> retryAfter() {
        return denied() ? decisive.retryAfter() : Optional.empty();
    }

    @Override
    public Duration delay() {
        long longest = 0;
        for (EngineRuleDecision rule : all()) {
            longest = allowed() && !rule.rule().shadow() ? Math.max(longest, rule.delayMicros()) : longest;
        }
        return Micros.toDuration(longest);
    }

    @Override
    public Duration resetAfter() {
        return decisive.resetAfter();
    }

    @Override
    public long charged() {
        return charged;
    }

    @Override
    public Instant decidedAt(String rule) {
        List<EngineRuleDecision> all = all();
        for (int i = 0; i < all.size(); i++) {
            if (all.get(i).rule().name().equals(rule)) {
                return ruleMicros == null ? decidedAt() : Micros.toInstant(ruleMicros[i]);
            }
        }
        throw new IllegalArgumentException("this decision has the rules "
                + all.stream().map(one -> one.rule().name()).toList() + ", but not " + rule);
    }

    /** Whether both decisions have the same content. Their {@link Decision.Basis} and their {@link #chargeId()} may differ. */
    @Override
    public boolean equals(Object other) {
        return other instanceof RuleBasedDecision that
                && policyName().equals(that.policyName())
                && decidedAtMicros() == that.decidedAtMicros()
                && charged == that.charged
                && all().equals(that.all())
                && Arrays.equals(ruleMicros, that.ruleMicros);
    }

    @Override
    public int hashCode() {
        return Long.hashCode(decidedAtMicros()) * 31 + all().hashCode();
    }

    @Override
    public String toString() {
        return (allowed() ? "allowed" : "denied by " + deniedBy().orElseThrow()) + " at " + decidedAt() + " " + all();
    }
}
