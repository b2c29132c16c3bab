package io.headgate.limits;

import java.time.Duration;
import java.util.List;

/**
 * An engine: keeps what is counted, and makes limiters. One for an application is enough; it is safe for use by any
 * number of threads, and is closed when the application ends.
 *
 * <pre>{@code
 * try (LimitEngine limits = InMemoryLimitEngine.create()) {
 *     Limiter logins = limits.limiter("logins", Limit.slidingWindow(5, Duration.ofMinutes(1)));
 *     Decision decision = logins.tryAcquire("alice");
 *     if (decision.denied()) {
 *         // decision.retryAfter() says when to come back
 *     }
 * }
 * }</pre>
 */
public interface LimitEngine extends AutoCloseable {

    /**
     * A limiter for the policy. Limiters of policies with the same name share what is counted, in this process and, on
     * Redis, in all of them.
     */
    Limiter limiter(Policy policy);

    /** A limiter of one rule, which counts each id that it is asked with alone. */
    default Limiter limiter(String name, Limit limit) {
        return limiter(Policy.of(name, limit, Attributes.KEY));
    }

    /**
     * A limiter of what is in flight: at most so many at once. Limiters of policies with the same name share what is held, in
     * this process and, on Redis, in all of them.
     */
    InFlightLimiter inFlight(InFlightPolicy policy);

    /**
     * An in-flight limiter of one rule, which counts each id that it is asked with alone.
     *
     * @param name of the policy
     * @param permits how many may be held at once for each id: 0 to 100 000
     */
    default InFlightLimiter inFlight(String name, long permits) {
        return inFlight(InFlightPolicy.of(name, permits, Attributes.KEY));
    }

    /** The name of the policy under which {@link #allow} counts, by {@code action} and {@code user}. */
    String ALLOW_POLICY = "limits.allow";

    /**
     * Requests one permit for an action of a user: at most {@code permits} in any {@code window}, by an exact sliding window. All calls
     * count under the policy {@value #ALLOW_POLICY}, separately for each action and user. Concurrent calls with the same limit are
     * batched. A call with another limit continues from the same count.
     *
     * @param user the user, account or address; any text that is not empty
     * @param action the action, such as {@code send-sms} or {@code /api/reply}; any text that is not empty
     * @param permits the limit: 0 to 1 000 000
     * @param window 1 ms to 366 days
     * @return true if the request is allowed, and then it is counted
     * @throws IllegalArgumentException if an argument is empty or out of range
     * @throws LimiterException if the store fails or does not reply in time
     */
    boolean allow(String user, String action, long permits, Duration window);

    /** The health of the store; always {@link Health#HEALTHY} in memory. */
    Health health();

    /**
     * The current policies of the limiters that this engine created and that the application still uses, each once, by name. A limiter that
     * is no longer reachable is left out once the garbage collector has found it. The limiters of {@link #allow} are included, in-flight
     * limiters are not.
     */
    List<Policy> policies();

    /**
     * Adds a listener to the running engine, also for limiters that exist. A listener that was added before is not added again.
     */
    void addListener(LimitListener listener);

    /** Removes a listener; does nothing if it was not added. A call of the listener that is in progress ends. */
    void removeListener(LimitListener listener);

    /**
     * Closes the engine. An engine in memory forgets its counts; counts in Redis stay until they expire. Open {@linkplain Hold
     * holds} are released, which takes up to two seconds. A second call does nothing.
     *
     * <p>Every later call on the engine and on its limiters fails with an {@link IllegalStateException} that names the engine. A
     * blocking call throws it; an asynchronous call returns a future that fails with it. A call that is in flight or waits for
     * permits ends with its answer or with this exception. Releasing a hold of the engine's own twice stays harmless, and
     * accessors such as {@link Limiter#policy()} still answer.
     */
    @Override
    void close();
}
