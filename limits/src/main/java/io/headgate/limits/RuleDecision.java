package io.headgate.limits;

import java.time.Duration;
import java.util.Optional;

/** The result of one rule of a {@link Decision}. Only engines create it. Immutable, and safe for use by any number of threads. */
public interface RuleDecision {

    /** The rule. */
    Rule rule();

    /** Whether this rule allows the request. The policy allows it if all rules outside shadow mode do. */
    boolean allowed();

    /** The limit of the rule, in permits. */
    long limit();

    /** How many more permits the rule admits at this instant, after the charge of this request, if there was one. */
    long remaining();

    /**
     * Whether {@link #retryAfter()} is present. True if the rule denies the request now and would allow it later. False if the rule
     * allows the request, or never allows it because it is for more permits than the limit.
     *
     * <p>There is one exception: it is also true for a rule that allowed the request, if another rule or policy denied it, this rule
     * {@linkplain Rule#countingAttempts() counted the attempt}, and would now deny the same request.
     */
    boolean retryable();

    /**
     * The time after which the rule would allow the same request, assuming no other traffic; to the microsecond. Empty unless the rule
     * is {@link #retryable()}. For a request for more permits than a {@linkplain Decision.Basis#LOCAL_SHARE local share}, it is only the
     * suggested time to the next attempt.
     */
    Optional<Duration> retryAfter();

    /**
     * How long an allowed request must wait before it continues, so that requests leave evenly spaced. Zero unless the limit is a
     * {@linkplain LeakyBucket#shaper() leaky bucket that shapes}.
     */
    Duration delay();

    /**
     * How long the rule has been banning the id of the request; empty unless it does. The ban ends after {@link #retryAfter()}. See {@link
     * Rule#banning}.
     */
    default Optional<Duration> bannedFor() {
        return Optional.empty();
    }

    /** The time after which the whole limit is available again, assuming no other traffic; zero if it is available now. */
    Duration resetAfter();
}
