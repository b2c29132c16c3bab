package io.headgate.limits.internal.inflight;

import io.headgate.limits.Attributes;
import io.headgate.limits.Hold;
import io.headgate.limits.HoldTicket;
import io.headgate.limits.HoldTickets;
import io.headgate.limits.InFlightPolicy;
import io.headgate.limits.InFlightRule;
import io.headgate.limits.PermitRequest;
import io.headgate.limits.internal.Micros;
import io.headgate.limits.internal.waiting.WaitAnswer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/** The holds with tickets of any engine. Their state is only in the ticket and in the store, not in this process. */
final class StoreHoldTickets implements HoldTickets {

    private final Supplier<InFlightPolicy> policy;
    private final InFlightEngine engine;

    /**
     * Creates an instance for a limiter.
     *
     * @param policy returns the current policy of the limiter
     */
    StoreHoldTickets(Supplier<InFlightPolicy> policy, InFlightEngine engine) {
        this.policy = policy;
        this.engine = engine;
    }

    @Override
    public CompletionStage<Hold> tryAcquire(PermitRequest request, Duration lease) {
        return attempt(InFlightEngine.attributes(policy.get(), request), request.permits(), lease);
    }

    @Override
    public CompletionStage<Hold> acquire(PermitRequest request, Duration lease, Duration maxWait) {
        InFlightPolicy now = policy.get();
        Attributes attributes = InFlightEngine.attributes(now, request);
        long permits = request.permits();
        leased(now, lease); // Checks the lease before the request waits.
        return new WaitAnswer<>(
                engine.waiting(now, attributes, permits, maxWait, () -> attempt(attributes, permits, lease)),
                Hold::close);
    }

    private CompletableFuture<Hold> attempt(Attributes attributes, long permits, Duration lease) {
        InFlightPolicy now = policy.get();
        HoldRequest request = new HoldRequest(now, attributes, permits);
        PlacedHold placed = new PlacedHold(
                now.name(), HoldId.random(), permits, engine.store().places(now, attributes), now.fallback());
        return engine.acquire(
                request,
                leased(now, lease),
                placed,
                (taken, sentNanos) -> new TicketHold(
                        ticket(request, placed, Micros.of(taken.inFlight().at())),
                        taken.inFlight(),
                        engine.blocking(),
                        () -> engine.release(placed)));
    }

    private static HoldTicket ticket(HoldRequest request, PlacedHold placed, long takenMicros) {
        InFlightPolicy policy = request.policy();
        long ends =
                policy.atMost().map(longest -> takenMicros + Micros.of(longest)).orElse(HoldStore.NEVER);
        return new HoldTicket(TicketText.of(placed.id(), placed.permits(), ends, policy, request.attributes())
                .text());
    }

    /** Returns the policy as the store receives it: with this lease, or with its {@code atMost} as the lease if that is shorter. */
    private static InFlightPolicy leased(InFlightPolicy policy, Duration lease) {
        // Fails if the lease is out of range, even if atMost replaces it.
        InFlightPolicy leased = withLease(policy, lease);
        return policy.atMost()
                .filter(longest -> longest.compareTo(lease) < 0)
                .map(longest -> withLease(policy, longest))
                .orElse(leased);
    }

    private static InFlightPolicy withLease(InFlightPolicy policy, Duration lease) {
        // Without atMost, which must not be shorter than the lease. The ticket has the end that follows from it.
        return new InFlightPolicy(policy.name(), policy.rules(), lease, Optional.empty(), policy.fallback());
    }

    @Override
    public CompletionStage<Boolean> renew(HoldTicket ticket, String id, Duration lease) {
        return renew(ticket, policy.get().attributesOf(id), lease);
    }

    @Override
    public CompletionStage<Boolean> renew(HoldTicket ticket, Attributes attributes, Duration lease) {
        if (engine.state().isClosed()) {
            return engine.state().failed();
        }
        InFlightPolicy now = policy.get();
        TicketText read = TicketText.read(ticket.text());
        PlacedHold placed = placed(now, read, attributes);
        return engine.store()
                .renew(leased(now, lease).lease(), read.endsMicros(), List.of(placed))
                .thenApply(held -> {
                    if (!held[0]) {
                        // The hold may have been lost in one place only, and must not stay held in others.
                        engine.release(placed);
                    }
                    return held[0];
                });
    }

    @Override
    public CompletionStage<Boolean> release(HoldTicket ticket, String id) {
        return release(ticket, policy.get().attributesOf(id));
    }

    @Override
    public CompletionStage<Boolean> release(HoldTicket ticket, Attributes attributes) {
        InFlightPolicy now = policy.get();
        PlacedHold placed = placed(now, TicketText.read(ticket.text()), attributes);
        return engine.release(placed);
    }

    /** Returns the hold of a ticket, with the places of those of its rules that the policy still has. */
    private PlacedHold placed(InFlightPolicy now, TicketText ticket, Attributes attributes) {
        List<InFlightRule> rules = ticket.rulesOf(now, attributes);
        InFlightPolicy held = new InFlightPolicy(now.name(), rules, now.lease(), now.atMost(), now.fallback());
        return new PlacedHold(
                now.name(), ticket.id(), ticket.permits(), engine.store().places(held, attributes), now.fallback());
    }
}
