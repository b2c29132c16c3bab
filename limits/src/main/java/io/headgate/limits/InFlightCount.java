package io.headgate.limits;

import java.time.Duration;
import java.util.Optional;

/**
 * How many permits of a rule are held.
 *
 * @param rule the rule
 * @param held how many are held; more than the rule has after it was lowered. By an instance's share, what the shares of others
 *     may have counts as held
 * @param nextExpiry the time until the first of their leases expires unless it is renewed; empty if nothing is held. Most
 *     are renewed or released before, so it is the soonest that a place can come from a holder who has died
 */
public record InFlightCount(InFlightRule rule, long held, Optional<Duration> nextExpiry) {

    /** How many more may be held now; 0 or more. */
    public long free() {
        return Math.max(0, rule.permits() - held);
    }
}
