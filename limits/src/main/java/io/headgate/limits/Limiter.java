package io.headgate.limits;

import io.headgate.limits.internal.Resets;
import java.time.Duration;

/**
 * Allows or denies requests under one {@link Policy}.
 *
 * <pre>{@code
 * Decision decision = logins.tryAcquire("alice");
 * decision = api.tryAcquire(PermitRequest.of(Attributes.of("user", "alice").with("ip", "192.0.2.1")).withPermits(3));
 * }</pre>
 *
 * <p>The limiter allows a request when every rule of the policy has enough permits, and charges the permits to every rule. Otherwise
 * it denies the request and charges nothing, except to {@linkplain Rule#countingAttempts() rules that count attempts}. Rules in {@linkplain
 * Rule#inShadow() shadow mode} do not deny. A denial is a {@link Decision}, not an exception.
 *
 * <h2>Ids and attributes</h2>
 *
 * <p>A method that takes an id is for policies with a single dimension; the id is the value of that dimension. For several dimensions,
 * pass {@link Attributes} with a value for each. For a policy without dimensions, pass {@link PermitRequest#global()} or {@link
 * Attributes#none()}.
 *
 * <h2>Blocking</h2>
 *
 * <p>Each method blocks until the store replies, at most for the engine's timeout; {@code reset} makes such a call for each rule. Only
 * {@code acquire} also waits for permits. The limiter that {@link #async()} returns does not block.
 *
 * <h2>Errors</h2>
 *
 * <p>Every method checks its arguments before it calls the store. It throws
 *
 * <ul>
 *   <li>{@link IllegalArgumentException} if an id is empty, the policy has no dimension or several and is given a single id, or
 *       attributes lack a dimension; nothing changes;
 *   <li>{@link LimiterException} if the store fails or does not reply in time, or the thread is interrupted, and no {@link Fallback}
 *       decides;
 *   <li>{@link IllegalStateException} if the engine is closed.
 * </ul>
 *
 * <p>Instances are safe for use by several threads, including virtual threads.
 */
public interface Limiter {

    /** Returns the policy that currently applies. */
    Policy policy();

    /**
     * Replaces the policy. Counts are kept, and the new limits apply from the next request. docs/limits.md describes, for each kind of
     * limit, which part of an earlier count applies to the new limit.
     *
     * <p>Other limiters of this policy, here and in other processes, keep their version until they are updated. All versions share
     * the same counts.
     *
     * @throws IllegalArgumentException if the name or the colocation differs, or a rule of the same name has other dimensions;
     *     nothing changes
     */
    void update(Policy policy);

    /** Returns the asynchronous form of this limiter. */
    AsyncLimiter async();

    /**
     * Requests one permit for an id. Equivalent to {@code tryAcquire(PermitRequest.of(id))}, without creating a request.
     *
     * @param id the value of the policy's single dimension; not empty
     */
    default Decision tryAcquire(String id) {
        return tryAcquire(PermitRequest.of(id));
    }

    /**
     * Requests permits, without waiting until they are available.
     *
     * <p>A request for more permits than the limit of a rule is denied.
     *
     * <p><b>Idempotency.</b> A request with a {@link RequestId} is charged once. If it is repeated within the engine's {@code
     * requestIdHorizon}, from any process, the method returns the first decision, unchanged, and charges nothing. So a caller that
     * received no reply can safely retry. A denial is recorded only if a rule of the policy {@linkplain Rule#countingAttempts() counts
     * attempts}; otherwise, the retry is decided again. A decision by a {@link Fallback} is not recorded.
     *
     * @throws RequestIdReusedException if the request id was used for other permits or other ids; nothing is charged
     * @throws LimiterException also if the request id was decided under other limits: before an {@link #update} that changed the rules, or
     *     with other {@linkplain Policy.Builder#override overrides}; nothing more is charged
     */
    Decision tryAcquire(PermitRequest request);

    /**
     * Requests one permit for an id, and waits until it is available. Equivalent to {@code acquire(PermitRequest.of(id), maxWait)}.
     *
     * @param id the value of the policy's single dimension; not empty
     * @param maxWait the longest wait: 0 to 366 days
     * @throws InterruptedException if the thread is interrupted while it waits
     */
    default Decision acquire(String id, Duration maxWait) throws InterruptedException {
        return acquire(PermitRequest.of(id), maxWait);
    }

