package io.headgate.limits;

/**
 * Hears of every decision of an engine: for metrics, logs and audits.
 *
 * <p>Called on the thread that has the answer, which may be one that must not block. What it throws is logged and
 * never reaches the caller. Must be safe for use by several threads.
 */
@FunctionalInterface
public interface DecisionListener {

    /** Called after each {@code tryAcquire} that was answered, allowed or denied; not after a peek. */
    void onDecision(Request request, Decision decision);

    /** Called after each {@code tryAcquire} that could not be answered. Does nothing unless overridden. */
    default void onFailure(Request request, LimiterException failure) {}
}
