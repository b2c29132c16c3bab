package io.headgate.spring.samples;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.spring.samples.KeyLimit.TokenBucket;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Checks outcomes under a token bucket. An interval admits at most the tokens of a full bucket, and those that are added in it. The
 * tokens at a time are the least that any earlier interval up to this time has left.
 */
final class BucketChecks implements OutcomeChecks {

    private static final double SECOND = TimeUnit.SECONDS.toNanos(1);
    /** Times in Redis are microseconds, so an interval there may be longer by one. */
    private static final long CLOCK_STEP = TimeUnit.MICROSECONDS.toNanos(1);

    private final List<Outcome> outcomes;
    private final List<Outcome> admitted;
    private final TokenBucket limit;

    BucketChecks(List<Outcome> outcomes, TokenBucket limit) {
        this.outcomes = outcomes;
        this.admitted = outcomes.stream().filter(Outcome::admitted).toList();
        this.limit = limit;
    }

    @Override
    public void assertAtMost(int limits, long from, long to) {
        for (Outcome first : admitted) {
            for (Outcome last : admitted) {
                long start = first.sent();
                long end = last.received();
                if (start - from >= 0 && to - end > 0 && end - start > 0) {
                    long permits = admitted.stream()
                            .filter(other -> other.sent() - start >= 0 && other.received() - end <= 0)
                            .mapToLong(other -> other.call().permits())
                            .sum();
                    assertThat((double) permits)
                            .as("permits between %s and %s", first, last)
                            .isLessThanOrEqualTo(limits * (limit.permits() + added(end - start + CLOCK_STEP)));
                }
            }
        }
    }

    @Override
    public void assertDenialsWereDue(int shares, long before) {
        for (Outcome denial : outcomes) {
            if (!denial.admitted() && denial.received() - before < 0) {
                long full = limit.permits() / shares;
                // An interval starts just before a permit is charged, which is at the latest when its response is
                // received.
                double tokens = admitted.stream()
                        .filter(first -> first.sent() - denial.received() < 0)
                        .mapToDouble(first -> full
                                + added(Math.max(0, denial.sent() - first.received() - CLOCK_STEP)) / shares
                                - permits(first, denial))
                        .min()
                        .orElse((double) full);
                assertThat(tokens)
                        .as("tokens at %s", denial)
                        .isLessThan(denial.call().permits());
            }
        }
    }

    /** The permits that may have been charged from the one request on, and before the denial. */
    private long permits(Outcome first, Outcome denial) {
        return admitted.stream()
                .filter(other -> other.received() - first.received() >= 0 && other.sent() - denial.received() < 0)
                .mapToLong(other -> other.call().permits())
                .sum();
    }

    private double added(long nanos) {
        return limit.refillPerSecond() * (nanos / SECOND);
    }
}