    /**
     * Requests permits, and waits until they are available.
     *
     * <p><b>Order.</b> This limiter serves waiting requests for the same ids and limits in the order of their arrival. Only the first of
     * them makes attempts. After a denial, it makes the next attempt when the retry-after has passed, or when it is woken up. There is no
     * order between processes.
     *
     * <p><b>Early return.</b> The method returns a denial as soon as the retry-after exceeds the rest of {@code maxWait}, and immediately
     * if the denial is not {@linkplain Decision#retryable() retryable} or 100 000 requests already wait for this limiter.
     *
     * <p><b>Delay.</b> Under a {@linkplain LeakyBucket#shaper() shaping leaky bucket}, the method also waits for the decision's delay. If
     * the delay exceeds the rest of {@code maxWait}, the permits are refunded and the request is denied.
     *
     * <p><b>Wake-up.</b> An update, a refund or a reset by this limiter wakes the waiting requests that it may allow. A change by
     * another limiter or process takes effect at the latest when the current retry-after has passed.
     *
     * @param request the request; must not have a request id
     * @param maxWait the longest wait: 0 to 366 days; an attempt in flight may extend it by the engine's timeout
     * @return an allowed decision, or a denial if the permits were not available in time. A request that was never first in line
     *     receives the last denial of the first.
     * @throws InterruptedException if the thread is interrupted while it waits. Nothing stays charged, with two exceptions: counted
     *     attempts, and an attempt in flight to which the store does not reply in time. If the result arrives before the interrupt
     *     takes effect, the method returns it, and the thread stays interrupted
     * @throws LimiterException if an attempt fails, which ends the wait. If the request {@linkplain LimiterException#mayBeCharged() may
     *     be charged}, its permits are not refunded, even if a reply arrives after the timeout.
     */
    Decision acquire(PermitRequest request, Duration maxWait) throws InterruptedException;

    /**
     * Returns the decision that {@link #tryAcquire(String)} would return now. Charges and changes nothing.
     *
     * @param id the value of the policy's single dimension; not empty
     */
    default Decision peek(String id) {
        return peek(PermitRequest.of(id));
    }

    /**
     * Returns the decision that {@link #tryAcquire(PermitRequest)} would return now. Charges and changes nothing. The decision's
     * remaining permits and reset-after are those before a charge. It is based on the counts of the store, in which {@linkplain
     * Policy.Builder#leased() leased} permits are charged already, or on the fallback.
     *
     * @param request the request; must not have a request id
     */
    Decision peek(PermitRequest request);

    /**
     * Refunds a decision. Equivalent to {@link #refund(Attributes, Decision)} for a policy with a single dimension.
     *
     * @param id the id of the decided request
     * @param decision a decision of this policy
     * @return the number of permits refunded
     */
    default long refund(String id, Decision decision) {
        return refund(policy().attributesOf(id), decision);
    }

    /**
     * Refunds the permits that a decision charged, for a request that was allowed but not carried out.
     *
     * <p><b>What is refunded.</b> Only permits of this decision that still count. Permits that have left their window, or that a bucket
     * has already refilled, are not refunded. A refund does not restore permits that denied attempts consumed, nor permits of a rule
     * that a later {@link #update} has removed or given another kind of limit.
     *
     * <p><b>Once.</b> A decision is refunded once; a second refund returns 0 and changes nothing. So you can retry a refund that failed
     * with an exception. A decision that was repeated under its {@link RequestId} counts as the same decision.
     *
     * <p><b>Until when.</b> Each rule refunds a decision until its {@link RuleDecision#resetAfter()} has passed; after that, it refunds
     * nothing. docs/limits.md describes the effect of a refund on other requests in a bucket, and after a reset.
     *
     * @param attributes the attributes of the decided request
     * @param decision a decision of this policy; a denial refunds nothing
     * @return the number of permits refunded under one rule; if the numbers differ, the largest. A fraction of a permit is rounded up
     * @throws IllegalArgumentException also if the decision is of another policy; nothing is refunded
     */
    long refund(Attributes attributes, Decision decision);

