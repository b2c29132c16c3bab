package io.headgate.limits;

import java.time.Duration;
import java.util.Optional;

/** The result of one rule of a {@link Decision}. Immutable, and safe for use by any number of threads; engines create it. */
public interface RuleDecision {

    /** The rule. */
    Rule rule();

    /** Whether this rule allows the request. The policy allows it if all rules outside shadow mode do. */
    boolean allowed();

    /** The limit of the rule, in permits. */
    long limit();

    /** How many more permits the rule admits at this instant, after the charge of this request. */
    long remaining();

    /**
     * Whether {@link #retryAfter()} is present: the rule denies the request now and would allow it later. False if the request asks for
     * more permits than the limit has. Also true for a rule that allowed the request but has no room for the next one, because other
     * rules or policies denied the request and this rule {@linkplain Rule#countingAttempts() counted the attempt}.
     */
    boolean retryable();

    /**
     * The time after which the rule would allow this request, assuming no other traffic; to the microsecond. Empty unless it is {@link
     * #retryable()}.
     */
    Optional<Duration> retryAfter();

    /**
     * How long an allowed request must wait before it continues, so that requests leave evenly spaced. Zero unless the limit is a
     * {@linkplain LeakyBucket#shaper() leaky bucket that shapes}.
     */
    Duration delay();

    /** The time after which the whole limit is available again, assuming no other traffic; zero if it is available now. */
    Duration resetAfter();
}
