package io.headgate.limits.internal.inflight;

import io.headgate.limits.Hold;
import io.headgate.limits.HoldTicket;
import io.headgate.limits.InFlight;
import io.headgate.limits.InFlightRule;
import io.headgate.limits.internal.Blocking;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/** A granted hold with a ticket. Only clients with the ticket renew its lease. */
final class TicketHold implements Hold {

    private final HoldTicket ticket;
    private final InFlight inFlight;
    private final Blocking blocking;
    private final Supplier<CompletionStage<Boolean>> release;

    /**
     * Creates a hold that was just granted.
     *
     * @param release releases the hold, and completes with whether it was held; a repeated call completes with false
     */
    TicketHold(HoldTicket ticket, InFlight inFlight, Blocking blocking, Supplier<CompletionStage<Boolean>> release) {
        this.ticket = ticket;
        this.inFlight = inFlight;
        this.blocking = blocking;
        this.release = release;
    }

    @Override
    public boolean allowed() {
        return true;
    }

    @Override
    public Optional<HoldTicket> ticket() {
        return Optional.of(ticket);
    }

    @Override
    public InFlight inFlight() {
        return inFlight;
    }

    @Override
    public Optional<InFlightRule> deniedBy() {
        return Optional.empty();
    }

    @Override
    public boolean isLost() {
        return false;
    }

    @Override
    public void onLost(Runnable what) {
        // The client notices a loss at its next renewal.
    }

    @Override
    public boolean release() {
        // Sent first, so that the hold is released even if the thread is interrupted and does not wait for the reply.
        CompletableFuture<Boolean> answer = release.get().toCompletableFuture();
        return blocking.await("release", () -> answer);
    }

    @Override
    public CompletionStage<Boolean> releaseAsync() {
        return release.get();
    }

    @Override
    public void close() {
        releaseAsync();
    }
}
