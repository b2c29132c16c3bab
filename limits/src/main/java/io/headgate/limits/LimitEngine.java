package io.headgate.limits;

import io.headgate.limits.bans.Bans;
import io.headgate.limits.combined.CombinedDecision;
import io.headgate.limits.combined.CombinedRequest;
import io.headgate.limits.internal.CombinedRequests;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * Creates limiters, and stores their counts: in memory, or in Redis for all processes. Create one engine for an application,
 * share it, and close it when the application ends. Safe for use by any number of threads.
 *
 * <pre>{@code
 * try (LimitEngine limits = InMemoryLimitEngine.create()) {
 *     Limiter logins = limits.limiter("logins", Limit.slidingWindow(5, Duration.ofMinutes(1)));
 *     Decision decision = logins.tryAcquire("alice");
 *     if (decision.denied()) {
 *         // decision.retryAfter() is the time after which to retry
 *     }
 * }
 * }</pre>
 */
public interface LimitEngine extends AutoCloseable {

    /**
     * Returns a limiter for a policy. Limiters of policies with the same name share their counts: in this process and, on
     * Redis, in all processes.
     */
    Limiter limiter(Policy policy);

    /**
     * Returns a limiter with one rule, which counts each id separately. Its dimension is {@link Attributes#KEY}.
     *
     * @param name the name of the policy: 1 to 64 of {@code A-Z a-z 0-9 . _ -}, the first a letter or digit
     */
    default Limiter limiter(String name, Limit limit) {
        return limiter(Policy.of(name, limit, Attributes.KEY));
    }

    /**
     * Returns a limiter that decides copies of real requests by another version of a policy. Its counts are apart from those of all other
     * limiters, and start from zero. Bans of operators and exemptions apply. No listener is notified of its decisions, {@link #policies}
     * does not contain its policy, and {@link #tryAcquire(CombinedRequest)} does not accept it.
     *
     * <p>It leases no permits, and uses no fallback. It has no effect on the {@link #health}. So that no real request fails because of
     * copies, it sends none while the engine is not healthy, or a quarter of its calls is in flight, or the copies are a tenth of its calls.
     * Then requests fail with a {@link java.util.concurrent.RejectedExecutionException}.
     *
     * @param policy the other version
     * @param shadow identifies the counts, for all processes: 1 to 64 of {@code A-Z a-z 0-9 . _ -}, the first a letter or digit. The
     *     engine in memory drops them when no limiter of them is referenced; in Redis, they expire
     */
    Limiter shadowLimiter(Policy policy, String shadow);

    /**
     * Returns an in-flight limiter, which bounds how much runs at the same time. Limiters of policies with the same name share
     * their holds: in this process and, on Redis, in all processes.
     */
    InFlightLimiter inFlight(InFlightPolicy policy);

    /**
     * Returns an in-flight limiter with one rule, which counts each id separately. Its dimension is {@link Attributes#KEY}.
     *
     * @param name the name of the policy: 1 to 64 of {@code A-Z a-z 0-9 . _ -}, the first a letter or digit
     * @param permits the most permits held at the same time for each id: 0 to 100 000
     */
    default InFlightLimiter inFlight(String name, long permits) {
        return inFlight(InFlightPolicy.of(name, permits, Attributes.KEY));
    }

    /** The name of the policy of {@link #allow}. Its dimensions are {@code action} and {@code user}. */
    String ALLOW_POLICY = "limits.allow";

    /**
     * Requests one permit for an action of a user: at most {@code permits} in any {@code window}, by an exact sliding window. All calls
     * count under the policy {@value #ALLOW_POLICY}, separately for each action and user. A call with another limit continues from the
     * same count. On Redis, concurrent calls with the same limit are batched, and while Redis does not reply, the fallback of the engine
     * decides.
     *
     * @param user the user, account or address; any text that is not empty
     * @param action the action, such as {@code send-sms} or {@code /api/reply}; any text that is not empty
     * @param permits the limit: 0 to 1 000 000
     * @param window 1 ms to 366 days, in whole microseconds
     * @return true if the request is allowed, and then it is counted unless an {@linkplain Fallback#open() open} fallback decided
     * @throws IllegalArgumentException if an argument is empty or out of range
     * @throws LimiterException if the store fails or does not reply in time, and the engine has no fallback
     */
    boolean allow(String user, String action, long permits, Duration window);

