package io.headgate.spring.samples;

import io.netty.handler.codec.http.HttpMethod;
import java.util.List;
import java.util.Map;

/**
 * A request of the load.
 *
 * @param fields its header fields
 * @param instance the instance that gets it, 0 or 1
 * @param permits the permits that it needs of each limit
 * @param admittedStatus the status of a response to a request that all limits admit
 * @param duringOutage whether its keys are used during the outage only
 */
record Call(
        HttpMethod method,
        String path,
        Map<String, String> fields,
        int instance,
        int permits,
        List<KeyLimit> limits,
        int admittedStatus,
        boolean duringOutage) {

    /** Whether the gateway's own filter limits it, and not one of Headgate. */
    boolean byRequestRateLimiter() {
        return limits.stream().anyMatch(limit -> limit.rule().equals(KeyLimit.REQUEST_RATE_LIMITER));
    }

    /** The numbers of the limit of a rule. */
    KeyLimit.Quota quota(String rule) {
        return limits.stream()
                .filter(limit -> limit.rule().equals(rule))
                .findAny()
                .orElseThrow(() -> new AssertionError("no rule " + rule + " limits " + this))
                .quota();
    }
}
