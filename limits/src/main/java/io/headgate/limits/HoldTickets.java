package io.headgate.limits;

import java.time.Duration;
import java.util.concurrent.CompletionStage;

/**
 * Grants holds that outlive the process that requested them, because the holder is elsewhere: a client of a server, or a job that
 * moves from one process to the next.
 *
 * <p>No engine renews such a hold. Its {@linkplain Hold#ticket() ticket} identifies it, and any engine renews or releases it by the
 * ticket. Without a renewal the hold ends with its lease. All holds of a policy share the same permits, with and without tickets.
 *
 * <p>Methods do not block. A stage fails with a {@link LimiterException}, or with an {@link IllegalStateException} if the engine is
 * closed. An invalid argument is thrown, not returned; a request with a request id is invalid. Cancelling the future of a granting
 * stage leaves nothing held.
 *
 * <p>Instances are safe for use by several threads.
 */
public interface HoldTickets {

    /** Requests one permit for an id; see {@link #tryAcquire(PermitRequest, Duration)}. */
    default CompletionStage<Hold> tryAcquire(String id, Duration lease) {
        return tryAcquire(PermitRequest.of(id), lease);
    }

    /**
     * Requests permits of every rule. The hold has a ticket, and stays when the engine is closed. It is never {@linkplain
     * Hold#isLost() lost} as far as this process knows.
     *
     * @param request the request for 1 to 100 permits; must not have a request id
     * @param lease the time until the hold ends without a renewal: 1 second to 1 hour, in whole milliseconds; at most the policy's
     *     {@code atMost}
     * @throws IllegalArgumentException if the request does not suit the policy, or the lease is out of range
     */
    CompletionStage<Hold> tryAcquire(PermitRequest request, Duration lease);

    /** Requests one permit for an id, and waits until it is free; see {@link #acquire(PermitRequest, Duration, Duration)}. */
    default CompletionStage<Hold> acquire(String id, Duration lease, Duration maxWait) {
        return acquire(PermitRequest.of(id), lease, maxWait);
    }

    /**
     * Requests permits as {@link #tryAcquire(PermitRequest, Duration)} does, and waits until they are free as {@link
     * AsyncInFlightLimiter#acquire(PermitRequest, Duration)} does.
     */
    CompletionStage<Hold> acquire(PermitRequest request, Duration lease, Duration maxWait);

    /** Renews a hold; see {@link #renew(HoldTicket, Attributes, Duration)}. */
    CompletionStage<Boolean> renew(HoldTicket ticket, String id, Duration lease);

    /**
     * Renews a hold: it lasts for the lease from now on, but never {@linkplain HoldTicket#endsAt() longer} than the policy's {@code
     * atMost} at the time of the grant. A rule that was added to the policy since does not count the hold; a rule that was removed is
     * not renewed.
     *
     * @param attributes the attributes of the request
     * @return completes with whether the hold was held; if it was lost or released, nothing of it stays held
     * @throws IllegalArgumentException if the ticket is of none of the policy's rules, a dimension is missing, the hold was
     *     granted for other ids, or the lease is out of range; nothing changes
     */
    CompletionStage<Boolean> renew(HoldTicket ticket, Attributes attributes, Duration lease);

    /** Releases a hold; see {@link #release(HoldTicket, Attributes)}. */
    CompletionStage<Boolean> release(HoldTicket ticket, String id);

    /**
     * Releases a hold. A second release has no effect.
     *
     * @param attributes the attributes of the request
     * @return completes with whether the hold was held
     * @throws IllegalArgumentException if the ticket is of none of the policy's rules, a dimension is missing, or the hold was
     *     granted for other ids; nothing changes
     */
    CompletionStage<Boolean> release(HoldTicket ticket, Attributes attributes);
}
