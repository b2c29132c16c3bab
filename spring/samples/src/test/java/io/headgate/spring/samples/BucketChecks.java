package io.headgate.spring.samples;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.spring.samples.KeyLimit.TokenBucket;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Checks outcomes under a token bucket. An interval admits at most the permits of a full bucket, and those that are added in it. The
 * permits that are left at a time are the least that any interval up to this time has left.
 */
final class BucketChecks implements OutcomeChecks {

    private static final double SECOND_NANOS = TimeUnit.SECONDS.toNanos(1);
    /** Times in Redis are microseconds, so an interval there may be longer by one. */
    private static final long CLOCK_STEP_NANOS = TimeUnit.MICROSECONDS.toNanos(1);

    private final List<Outcome> outcomes;
    /** In the order of their responses. */
    private final List<Outcome> admitted;

    private final TokenBucket limit;

    BucketChecks(List<Outcome> outcomes, TokenBucket limit) {
        this.outcomes = outcomes;
        this.admitted = outcomes.stream()
                .filter(Outcome::admitted)
                .sorted(Comparator.comparingLong(Outcome::received))
                .toList();
        this.limit = limit;
    }

    @Override
    public void assertAtMost(int limits, long from, long to) {
        List<Outcome> between = admitted.stream()
                .filter(outcome -> outcome.sent() - from >= 0 && to - outcome.received() > 0)
                .toList();
        for (Outcome first : between) {
            long permits = 0;
            for (Outcome other : between) {
                if (other.sent() - first.sent() >= 0) {
                    permits += other.call().permits();
                    long nanos = other.received() - first.sent() + CLOCK_STEP_NANOS;
                    assertThat((double) permits)
                            .as("permits from %s to %s", first, other)
                            .isLessThanOrEqualTo(limits * (limit.permits() + added(nanos)));
                }
            }
        }
    }

    @Override
    public void assertDenialsWereDue(int shares, long before) {
        for (Outcome denial : outcomes) {
            if (!denial.admitted() && denial.received() - before < 0) {
                assertThat(left(denial, shares))
                        .as("permits left at %s", denial)
                        .isLessThan(denial.call().permits());
            }
        }
    }

    /**
     * The least that may be left at the time of a denial. Each interval starts when a permit is charged, which is at the latest when the
     * response is received, and has all permits that may have been charged from then on.
     */
    private double left(Outcome denial, int shares) {
        double full = Math.floorDiv(limit.permits(), shares);
        double least = full;
        long permits = 0;
        for (int i = admitted.size() - 1; i >= 0; i--) {
            Outcome first = admitted.get(i);
            if (first.sent() - denial.received() < 0) {
                permits += first.call().permits();
                long nanos = Math.max(0, denial.sent() - first.received() - CLOCK_STEP_NANOS);
                least = Math.min(least, full - permits + added(nanos) / shares);
            }
        }
        return least;
    }

    private double added(long nanos) {
        return limit.refillPerSecond() * (nanos / SECOND_NANOS);
    }
}
