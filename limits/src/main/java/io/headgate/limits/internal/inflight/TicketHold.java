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

/** A place that was taken, whose lease nobody renews but who shows its ticket. */
final class TicketHold implements Hold {

    private final HoldTicket ticket;
    private final InFlight inFlight;
    private final Blocking blocking;
    private final Supplier<CompletionStage<Boolean>> giveBack;

    /**
     * One that was just taken.
     *
     * @param giveBack gives it back, and says whether it was held; to do so again does nothing
     */
    TicketHold(HoldTicket ticket, InFlight inFlight, Blocking blocking, Supplier<CompletionStage<Boolean>> giveBack) {
        this.ticket = ticket;
        this.inFlight = inFlight;
        this.blocking = blocking;
        this.giveBack = giveBack;
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
        // Who renews it learns of it.
    }

    @Override
    public boolean release() {
        // Begun in any case, also where an interrupted thread does not wait for the answer.
        CompletableFuture<Boolean> answer = giveBack.get().toCompletableFuture();
        return blocking.await("release", () -> answer);
    }

    @Override
    public CompletionStage<Boolean> releaseAsync() {
        return giveBack.get();
    }

    @Override
    public void close() {
        releaseAsync();
    }
}
