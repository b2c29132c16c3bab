package io.headgate.limits;

import io.headgate.limits.internal.Resets;
import java.time.Duration;

/**
 * Limits how many operations are in flight under one {@link InFlightPolicy}.
 *
 * <pre>{@code
 * try (Hold hold = exports.tryAcquire("alice")) {
 *     if (hold.allowed()) {
 *         export();
 *     }
 * }
 * }</pre>
 *
 * <p>A {@link Limiter} charges permits, which become available again with time. An in-flight limiter grants permits under a {@link
 * Hold}, which the holder must release. A request is granted if every rule of the policy has enough free permits; otherwise it takes
 * none. A denial is a {@link Hold} too, not an exception.
 *
 * <h2>Ids and attributes</h2>
 *
 * <p>A method that takes an id is for policies with a single dimension; the id is the value of that dimension. For several dimensions,
 * pass {@link Attributes} with a value for each. For a policy without dimensions, pass {@link PermitRequest#global()} or {@link
 * Attributes#none()}. A {@link PermitRequest} must not have a request id.
 *
 * <h2>Blocking</h2>
 *
 * <p>Each method blocks until the store replies, at most for the engine's timeout; {@code reset} makes such a call for each rule. Only
 * {@code acquire} also waits for free permits. The limiter that {@link #async()} returns does not block.
 *
 * <h2>Errors</h2>
 *
 * <p>Every method checks its arguments before it calls the store. It throws
 *
 * <ul>
 *   <li>{@link IllegalArgumentException} if an id is empty, the policy has no dimension or several and is given a single id,
 *       attributes lack a dimension, the permits are not 1 to 100, or the request has a request id; nothing changes;
 *   <li>{@link LimiterException} if the store fails or does not reply in time, or the thread is interrupted, and no {@link Fallback}
 *       decides;
 *   <li>{@link IllegalStateException} if the engine is closed.
 * </ul>
 *
 * <p>Instances are safe for use by several threads, including virtual threads.
 */
public interface InFlightLimiter {

    /** Returns the policy that currently applies. */
    InFlightPolicy policy();

    /**
     * Replaces the policy. Existing holds keep their lease and still count. If a limit is now lower than the permits held, requests are
     * denied until enough of them are released. Other limiters of this policy, here and in other processes, keep their version until
     * they are updated.
     *
     * @throws IllegalArgumentException if the name differs, or a rule of the same name has other dimensions; nothing changes
     */
    void update(InFlightPolicy policy);

    /** Returns the asynchronous form of this limiter. */
    AsyncInFlightLimiter async();

    /**
     * Requests one permit for an id. Equivalent to {@code tryAcquire(PermitRequest.of(id))}.
     *
     * @param id the value of the policy's single dimension; not empty
     * @return a hold, which the caller must release, or a denied one
     */
    default Hold tryAcquire(String id) {
        return tryAcquire(PermitRequest.of(id));
    }

    /**
     * Requests permits, without waiting until they are free.
     *
     * @param request the request for 1 to 100 permits; a request for more than the limit of a rule is denied
     * @return a hold, which the caller must release, or a denied one
     * @throws LimiterException also if this engine has as many holds as it can keep: a million on Redis; in memory, as many as fit in
     *     an eighth of the heap, at least 10 000 and at most a million. If the permits {@linkplain LimiterException#mayBeCharged() may be
     *     held} after a failure, the engine releases them in the background. They are free at the latest when the lease ends.
     */
    Hold tryAcquire(PermitRequest request);

    /**
     * Requests one permit for an id, and waits until it is free. Equivalent to {@code acquire(PermitRequest.of(id), maxWait)}.
     *
     * @param id the value of the policy's single dimension; not empty
     * @param maxWait the longest wait: 0 to 366 days
     * @return a hold, which the caller must release, or a denied one
     * @throws InterruptedException if the thread is interrupted while it waits
     */
    default Hold acquire(String id, Duration maxWait) throws InterruptedException {
        return acquire(PermitRequest.of(id), maxWait);
    }

    /**
     * Requests permits, and waits until they are free.
     *
     * <p>This engine serves waiting requests for the same ids in the order of their arrival. Only the first of them makes attempts:
     * when this process or another one releases permits, when a lease expires under a rule without free permits, and at least once a
     * second. There is no order between processes, nor between different ids.
     *
     * @param request the request for 1 to 100 permits. A request for more than the limit of a rule waits too, as an update may raise it
     * @param maxWait the longest wait: 0 to 366 days; an attempt in flight may extend it by the engine's timeout
     * @return a hold, which the caller must release, or a denied one if the permits were not free in time, or if 10 000 requests already
     *     wait in this engine. A request that was never first in line receives the last denial of the first.
     * @throws InterruptedException if the thread is interrupted while it waits; nothing stays held. If the result arrives first, the
     *     method returns it, and the thread stays interrupted
     * @throws LimiterException as {@link #tryAcquire(PermitRequest)} does; it ends the wait
     */
    Hold acquire(PermitRequest request, Duration maxWait) throws InterruptedException;

    /**
     * Returns the permits held for an id. Takes nothing.
     *
     * @param id the value of the policy's single dimension; not empty
     */
    default InFlight peek(String id) {
        return peek(PermitRequest.of(id));
    }

    /**
     * Returns the permits held for the ids of a request. Takes nothing.
     *
     * @param request the ids; its number of permits has no effect
     */
    InFlight peek(PermitRequest request);

    /**
     * Resets the holds of an id. Equivalent to {@link #reset(Attributes)} for a policy with a single dimension.
     *
     * @param id the value of that dimension, as for {@link #tryAcquire(String)}; never the name of a rule
     * @return whether permits of any rule were stored
     */
    default boolean reset(String id) {
        return reset(policy().attributesOf(id));
    }

    /**
     * Resets every rule that has dimensions, as {@link #resetRule} does. A hold that is reset keeps its permits of rules without
     * dimensions until its holder notices the loss.
     *
     * <p>For a policy without dimensions, {@code reset(Attributes.none())} resets every rule.
     *
     * @param attributes a value for every dimension of the policy
     * @return whether permits of any rule were stored
     * @throws IllegalArgumentException also if the policy has no dimension and there are attributes; nothing changes
     */
    default boolean reset(Attributes attributes) {
        return Resets.of(policy(), attributes).each(this::resetRule);
    }

    /**
     * Frees all permits of one rule that are held for these attributes, in all processes. The holders notice this at their next
     * renewal: their holds are then lost, under the other rules too.
     *
     * @param rule the name of a rule of the policy
     * @param attributes a value for every dimension of the rule
     * @return whether permits were stored
     * @throws IllegalArgumentException also if the policy has no rule of that name; nothing changes
     */
    boolean resetRule(String rule, Attributes attributes);
}
