package io.headgate.server.holds;

import io.headgate.limits.AsyncInFlightLimiter;
import io.headgate.limits.Attributes;
import io.headgate.limits.HoldTicket;
import io.headgate.limits.InFlightPolicy;
import io.headgate.server.http.JsonBody;
import io.headgate.server.http.ProblemException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * A request to renew or release a hold. An unknown member is an error, as in {@code POST /v1/check}.
 *
 * @param policy the name of the policy
 * @param attributes the attributes with which the hold was taken
 * @param hold the ticket of the hold
 * @param requestedLease the new lease of a renewal; if empty, the lease of the policy. Always empty in a release
 */
record HeldRequest(String policy, Map<String, String> attributes, HoldTicket hold, Optional<Duration> requestedLease) {

    private static final List<String> MEMBERS = List.of("policy", "attributes", "hold");
    private static final String EXAMPLE =
            "{\"policy\": \"exports\", \"attributes\": {\"user\": \"alice\"}, \"hold\": \"AQbM\"}";

    /**
     * Reads the body of a renewal.
     *
     * @throws ProblemException with status 400 that states what is wrong
     */
    static HeldRequest renewal(byte[] body) {
        List<String> members = new ArrayList<>(MEMBERS);
        members.add("leaseSeconds");
        JsonBody json = JsonBody.parse(body, members, EXAMPLE);
        return of(json, HoldSeconds.lease(json));
    }

    /**
     * Reads the body of a release.
     *
     * @throws ProblemException with status 400 that states what is wrong
     */
    static HeldRequest release(byte[] body) {
        return of(JsonBody.parse(body, MEMBERS, EXAMPLE), Optional.empty());
    }

    private static HeldRequest of(JsonBody json, Optional<Duration> lease) {
        return new HeldRequest(json.string("policy"), json.strings("attributes"), ticket(json.string("hold")), lease);
    }

    private static HoldTicket ticket(String text) {
        try {
            return new HoldTicket(text);
        } catch (IllegalArgumentException e) {
            throw ProblemException.badRequest("hold must be the ticket from the response to POST /v1/holds, unchanged");
        }
    }

    /** The new lease, which starts now. If the maximum lifetime of the hold ends earlier, the hold expires at that time. */
    Duration lease(InFlightPolicy policy) {
        return lease(requestedLease, policy);
    }

    /** The requested lease, or that of the policy; at most the maximum lifetime that the policy sets. */
    static Duration lease(Optional<Duration> requestedLease, InFlightPolicy policy) {
        Duration lease = requestedLease.orElse(policy.lease());
        return policy.atMost().filter(longest -> longest.compareTo(lease) < 0).orElse(lease);
    }

    /**
     * Renews the hold. Returns false if it had already expired or was released.
     *
     * @throws IllegalArgumentException if an attribute is invalid, a dimension is missing, or the hold is of another policy
     */
    CompletionStage<Boolean> renew(AsyncInFlightLimiter limiter) {
        return limiter.tickets().renew(hold, Attributes.of(attributes), lease(limiter.policy()));
    }

    /**
     * Releases the hold. Returns false if it had already expired or was released.
     *
     * @throws IllegalArgumentException if an attribute is invalid, a dimension is missing, or the hold is of another policy
     */
    CompletionStage<Boolean> release(AsyncInFlightLimiter limiter) {
        return limiter.tickets().release(hold, Attributes.of(attributes));
    }
}
