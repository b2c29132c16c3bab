package io.headgate.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.limits.internal.EngineState;
import io.headgate.limits.internal.LimitListeners;
import io.headgate.limits.internal.bans.BanIndex;
import io.headgate.limits.internal.inflight.InFlightEngine;
import io.headgate.limits.internal.inflight.MemoryHolds;
import io.headgate.limits.internal.inflight.StoreInFlightLimiter;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Holds of the engine in memory that are renewed and released by ticket. */
@Timeout(180)
class HoldTicketsTest {

    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final Attributes ALICE = Attributes.of(Attributes.USER, "alice");
    private static final Attributes BOB = Attributes.of(Attributes.USER, "bob");

    private final AtomicLong nowMicros = new AtomicLong(1_000_000);
    private final InMemoryLimitEngine limits =
            InMemoryLimitEngine.builder().time(nowMicros::get).build();
    private final InFlightLimiter exports = limits.inFlight(policy(2).build());
    private final HoldTickets tickets = exports.async().tickets();

    private static InFlightPolicy.Builder policy(long perUser) {
        return InFlightPolicy.named("exports").rule("global", 3).rule("per-user", perUser, Attributes.USER);
    }

    @AfterEach
    void close() {
        limits.close();
    }

    private void advance(Duration time) {
        nowMicros.addAndGet(time.toNanos() / 1000);
    }

    private static <T> T await(CompletionStage<T> stage) {
        return stage.toCompletableFuture().join();
    }

    private HoldTicket acquiredTicket(Attributes attributes) {
        return await(tickets.tryAcquire(PermitRequest.of(attributes), LEASE))
                .ticket()
                .orElseThrow();
    }

    @Test
    void a_hold_lasts_as_long_as_it_is_renewed() {
        HoldTicket ticket = acquiredTicket(ALICE);
        advance(Duration.ofSeconds(29));
        assertThat(await(tickets.renew(ticket, ALICE, LEASE))).isTrue();
        advance(Duration.ofSeconds(29));
        assertThat(await(tickets.renew(ticket, ALICE, Duration.ofSeconds(5)))).isTrue();
        advance(Duration.ofSeconds(5));
        assertThat(exports.peek(PermitRequest.of(ALICE)).rule("global").held()).isZero();
        assertThat(await(tickets.renew(ticket, ALICE, LEASE))).isFalse();
        assertThat(exports.peek(PermitRequest.of(ALICE)).rule("global").held()).isZero();
    }

    @Test
    void holds_with_and_without_tickets_share_their_permits() {
        HoldTicket ticket = acquiredTicket(ALICE);
        Hold other = exports.tryAcquire(PermitRequest.of(ALICE));
        Hold denied = await(tickets.tryAcquire(PermitRequest.of(ALICE), LEASE));
        assertThat(denied.deniedBy()).hasValue(exports.policy().rule("per-user"));
        assertThat(denied.ticket()).isEmpty();
        assertThat(other.ticket()).isEmpty();
        assertThat(await(tickets.release(ticket, ALICE))).isTrue();
        assertThat(await(tickets.release(ticket, ALICE))).isFalse();
        assertThat(exports.tryAcquire(PermitRequest.of(ALICE)).allowed()).isTrue();
    }

