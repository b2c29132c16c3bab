package io.headgate.limits.internal.decision;

import io.headgate.limits.RuleDecision;
import io.headgate.limits.internal.Micros;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** A decision without rules, by a fallback or because the policy was skipped. It charges nothing. */
final class RulelessDecision extends EngineDecision {

    /** 0 if the request is allowed. */
    private final long retryMicros;

    /**
     * Creates the decision.
     *
     * @param retryMicros 0 if the request is allowed; else {@link #retryAfter()}, in microseconds
     */
    RulelessDecision(String policyName, Basis basis, long decidedAtMicros, long retryMicros) {
        super(policyName, basis, decidedAtMicros);
        this.retryMicros = retryMicros;
    }

    @Override
    EngineDecision copy() {
        return new RulelessDecision(policyName(), basis(), decidedAtMicros(), retryMicros);
    }

    @Override
    public boolean allowed() {
        return retryMicros == 0;
    }

    @Override
    public Optional<String> deniedBy() {
        return Optional.empty();
    }

    @Override
    public List<String> deniedInShadow() {
        return List.of();
    }

    @Override
    public Optional<RuleDecision> decisive() {
        return Optional.empty();
    }

    @Override
    public List<RuleDecision> rules() {
        return List.of();
    }

    @Override
    public long limit() {
        return 0;
    }

    @Override
    public long remaining() {
        return 0;
    }

    @Override
    public boolean retryable() {
        return denied();
    }

    @Override
    public Optional<Duration> retryAfter() {
        return denied() ? Optional.of(Micros.toDuration(retryMicros)) : Optional.empty();
    }

    @Override
    public Duration delay() {
        return Duration.ZERO;
    }

    @Override
    public Duration resetAfter() {
        return Duration.ZERO;
    }

    @Override
    public long charged() {
        return 0;
    }

    @Override
    public Instant decidedAt(String rule) {
        throw new IllegalArgumentException("this decision has no rules, and so not " + rule);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof RulelessDecision that
                && policyName().equals(that.policyName())
                && basis() == that.basis()
                && decidedAtMicros() == that.decidedAtMicros()
                && retryMicros == that.retryMicros;
    }

    @Override
    public int hashCode() {
        return Long.hashCode(decidedAtMicros()) * 31 + Long.hashCode(retryMicros);
    }

    @Override
    public String toString() {
        return (allowed() ? "allowed" : "denied") + " without a rule ("
                + basis().name().toLowerCase(Locale.ROOT)
                + ") at " + decidedAt()
                + retryAfter().map(wait -> ", retry after " + wait).orElse("");
    }
}
