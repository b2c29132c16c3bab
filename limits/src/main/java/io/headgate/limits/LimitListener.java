package io.headgate.limits;

import io.headgate.limits.combined.CombinedRequest;

/**
 * Receives the decisions, failures, holds and health changes of an engine, for metrics, logs and audits. Every method does nothing
 * unless it is overridden.
 *
 * <p>The engine calls a listener on the thread that receives the result, which may be a thread that must not block. An exception of a
 * listener is logged, and reaches neither the caller nor other listeners. Implementations must be safe for use by several threads.
 */
public interface LimitListener {

    /**
     * A request was allowed or denied. A peek is not reported. A request that waits for permits is reported for each of its attempts. A
     * request with a {@link RequestId} is reported again when it is repeated.
     *
     * <p>A {@linkplain CombinedRequest request to several policies} is reported once for each policy that decided. If one policy denies it,
     * the decision of a policy that allows it is allowed, with 0 {@linkplain Decision#charged() charged} permits. If a cached denial
     * decides, {@linkplain Decision.Basis#SKIPPED skipped} policies are not reported.
     *
     * @param policy the version of the policy that decided
     * @param permits the requested permits, at least 1
     * @param elapsedNanos the time from the request to its decision, in nanoseconds; 0 if it was decided without calling the store, as
     *     the engine in memory always does
     */
    default void onDecision(Policy policy, Attributes attributes, long permits, Decision decision, long elapsedNanos) {}

    /**
     * Redis decided a request after its timeout. The caller received the decision of a fallback, which {@link #onDecision} reported. The
     * engine in memory has no such decisions.
     *
     * @param permits the requested permits, at least 1
     * @param decision the decision of Redis, which no caller received
     */
    default void onLateDecision(Policy policy, Attributes attributes, long permits, Decision decision) {}

    /**
     * A request failed without a decision of Redis or of a fallback. The engine in memory does not report failures.
     *
     * @param permits the requested permits, at least 1
     */
    default void onFailure(Policy policy, Attributes attributes, long permits, LimiterException failure) {}

    /**
     * A request for a hold was allowed or denied. A request that waits for permits is reported for each of its attempts.
     *
     * @param policy the version of the policy that decided
     * @param permits the requested permits, at least 1
     * @param elapsedNanos the time from the request to its result, in nanoseconds; 0 if it was decided without calling the store, as
     *     the engine in memory always does
     */
    default void onHold(InFlightPolicy policy, Attributes attributes, long permits, Hold hold, long elapsedNanos) {}

    /**
     * A hold of this engine was {@linkplain Hold#isLost() lost} before it was released. Called once for each lost hold, but never for a
     * hold with a ticket.
     */
    default void onHoldLost(InFlightPolicy policy, Attributes attributes, long permits, Hold hold) {}

    /** A request for a hold failed without a result. */
    default void onHoldFailure(InFlightPolicy policy, Attributes attributes, long permits, LimiterException failure) {}

    /**
     * The health of the store changed; called in the order of the changes.
     *
     * @param reason the cause of the change, in a few words
     */
    default void onHealthChange(Health before, Health now, String reason) {}
}
