package io.headgate.spring.samples;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;

/**
 * Checks the outcomes of one key under a sliding window, whatever time they took: a request counts as admitted in a window only if it was
 * sent and answered within it, and a denial is wrong only if the limit would have admitted it at each time between both.
 */
final class WindowChecks {

    private final List<Outcome> outcomes;
    private final List<Outcome> admitted;
    private final long window;

    /**
     * Checks these outcomes.
     *
     * @param window the length of the window in nanoseconds
     */
    WindowChecks(List<Outcome> outcomes, long window) {
        this.outcomes = outcomes;
        this.admitted = outcomes.stream().filter(Outcome::admitted).toList();
        this.window = window;
    }

    /** Every window that lies between these times admitted at most this number of permits. */
    void assertAtMost(long limit, long from, long to) {
        for (Outcome first : admitted) {
            long start = first.sent();
            if (start - from >= 0 && to - start >= 0) {
                long end = Math.min(window, to - start);
                long permits = admitted.stream()
                        .filter(other -> other.sent() - start >= 0 && other.received() - start < end)
                        .mapToLong(other -> other.call().permits())
                        .sum();
                assertThat(permits)
                        .as("permits of a window of %s", first.call().key())
                        .isLessThanOrEqualTo(limit);
            }
        }
    }

    /** Every denial that was received before this time was due: too few permits were left. */
    void assertDenialsWereDue(long limit, long before) {
        for (Outcome denial : outcomes) {
            if (!denial.admitted() && denial.received() - before < 0) {
                long permits = admitted.stream()
                        .filter(other ->
                                other.received() - (denial.sent() - window) > 0 && other.sent() - denial.received() < 0)
                        .mapToLong(other -> other.call().permits())
                        .sum();
                assertThat(permits + denial.call().permits())
                        .as("permits, if %s had been admitted", denial)
                        .isGreaterThan(limit);
            }
        }
    }
}