    /**
     * Refunds the oldest permits that still count under each rule, regardless of the requests for which they were charged. Unlike
     * {@link #refund(Attributes, Decision)}, each call refunds again, so a retry after an exception may refund twice.
     *
     * <p>Rules that {@linkplain Rule#countingAttempts() count attempts} also refund permits that denied attempts consumed. A sliding
     * window also drops all permits that are older than the refunded ones, even if another version of the policy has a longer window and
     * still counts them.
     *
     * @param request the ids, and the most permits to refund under each rule; must not have a request id
     * @return the number of permits refunded under one rule; if the numbers differ, the largest
     */
    long refundOldest(PermitRequest request);

    /**
     * Resets the counts of an id. Equivalent to {@link #reset(Attributes)} for a policy with a single dimension.
     *
     * @param id the value of that dimension, as for {@link #tryAcquire(String)}; never the name of a rule
     * @return whether a count of any rule was stored
     */
    default boolean reset(String id) {
        return reset(policy().attributesOf(id));
    }

    /**
     * Resets the counts of every rule that has dimensions, as if no request had been charged. Rules without dimensions keep their
     * counts, which all ids share.
     *
     * <p>For a policy without dimensions, {@code reset(Attributes.none())} resets every rule.
     *
     * @param attributes a value for every dimension of the policy
     * @return whether a count of any rule was stored
     * @throws IllegalArgumentException also if the policy has no dimension and there are attributes; nothing changes
     */
    default boolean reset(Attributes attributes) {
        return Resets.of(policy(), attributes).each(this::resetRule);
    }

    /**
     * Resets the count of one rule, as if no request had been charged.
     *
     * @param rule the name of a rule of the policy
     * @param attributes a value for every dimension of the rule
     * @return whether a count was stored. This may be true for a count that no longer had an effect, as engines keep such counts for a
     *     while
     * @throws IllegalArgumentException also if the policy has no rule of that name; nothing changes
     */
    boolean resetRule(String rule, Attributes attributes);

    /**
     * Pauses the requests for an id. Equivalent to {@link #pause(Attributes, Duration)} for a policy with a single dimension.
     *
     * @param id the value of that dimension; not empty
     */
    default Duration pause(String id, Duration pause) {
        return pause(policy().attributesOf(id), pause);
    }

    /**
     * Pauses requests. Until the pause ends, every instance denies requests to this policy with these attributes, on the basis {@link
     * Decision.Basis#PAUSED}, without reading a count. Use it, for example, when a partner replies with status 429 and a Retry-After.
     *
     * <p>A pause is never shortened: if the requests are paused for longer already, nothing changes. Leased permits, a {@link
     * RequestId} that was decided before, and shadow mode do not exempt a request from a pause. Waiting requests wait until it ends, if their time suffices.
     *
     * <p><b>Other instances</b> receive a pause by a message, or if that is lost, within a second. A new instance receives pauses once
     * it has connected. Requests in flight when an instance receives the pause are decided as usual. While Redis does not reply, this
     * process pauses the requests alone, and the other instances receive the rest of the pause afterwards.
     *
     * @param attributes a value for some or all dimensions of the policy: requests with these values are paused; with {@link
     *     Attributes#none()}, all requests to the policy
     * @param pause 1 ms to 1 day
     * @return how long the requests are paused now
     * @throws IllegalArgumentException also if the policy is not {@linkplain Policy.Builder#pausable() pausable}, an attribute is not one
     *     of its dimensions, or the pause is out of its range; nothing changes
     * @throws LimiterException also if 1000 other pauses are in force, of all policies together; nothing changes
     */
    Duration pause(Attributes attributes, Duration pause);

    /**
     * Ends the pause of an id. Equivalent to {@link #resume(Attributes)} for a policy with a single dimension.
     *
     * @param id the value of that dimension; not empty
     */
    default boolean resume(String id) {
        return resume(policy().attributesOf(id));
    }

    /**
     * Ends a pause, in all instances, and wakes the waiting requests of this limiter.
     *
     * @param attributes the attributes that were passed to {@link #pause(Attributes, Duration)}. Pauses with other attributes continue
     * @return whether requests were paused
     * @throws IllegalArgumentException also if the policy is not pausable, or an attribute is not one of its dimensions; nothing changes
     */
    boolean resume(Attributes attributes);
}
