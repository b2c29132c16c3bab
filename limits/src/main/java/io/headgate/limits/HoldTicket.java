package io.headgate.limits;

import io.headgate.limits.internal.Micros;
import io.headgate.limits.internal.inflight.HoldStore;
import io.headgate.limits.internal.inflight.TicketText;
import java.time.Instant;
import java.util.Optional;

/**
 * Identifies a hold that is not renewed in the background. Any process that has the ticket can renew and release the hold.
 * Whom it is given to can do both: it can't be guessed, but it is not signed either.
 *
 * @param text up to 208 characters of {@code A-Z a-z 0-9 _ -}; what they say is Headgate's own
 */
public record HoldTicket(String text) {

    /**
     * Checks the text.
     *
     * @throws IllegalArgumentException when it is that of no ticket
     */
    public HoldTicket {
        TicketText.read(text);
    }

    /**
     * When the hold ends however often it is renewed, by the clock of the engine's store, as the ticket says; none where the policy
     * had no {@code atMost} when it was taken. A renewal shortly before lasts until then only, and not for its lease.
     */
    public Optional<Instant> endsAt() {
        long endsMicros = TicketText.read(text).endsMicros();
        return endsMicros == HoldStore.NEVER ? Optional.empty() : Optional.of(Micros.toInstant(endsMicros));
    }
}
