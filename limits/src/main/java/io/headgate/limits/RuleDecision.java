package io.headgate.limits;

import io.headgate.limits.internal.Micros;
import java.time.Duration;
import java.util.Optional;

/** What one rule said to a request. Immutable. */
public final class RuleDecision {

    private final Rule rule;
    private final long remaining;
    private final long retryMicros;
    private final long resetMicros;

    RuleDecision(Rule rule, long remaining, long retryMicros, long resetMicros) {
        this.rule = rule;
        this.remaining = remaining;
        this.retryMicros = retryMicros;
        this.resetMicros = resetMicros;
    }

    /** The rule that decided. */
    public Rule rule() {
        return rule;
    }

    /** Whether this rule would let the request pass; it does when all rules of the policy would. */
    public boolean allowed() {
        return retryMicros == Decision.NOW;
    }

    /** The most permits that the rule can admit at once. */
    public long limit() {
        return rule.limit().permits();
    }

    /** How many more permits the rule would admit at this instant; after the charge, when there was one. */
    public long remaining() {
        return remaining;
    }

    /**
     * How long until the rule would admit the same request if nothing else were admitted meanwhile, to the
     * microsecond; empty when it is allowed, and when it never would be because it asks for more than the limit.
     */
    public Optional<Duration> retryAfter() {
        return retryMicros > 0 ? Optional.of(Micros.toDuration(retryMicros)) : Optional.empty();
    }

    /** How long until the whole limit is available again if nothing else is admitted; zero when it is now. */
    public Duration resetAfter() {
        return Micros.toDuration(resetMicros);
    }

    /** Orders by how long a caller must wait; what never passes comes last. */
    long waitMicros() {
        return retryMicros == Decision.NEVER ? Long.MAX_VALUE : retryMicros;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof RuleDecision that
                && rule.equals(that.rule)
                && remaining == that.remaining
                && retryMicros == that.retryMicros
                && resetMicros == that.resetMicros;
    }

    @Override
    public int hashCode() {
        return rule.hashCode() * 31 + Long.hashCode(remaining ^ retryMicros ^ resetMicros);
    }

    @Override
    public String toString() {
        return rule.name() + (allowed() ? " allowed" : " denied") + ", limit " + limit() + ", remaining " + remaining
                + (allowed()
                        ? ""
                        : ", retry after "
                                + retryAfter().map(Duration::toString).orElse("never"))
                + ", reset after " + resetAfter();
    }
}
