package io.headgate.limits;

/**
 * Hears of every hold of an engine: for metrics, logs and audits.
 *
 * <p>Called on the thread that has the answer, which may be one that must not block. What it throws is logged and never
 * reaches the caller. Must be safe for use by several threads.
 */
@FunctionalInterface
public interface InFlightListener {

    /** Called after each request for a hold that was answered, allowed or denied; of one that waits, each time it asks. */
    void onHold(HoldRequest request, Hold hold);

    /** Called when a hold is lost, once. Does nothing unless overridden. */
    default void onLost(HoldRequest request, Hold hold) {}

    /** Called after each request for a hold that could not be answered. Does nothing unless overridden. */
    default void onFailure(HoldRequest request, LimiterException failure) {}
}
