package io.headgate.limits;

import java.time.Duration;
import java.util.Optional;

/**
 * The number of permits of a rule that are held for one combination of ids.
 *
 * @param rule the rule
 * @param held the held permits. They may exceed the rule's permits after the limit was lowered, and during and after an outage in which
 *     a fallback grants permits. While a {@linkplain Fallback#local() local share} decides, the shares of other instances count as held;
 *     while a fallback is {@linkplain Fallback#closed() closed}, and if the request is
 *     {@linkplain Hold#ban() banned}, all permits do
 * @param nextExpiry the time until the first lease expires unless it is renewed; empty if no hold is known. Most leases are renewed or
 *     released earlier, so this is when the permits of a crashed holder may become free. While a fallback decides, only holds of this
 *     engine are known
 */
public record InFlightCount(InFlightRule rule, long held, Optional<Duration> nextExpiry) {

    /** Returns how many more permits the rule can grant now; 0 or more. */
    public long free() {
        return Math.max(0, rule.permits() - held);
    }
}
