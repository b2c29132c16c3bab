package io.headgate.server.holds;

import io.headgate.limits.AsyncInFlightLimiter;
import io.headgate.limits.Attributes;
import io.headgate.limits.Hold;
import io.headgate.limits.HoldTickets;
import io.headgate.limits.InFlightPolicy;
import io.headgate.limits.PermitRequest;
import io.headgate.server.http.JsonBody;
import io.headgate.server.http.ProblemException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * The body of {@code POST /v1/holds}, read as strictly as a check.
 *
 * @param policy the name of the policy
 * @param attributes the attributes of the request
 * @param permits 1 to 100
 * @param requestedLease the lease; by default, that of the policy
 * @param maxWait how long to wait for free permits
 */
record TakeRequest(
        String policy,
        Map<String, String> attributes,
        long permits,
        Optional<Duration> requestedLease,
        Duration maxWait) {

    private static final int MAX_PERMITS = 100;
    private static final String EXAMPLE =
            "{\"policy\": \"exports\", \"attributes\": {\"user\": \"alice\"}, \"leaseSeconds\": 30}";

    /**
     * Reads the body.
     *
     * @throws ProblemException with status 400 that states what is wrong
     */
    static TakeRequest parse(byte[] body) {
        JsonBody json = JsonBody.parse(
                body, List.of("policy", "attributes", "permits", "leaseSeconds", "maxWaitSeconds"), EXAMPLE);
        return new TakeRequest(
                json.string("policy"),
                json.strings("attributes"),
                json.whole("permits", MAX_PERMITS),
                HoldSeconds.lease(json),
                HoldSeconds.maxWait(json).orElse(Duration.ZERO));
    }

    /** The time until the hold expires, unless it is renewed. */
    Duration lease(InFlightPolicy policy) {
        return HeldRequest.lease(requestedLease, policy);
    }

    /**
     * Sends the request to a limiter.
     *
     * @throws IllegalArgumentException if an attribute is invalid or a dimension is missing
     */
    CompletionStage<Hold> sendTo(AsyncInFlightLimiter limiter) {
        HoldTickets tickets = limiter.tickets();
        PermitRequest request = PermitRequest.of(Attributes.of(attributes)).withPermits(permits);
        Duration lease = lease(limiter.policy());
        return maxWait.isZero() ? tickets.tryAcquire(request, lease) : tickets.acquire(request, lease, maxWait);
    }
}
