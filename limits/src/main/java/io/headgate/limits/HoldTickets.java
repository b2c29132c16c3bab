package io.headgate.limits;

import java.time.Duration;
import java.util.concurrent.CompletionStage;

/**
 * Holds that outlive the process that took them, as who holds is somebody else: a client of a server, a job that goes from one
 * process to the next. No engine renews them. Who holds has a {@linkplain Hold#ticket() ticket}, and whoever shows it to any engine
 * renews the hold or releases it; when nobody does, the hold ends with its lease. Places are shared with the holds of all
 * others.
 *
 * <p>Calls don't wait, as those of {@link AsyncInFlightLimiter}; stages fail with a {@link LimiterException}, and a wrong
 * argument is an {@link IllegalArgumentException} that is thrown at once. Safe for use by any number of threads.
 */
public interface HoldTickets {

    /**
     * Takes permits of every rule when all of them have enough. The hold has a ticket; it is never {@linkplain Hold#isLost()
     * lost} as far as this process knows. When the engine is closed, it stays.
     *
     * @param permits 1 to 100
     * @param lease how long it lasts when it is not renewed: 1 second to 1 hour, in whole milliseconds; never longer than the
     *     policy's {@code atMost}
     */
    CompletionStage<Hold> tryAcquire(Attributes attributes, long permits, Duration lease);

    /** The same, waiting for a place as {@link AsyncInFlightLimiter#acquire(Attributes, long, Duration)} does. */
    CompletionStage<Hold> acquire(Attributes attributes, long permits, Duration lease, Duration maxWait);

    /**
     * Has a hold last for the lease from now on, but never {@linkplain HoldTicket#endsAt() longer} than the policy's {@code atMost} of when
     * it was taken. Rules that
     * the policy has got since then don't count it, and of those that are gone nothing is renewed.
     *
     * @param attributes those that it was taken with
     * @return whether it was held until now; false when it was lost or released, and then nothing of it stays taken
     * @throws IllegalArgumentException when the ticket is of none of the policy's rules, a dimension is missing, the hold
     *     was taken with other ids than these attributes have, or the lease is out of range; then nothing is changed
     */
    CompletionStage<Boolean> renew(HoldTicket ticket, Attributes attributes, Duration lease);

    /**
     * Gives a hold back. To do so again does nothing.
     *
     * @param attributes those that it was taken with
     * @return whether it was held until now
     * @throws IllegalArgumentException when the ticket is of none of the policy's rules, a dimension is missing, or the
     *     hold was taken with other ids than these attributes have; then nothing is given back
     */
    CompletionStage<Boolean> release(HoldTicket ticket, Attributes attributes);
}
