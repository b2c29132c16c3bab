package io.headgate.spring.samples;

/**
 * Checks the outcomes of one key under its limit, whatever time they took: a request counts as admitted in an interval only if it was
 * sent and answered within it, and a denial is wrong only if the limit would have admitted it at each time between both.
 */
interface OutcomeChecks {

    /** Every interval that lies between these times admitted at most this number of limits. */
    void assertAtMost(int limits, long from, long to);

    /** Every denial that was received before this time was due: too few permits were left of the limit, divided by this number. */
    void assertDenialsWereDue(int shares, long before);
}