    /**
     * Decides one request under several policies: all of them allow it and are charged, or none is charged.
     *
     * <pre>{@code
     * CombinedDecision decision = limits.tryAcquire(CombinedRequest.of(perUser, "alice").and(perAddress, "192.0.2.1"));
     * if (decision.denied()) {
     *     // decision.retryAfter() is the time after which all policies would allow it
     * }
     * }</pre>
     *
     * <p>Only rules that {@linkplain Rule#countingAttempts() count attempts} are charged when the request is denied. {@linkplain
     * Policy.Builder#leased() Leased} policies are charged in the store, and spend no leased permits. While Redis does not reply, the
     * {@linkplain Fallback fallback} of each policy decides. A listener is notified of the decision of each policy that decided; see
     * {@link Decision.Basis#SKIPPED}.
     *
     * <p>On Redis this is one call. It is one call for each rule if the keys of the policies are in different slots of a Cluster, or if
     * the engine already uses 256 other combinations of kinds and options of rules. A denied request may then be charged for a moment,
     * until the charge is undone.
     *
     * @throws IllegalArgumentException if a limiter is of another engine, a part lacks a dimension, two parts would be charged to the
     *     same count, or the policies have more than 16 rules together; nothing is charged
     * @throws LimiterException if the store fails or does not reply in time, and one of the policies has no fallback
     */
    CombinedDecision tryAcquire(CombinedRequest request);

    /**
     * The asynchronous form of {@link #tryAcquire(CombinedRequest)}. The stage completes within the engine's timeout, and may do so on
     * a thread of the store's connection, so dependent actions must not block. The method throws an exception for an invalid argument
     * immediately, before it returns a stage.
     */
    CompletionStage<CombinedDecision> tryAcquireAsync(CombinedRequest request);

    /**
     * Refunds the permits that a combined decision charged, under each policy, as {@link Limiter#refund(Attributes, Decision)} does. To
     * refund one of the policies only, pass its decision to its limiter.
     *
     * @param request the decided request
     * @param decision a decision of the same policies in the same order; a denial refunds nothing
     * @return the number of permits refunded under one policy; if the numbers differ, the largest
     * @throws IllegalArgumentException if the decision is of other policies, if no engine created it, or if a part lacks a dimension;
     *     nothing is refunded
     * @throws LimiterException if the store fails. Some policies may be refunded and others not. You can repeat the refund, because each
     *     policy refunds a decision only once
     */
    default long refund(CombinedRequest request, CombinedDecision decision) {
        List<Attributes> attributes = CombinedRequests.refundable(request, decision);
        long most = 0;
        for (int i = 0; i < attributes.size(); i++) {
            Limiter limiter = request.parts().get(i).limiter();
            most = Math.max(
                    most, limiter.refund(attributes.get(i), decision.decisions().get(i)));
        }
        return most;
    }

    /** Returns the bans and exemptions, which apply to the requests of all limiters of this engine. */
    Bans bans();

    /**
     * The load of an engine in this process. The numbers are read one after another.
     *
     * @param waitingRequests the calls of {@code acquire} that have no result yet, for permits and for holds
     * @param heldPermits the permits of the {@linkplain Hold holds} of this engine that are neither released nor lost, each hold counted
     *     once; those with tickets do not count
     * @param leasedIds the ids for which permits are, or may be, {@linkplain Policy.Builder#leased() leased}, in each policy
     * @param unsyncedIds the ids, in each rule, whose permits were admitted without Redis and are not charged there yet; those whose
     *     charge is in flight do not count
     */
    record Load(long waitingRequests, long heldPermits, long leasedIds, long unsyncedIds) {}

    /** Returns the load of this engine in this process. Makes no call. */
    Load load();

    /** Returns the health of the store; always {@link Health#HEALTHY} in memory. */
    Health health();

    /**
     * Returns the current policies of the limiters that this engine created and the application still references, each once, sorted by
     * name. Two versions of a policy are two elements. A limiter that is no longer referenced disappears from the list after a garbage
     * collection. Includes a policy for each limit of {@link #allow}, but no in-flight policies.
     */
    List<Policy> policies();

    /**
     * Adds a listener, which receives the events of all limiters from now on. It is not notified of the current health: after adding
     * it, read {@link #health()}. Adding a listener again does nothing.
     */
    void addListener(LimitListener listener);

    /** Removes a listener; does nothing if it was not added. A call of the listener that is in progress continues. */
    void removeListener(LimitListener listener);

    /**
     * Closes the engine. An in-memory engine drops its counts; counts in Redis stay until they expire. Open {@linkplain Hold
     * holds} are released, which takes up to two seconds; those with a {@linkplain Hold#ticket() ticket} remain in Redis. A second call
     * does nothing.
     *
     * <p>Every later call on the engine and its limiters fails with an {@link IllegalStateException} that names the engine. A
     * blocking call throws it; an asynchronous call returns a future that fails with it. A call that is in flight or waits for
     * permits ends with its result or with this exception. Releasing a hold without a ticket remains harmless, and accessors such as
     * {@link Limiter#policy()} still return.
     */
    @Override
    void close();
}
