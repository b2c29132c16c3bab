package io.headgate.limits;

import io.headgate.limits.internal.TicketText;

/**
 * Names a hold that nobody renews in the background, so that whoever has it can renew and release the hold, in any process.
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
}
