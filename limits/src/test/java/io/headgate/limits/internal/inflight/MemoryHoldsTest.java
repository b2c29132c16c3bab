package io.headgate.limits.internal.inflight;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.limits.Attributes;
import io.headgate.limits.Hold;
import io.headgate.limits.HoldTicket;
import io.headgate.limits.HoldTickets;
import io.headgate.limits.InFlightLimiter;
import io.headgate.limits.InFlightPolicy;
import io.headgate.limits.LimiterException;
import io.headgate.limits.PermitRequest;
import io.headgate.limits.internal.EngineState;
import io.headgate.limits.internal.LimitListeners;
import io.headgate.limits.internal.bans.BanIndex;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Tests the bound of the holds in memory, and that a ticket can't claim more permits than it was granted. */
class MemoryHoldsTest {

    private static final Duration LEASE = Duration.ofSeconds(30);

    private final AtomicLong nowMicros = new AtomicLong(1_000_000);
    private final MemoryHolds holds = new MemoryHolds(nowMicros::get, 10);
    private final InFlightLimiter exports = new StoreInFlightLimiter(
            InFlightPolicy.named("exports")
                    .rule("global", 100)
                    .rule("per-user", 100, Attributes.USER)
                    .build(),
            InFlightEngine.inMemory(
                    holds,
                    new BanIndex(nowMicros::get),
                    new LimitListeners(List.of()),
                    new EngineState(() -> "limits in this test")));
    private final HoldTickets tickets = exports.async().tickets();

    private static Attributes user(int number) {
        return Attributes.of(Attributes.USER, "u" + number);
    }

    private static <T> T await(CompletionStage<T> stage) {
        return stage.toCompletableFuture().join();
    }

    private HoldTicket acquireTicket(int user) {
        return await(tickets.tryAcquire(PermitRequest.of(user(user)), LEASE))
                .ticket()
                .orElseThrow();
    }

    private void assertFull() {
        assertThatThrownBy(() -> acquireTicket(99))
                .isInstanceOf(CompletionException.class)
                .cause()
                .isInstanceOf(LimiterException.class)
                .hasMessageContaining("this engine has 10 holds; no permit was taken")
                .matches(problem -> !((LimiterException) problem).mayBeCharged());
    }

    @Test
    void the_number_of_holds_is_bounded_and_each_hold_that_ends_makes_room() {
        HoldTicket first = acquireTicket(0);
        Hold own = exports.tryAcquire(PermitRequest.of(user(1)));
        for (int i = 2; i < 10; i++) {
            acquireTicket(i);
        }
        assertFull();
        assertThat(await(tickets.release(first, user(0)))).isTrue();
        acquireTicket(10);
        assertFull();
        assertThat(own.release()).isTrue();
        HoldTicket last = acquireTicket(11);
        assertFull();
        assertThat(await(tickets.renew(last, user(11), LEASE))).isTrue();
        assertFull();

        assertThat(exports.resetRule("per-user", user(11))).isTrue();
        // It is still held under the global rule.
        assertFull();
        assertThat(exports.resetRule("global", user(11))).isTrue();
        acquireTicket(12);
        assertFull();
        assertThat(await(tickets.renew(last, user(11), LEASE))).isFalse();
        nowMicros.addAndGet(LEASE.toNanos() / 1000);
        for (int i = 0; i < 10; i++) {
            acquireTicket(i);
        }
        assertFull();
        // The places: one for each of ten users, and that of the global rule.
        assertThat(holds.size()).isEqualTo(11);
    }

    @Test
    void a_hold_that_returns_to_a_place_after_its_reset_counts_once() {
        List<String> places = holds.places(exports.policy(), user(0));
        PlacedHold hold = new PlacedHold("exports", new HoldId(1, 1), 1, places, Optional.empty());
        holds.put(hold, LEASE);
        exports.resetRule("per-user", user(0));
        holds.put(hold, LEASE);
        exports.resetRule("global", user(0));
        await(holds.acquire(exports.policy(), hold));
        for (int i = 1; i < 10; i++) {
            acquireTicket(i);
        }
        assertFull();
        assertThat(await(holds.release(List.of(hold)))).map(Released::permits).containsExactly(List.of(1, 1));
        acquireTicket(10);
        assertFull();
    }

    @Test
    void a_forged_number_of_permits_in_a_ticket_has_no_effect() {
        InFlightPolicy policy = exports.policy();
        TicketText taken = TicketText.read(acquireTicket(0).text());
        HoldTicket more = new HoldTicket(TicketText.of(taken.id(), 100, taken.endsMicros(), policy, user(0))
                .text());
        assertThat(await(tickets.renew(more, user(0), LEASE))).isTrue();
        assertThat(exports.peek(PermitRequest.of(user(0))).rule("global").held())
                .isEqualTo(1);
        PlacedHold forged = new PlacedHold("exports", taken.id(), 100, holds.places(policy, user(0)), Optional.empty());
        assertThat(await(holds.release(List.of(forged)))).map(Released::permits).containsExactly(List.of(1, 1));
        assertThat(exports.peek(PermitRequest.of(user(0))).rule("global").held())
                .isZero();
    }
}
