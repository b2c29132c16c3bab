package io.headgate.spring.samples;

import java.time.Duration;
import java.util.List;

/**
 * The limit of one key.
 *
 * @param rule the name of the rule
 * @param key what the rule counts by, such as a tenant or an address
 */
record KeyLimit(String rule, String key, Quota quota) {

    /** In place of the name of a rule: the gateway's own filter. */
    static final String REQUEST_RATE_LIMITER = "RequestRateLimiter";

    /** The numbers of a limit. */
    sealed interface Quota {

        /** The permits of a window or a full bucket. */
        long permits();

        /** Checks the outcomes of one key. */
        OutcomeChecks checks(List<Outcome> outcomes);
    }

    /** Permits in each window of this length. */
    record SlidingWindow(long permits, Duration window) implements Quota {

        @Override
        public OutcomeChecks checks(List<Outcome> outcomes) {
            return new WindowChecks(outcomes, this);
        }
    }

    /** Permits at once, and this number more in each second. */
    record TokenBucket(long permits, long refillPerSecond) implements Quota {

        @Override
        public OutcomeChecks checks(List<Outcome> outcomes) {
            return new BucketChecks(outcomes, this);
        }
    }
}