    @Test
    void a_ticket_is_rejected_for_an_id_that_differs_in_half_of_a_surrogate_pair() {
        Attributes half = Attributes.of(Attributes.USER, "\ud800");
        HoldTicket ticket = acquiredTicket(half);

        for (String other : List.of("?", "\udc00", "\ufffd")) {
            assertThatThrownBy(() -> tickets.release(ticket, Attributes.of(Attributes.USER, other)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("was taken with another user");
        }
        assertThat(await(tickets.release(ticket, half))).isTrue();
    }

    @Test
    void with_other_attributes_nothing_is_renewed_or_released() {
        HoldTicket ticket = acquiredTicket(ALICE);
        acquiredTicket(BOB);
        String message =
                "the hold was taken with another user; renew and release it with the attributes that it was taken with";
        assertThatThrownBy(() -> tickets.release(ticket, BOB))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(message);
        advance(Duration.ofSeconds(10));
        assertThatThrownBy(() -> tickets.renew(ticket, BOB, LEASE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(message);
        assertThat(exports.peek(PermitRequest.of(BOB)).rule("per-user").held()).isEqualTo(1);
        assertThat(exports.peek(PermitRequest.of(ALICE)).rule("global").held()).isEqualTo(2);
        assertThat(exports.peek(PermitRequest.of(ALICE)).rule("global").nextExpiry())
                .hasValue(Duration.ofSeconds(20));
        // An attribute that is not a dimension of any rule is not part of the ticket.
        assertThat(await(tickets.renew(ticket, ALICE.with("plan", "free"), LEASE)))
                .isTrue();
    }

    @Test
    void renewing_a_hold_that_was_lost_under_one_rule_releases_it_under_the_others() {
        HoldTicket ticket = acquiredTicket(ALICE);
        assertThat(exports.resetRule("per-user", ALICE)).isTrue();
        assertThat(exports.peek(PermitRequest.of(ALICE)).rule("global").held()).isEqualTo(1);
        assertThat(await(tickets.renew(ticket, ALICE, LEASE))).isFalse();
        assertThat(exports.peek(PermitRequest.of(ALICE)).rule("global").held()).isZero();
    }

    @Test
    void no_renewal_extends_a_hold_beyond_at_most() {
        assertThat(acquiredTicket(BOB).endsAt()).isEmpty();
        exports.update(policy(2).atMost(Duration.ofSeconds(40)).build());
        HoldTicket ticket = await(tickets.tryAcquire(PermitRequest.of(ALICE), Duration.ofHours(1)))
                .ticket()
                .orElseThrow();
        assertThat(ticket.endsAt()).hasValue(Instant.ofEpochSecond(41));
        assertThat(exports.peek(PermitRequest.of(ALICE)).rule("per-user").nextExpiry())
                .hasValue(Duration.ofSeconds(40));
        advance(Duration.ofSeconds(25));
        assertThat(await(tickets.renew(ticket, ALICE, LEASE))).isTrue();
        assertThat(exports.peek(PermitRequest.of(ALICE)).rule("per-user").nextExpiry())
                .hasValue(Duration.ofSeconds(15));
        advance(Duration.ofSeconds(15));
        assertThat(await(tickets.renew(ticket, ALICE, LEASE))).isFalse();
    }

    @Test
    void a_hold_survives_added_and_removed_rules() {
        HoldTicket ticket = acquiredTicket(ALICE);
        exports.update(InFlightPolicy.named("exports")
                .rule("per-user", 2, Attributes.USER)
                .rule("new", 1)
                .build());
        assertThat(await(tickets.renew(ticket, ALICE, LEASE))).isTrue();
        assertThat(exports.peek(PermitRequest.of(ALICE)).rule("new").held()).isZero();
        assertThat(await(tickets.release(ticket, ALICE))).isTrue();
        assertThat(exports.peek(PermitRequest.of(ALICE)).rule("per-user").held())
                .isZero();
    }

    @Test
    void a_waiting_request_gets_the_permit_that_is_released_by_ticket() {
        HoldTicket ticket = acquiredTicket(ALICE);
        acquiredTicket(ALICE);
        CompletableFuture<Hold> waiting =
                tickets.acquire(PermitRequest.of(ALICE), LEASE, LONG).toCompletableFuture();
        assertThat(waiting).isNotDone();
        assertThat(await(tickets.release(ticket, ALICE))).isTrue();
        assertThat(waiting.join().ticket()).isPresent();
    }

    @Test
    void a_cancelled_wait_leaves_nothing_held() {
        acquiredTicket(ALICE);
        Hold second = exports.tryAcquire(PermitRequest.of(ALICE));
        CompletableFuture<Hold> waiting =
                tickets.acquire(PermitRequest.of(ALICE), LEASE, LONG).toCompletableFuture();
        waiting.cancel(true);
        second.close();
        assertThat(exports.peek(PermitRequest.of(ALICE)).rule("per-user").held())
                .isEqualTo(1);
        Hold hold = await(tickets.tryAcquire(PermitRequest.of(ALICE), LEASE));
        assertThat(hold.isLost()).isFalse();
        assertThat(hold.release()).isTrue();
        assertThat(hold.releaseAsync()).isCompletedWithValue(false);
    }

    @Test
    void closing_an_engine_releases_its_holds_but_none_with_a_ticket() {
        MemoryHolds holds = new MemoryHolds(nowMicros::get);
        InFlightEngine engine = InFlightEngine.inMemory(
                holds,
                new BanIndex(nowMicros::get),
                new LimitListeners(List.of()),
                new EngineState(() -> "limits in this test"));
        InFlightLimiter one = new StoreInFlightLimiter(policy(2).build(), engine);
        HoldTickets ofOne = one.async().tickets();
        Hold byTicket = await(ofOne.tryAcquire(PermitRequest.of(ALICE), LEASE));
        assertThat(one.tryAcquire(PermitRequest.of(ALICE)).allowed()).isTrue();
        engine.close();
        assertThat(one.peek(PermitRequest.of(ALICE)).rule("per-user").held()).isEqualTo(1);
        assertThat(await(ofOne.release(byTicket.ticket().orElseThrow(), ALICE))).isTrue();
    }

    @Test
    void holds_without_renewal_are_removed_from_the_store() {
        MemoryHolds holds = new MemoryHolds(nowMicros::get);
        InFlightLimiter many = new StoreInFlightLimiter(
                InFlightPolicy.of("many", 1, Attributes.USER),
                InFlightEngine.inMemory(
                        holds,
                        new BanIndex(nowMicros::get),
                        new LimitListeners(List.of()),
                        new EngineState(() -> "limits in this test")));
        for (int i = 0; i < 10_000; i++) {
            advance(Duration.ofSeconds(1));
            await(many.async().tickets().tryAcquire(PermitRequest.of(Attributes.of(Attributes.USER, "u" + i)), LEASE));
        }
        assertThat(holds.size()).isLessThan(2000);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "AA",
                "?",
                "AQAAAAAAAAABAAAAAAAAAAIBAB________8", // without a rule
                "AQAAAAAAAAABAAAAAAAAAAIBAB________8AAAAA", // with half a rule
                "AgAAAAAAAAABAAAAAAAAAAIBAB________8AAAAAAAAAAA", // of version 2
                "AQAAAAAAAAABAAAAAAAAAAIAAB________8AAAAAAAAAAA", // with 0 permits
                "AQAAAAAAAAABAAAAAAAAAAJlAB________8AAAAAAAAAAA" // with 101 permits
            })
    void a_malformed_ticket_is_rejected(String text) {
        assertThatThrownBy(() -> new HoldTicket(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("ticket must be the ticket of a hold, unchanged");
        assertThatThrownBy(() -> new HoldTicket("A".repeat(209))).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void an_invalid_argument_changes_nothing() {
        HoldTicket ticket = acquiredTicket(ALICE);
        HoldTickets others = limits.inFlight("others", 1).async().tickets();
        assertThatThrownBy(() -> others.renew(ticket, ALICE, LEASE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("the ticket is of no rule of policy others");
        assertThatThrownBy(() -> tickets.renew(ticket, ALICE, Duration.ofMillis(1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("lease must be from 1 s to 1 hour, in whole milliseconds, was PT0.001S");
        assertThatThrownBy(() -> tickets.acquire(PermitRequest.of(ALICE), Duration.ofHours(2), LONG))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> tickets.tryAcquire(PermitRequest.of(ALICE).withPermits(101), LEASE))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> tickets.release(ticket, Attributes.none()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("user");
        assertThat(exports.peek(PermitRequest.of(ALICE)).rule("global").held()).isEqualTo(1);
    }
}
