package io.headgate.limits;

import java.time.Duration;
import java.util.concurrent.CompletionStage;

/**
 * Grants holds that outlive the process that requested them, because another process holds them: a client of a server, or a job that
 * moves from one process to the next.
 *
 * <p>No engine renews such a hold by itself. You renew or release it with its {@linkplain Hold#ticket() ticket}, at any engine. Without
 * a renewal, the hold ends with its lease. All holds of a policy share the same permits, with and without tickets.
 *
 * <p>Methods do not block. A stage fails with a {@link LimiterException}, or with an {@link IllegalStateException} if the engine is
 * closed. A method throws an exception for an invalid argument immediately, before it returns a stage; a request with a request id is
 * invalid. If you cancel the future of a request, nothing stays held.
 *
 * <p>Instances are safe for use by several threads.
 */
public interface HoldTickets {

    /** Requests one permit for an id; see {@link #tryAcquire(PermitRequest, Duration)}. */
    default CompletionStage<Hold> tryAcquire(String id, Duration lease) {
        return tryAcquire(PermitRequest.of(id), lease);
    }

    /**
     * Requests permits of every rule. The hold has a ticket, and remains in Redis when the engine is closed. {@link Hold#isLost()}
     * always returns false for it, because only its holder renews it.
     *
     * @param request the request for 1 to 100 permits; must not have a request id
     * @param lease the time until the hold ends without a renewal: 1 second to 1 hour, in whole milliseconds; cut to the policy's
     *     {@code atMost} if that is shorter
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

    /** Renews a hold of an id; see {@link #renew(HoldTicket, Attributes, Duration)}. */
    CompletionStage<Boolean> renew(HoldTicket ticket, String id, Duration lease);

    /**
     * Renews a hold: its lease starts again from now, but never extends beyond {@link HoldTicket#endsAt()}. A rule that was added to
     * the policy after the grant does not count the hold; the permits of a rule that was removed are not renewed.
     *
     * @param attributes the attributes of the request
     * @param lease the time until the hold ends without another renewal, as for {@link #tryAcquire(PermitRequest, Duration)}
     * @return completes with whether the hold was still held; if it was lost or released, none of its permits stays held
     * @throws IllegalArgumentException if the policy has none of the rules of the ticket, a dimension is missing, the hold was granted
     *     for other ids, or the lease is out of range; nothing changes
     */
    CompletionStage<Boolean> renew(HoldTicket ticket, Attributes attributes, Duration lease);

    /** Releases a hold of an id; see {@link #release(HoldTicket, Attributes)}. */
    CompletionStage<Boolean> release(HoldTicket ticket, String id);

    /**
     * Releases a hold. A second release has no effect, and completes with false.
     *
     * @param attributes the attributes of the request
     * @return completes with whether the hold was held
     * @throws IllegalArgumentException if the policy has none of the rules of the ticket, a dimension is missing, or the hold was
     *     granted for other ids; nothing changes
     */
    CompletionStage<Boolean> release(HoldTicket ticket, Attributes attributes);
}
