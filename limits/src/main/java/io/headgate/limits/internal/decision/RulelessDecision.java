package io.headgate.limits.internal.decision;

import io.headgate.limits.RuleDecision;
import io.headgate.limits.bans.BanEntry;
import io.headgate.limits.internal.Micros;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A decision without rules: by a ban, a pause, an exemption or a fallback, or because the policy was skipped. It charges nothing. */
final class RulelessDecision extends EngineDecision {

    private final boolean allowed;

    /** 0 if the request is allowed or is never allowed. */
    private final long retryMicros;

    private final @Nullable BanEntry ban;

    private RulelessDecision(
            String policyName,
            Basis basis,
            long decidedAtMicros,
            boolean allowed,
            long retryMicros,
            @Nullable BanEntry ban) {
        super(policyName, basis, decidedAtMicros);
        this.allowed = allowed;
        this.retryMicros = retryMicros;
        this.ban = ban;
    }

    /** Returns a decision that allows the request. */
    static RulelessDecision allowed(String policyName, Basis basis, long decidedAtMicros) {
        return new RulelessDecision(policyName, basis, decidedAtMicros, true, 0, null);
    }

    /**
     * Returns a decision that denies the request.
     *
     * @param retryMicros {@link #retryAfter()}, in microseconds; at least 1
     */
    static RulelessDecision denied(String policyName, Basis basis, long decidedAtMicros, long retryMicros) {
        return new RulelessDecision(policyName, basis, decidedAtMicros, false, retryMicros, null);
    }

    /**
     * Returns the decision by a ban or an exemption.
     *
     * @param restMicros how long a ban is still in force, in microseconds; 0 if it is permanent
     */
    static RulelessDecision by(BanEntry ban, String policyName, long decidedAtMicros, long restMicros) {
        return ban.kind().isExemption()
                ? new RulelessDecision(policyName, Basis.EXEMPT, decidedAtMicros, true, 0, ban)
                : new RulelessDecision(policyName, Basis.BANNED, decidedAtMicros, false, restMicros, ban);
    }

    @Override
    EngineDecision copy() {
        return new RulelessDecision(policyName(), basis(), decidedAtMicros(), allowed, retryMicros, ban);
    }

    @Override
    public boolean allowed() {
        return allowed;
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
        return retryMicros > 0;
    }

    @Override
    public Optional<Duration> retryAfter() {
        return retryable() ? Optional.of(Micros.toDuration(retryMicros)) : Optional.empty();
    }

    @Override
    public Optional<BanEntry> ban() {
        return Optional.ofNullable(ban);
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
                && allowed == that.allowed
                && retryMicros == that.retryMicros
                && Objects.equals(ban, that.ban);
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
                + ban().map(entry -> " by the entry of " + entry.target()).orElse("")
                + retryAfter().map(wait -> ", retry after " + wait).orElse("");
    }
}
