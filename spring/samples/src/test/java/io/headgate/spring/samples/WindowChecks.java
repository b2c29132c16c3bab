package io.headgate.spring.samples;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.spring.samples.KeyLimit.SlidingWindow;
import java.util.List;

/** Checks outcomes under a sliding window. */
final class WindowChecks implements OutcomeChecks {

    private final List<Outcome> outcomes;
    private final List<Outcome> admitted;
    private final SlidingWindow limit;
    private final long window;

    WindowChecks(List<Outcome> outcomes, SlidingWindow limit) {
        this.outcomes = outcomes;
        this.admitted = outcomes.stream().filter(Outcome::admitted).toList();
        this.limit = limit;
        this.window = limit.window().toNanos();
    }

    @Override
    public void assertAtMost(int limits, long from, long to) {
        for (Outcome first : admitted) {
            long start = first.sent();
            if (start - from >= 0 && to - start >= 0) {
                long end = Math.min(window, to - start);
                long permits = admitted.stream()
                        .filter(other -> other.sent() - start >= 0 && other.received() - start < end)
                        .mapToLong(other -> other.call().permits())
                        .sum();
                assertThat(permits)
                        .as("permits of a window of %s", first.call())
                        .isLessThanOrEqualTo(limits * limit.permits());
            }
        }
    }

    @Override
    public void assertDenialsWereDue(int shares, long before) {
        for (Outcome denial : outcomes) {
            if (!denial.admitted() && denial.received() - before < 0) {
                long permits = admitted.stream()
                        .filter(other ->
                                other.received() - (denial.sent() - window) > 0 && other.sent() - denial.received() < 0)
                        .mapToLong(other -> other.call().permits())
                        .sum();
                assertThat(permits + denial.call().permits())
                        .as("permits, if %s had been admitted", denial)
                        .isGreaterThan(limit.permits() / shares);
            }
        }
    }
}
