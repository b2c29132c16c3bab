package io.headgate.limits;

import io.headgate.limits.internal.Micros;
import io.headgate.limits.internal.inflight.HoldStore;
import io.headgate.limits.internal.inflight.TicketText;
import java.time.Instant;
import java.util.Optional;

/**
 * Identifies a hold that the engine does not renew. Any process that has the ticket, and the ids of the request, can renew and release
 * the hold. A ticket can't be guessed, but it is not signed.
 *
 * @param text up to 208 characters of {@code A-Z a-z 0-9 _ -}, in a format that is internal to Headgate
 */
public record HoldTicket(String text) {

    /**
     * Checks the text.
     *
     * @throws IllegalArgumentException if the text is not that of a ticket
     */
    public HoldTicket {
        TicketText.read(text);
    }

    /**
     * Returns the latest end of the hold, by the clock of the engine's store: a renewal extends the hold at most to this time. Empty if
     * the policy had no {@code atMost} when the hold was granted.
     */
    public Optional<Instant> endsAt() {
        long endsMicros = TicketText.read(text).endsMicros();
        return endsMicros == HoldStore.NEVER ? Optional.empty() : Optional.of(Micros.toInstant(endsMicros));
    }
}
