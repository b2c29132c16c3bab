package io.headgate.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PermitRequestTest {

    private static final Duration WAIT = Duration.ofMinutes(1);
    private static final Limit LIMIT = Limit.fixedWindow(9, Duration.ofHours(1));
    private static final Policy GLOBAL = Policy.of("global", LIMIT);
    private static final Policy BY_USER = Policy.of("by-user", LIMIT, "user");
    private static final Policy BY_USER_AND_IP = Policy.of("by-user-and-ip", LIMIT, "user", "ip");
    private static final Attributes ALICE = Attributes.of("user", "alice");
    private static final PermitRequest WITH_ID = PermitRequest.of("alice").withId(RequestId.of("order-17"));

    private final InMemoryLimitEngine limits = InMemoryLimitEngine.create();

    @AfterEach
    void close() {
        limits.close();
    }

    @Test
    void a_request_is_for_one_permit_without_a_request_id_by_default() {
        PermitRequest plain = PermitRequest.of("alice");
        assertThat(plain.permits()).isEqualTo(1);
        assertThat(plain.requestId()).isEmpty();
        PermitRequest full = plain.withPermits(3).withId(RequestId.of("order-17"));
        assertThat(full.permits()).isEqualTo(3);
        assertThat(full.requestId()).contains(RequestId.of("order-17"));
        assertThat(plain).isEqualTo(PermitRequest.of("alice"));
        assertThat(full).isEqualTo(WITH_ID.withPermits(3)).hasSameHashCodeAs(WITH_ID.withPermits(3));
        assertThat(full).isNotEqualTo(plain).isNotEqualTo(WITH_ID);
        assertThat(PermitRequest.of(ALICE)).isNotEqualTo(plain).isNotEqualTo(PermitRequest.global());
    }

    @Test
    void the_text_of_a_request_describes_it() {
        assertThat(PermitRequest.of("alice")).hasToString("1 permit for \"alice\"");
        assertThat(WITH_ID.withPermits(3)).hasToString("3 permits for \"alice\" with the request id \"order-17\"");
        assertThat(PermitRequest.of(ALICE).withPermits(2)).hasToString("2 permits for {user=alice}");
        assertThat(PermitRequest.global()).hasToString("1 permit for {}");
    }

    @Test
    void a_single_id_is_the_value_of_the_only_dimension() {
        assertThat(PermitRequest.of("alice").attributesFor(BY_USER)).isEqualTo(ALICE);
        assertThat(PermitRequest.of("alice").attributesFor(InFlightPolicy.of("p", 1, "user")))
                .isEqualTo(ALICE);
        assertThat(PermitRequest.of(ALICE).attributesFor(BY_USER)).isEqualTo(ALICE);
        assertThat(PermitRequest.global().attributesFor(GLOBAL)).isEqualTo(Attributes.none());
    }

    @Test
    void all_forms_of_a_request_charge_the_same_count() {
        Limiter limiter = limits.limiter(BY_USER);
        limiter.tryAcquire("alice");
        limiter.tryAcquire(PermitRequest.of("alice").withPermits(2));
        limiter.tryAcquire(PermitRequest.of(ALICE).withPermits(3));
        limiter.async().tryAcquire("alice").toCompletableFuture().join();
        assertThat(limiter.peek("alice").remaining()).isEqualTo(2);
        assertThat(limiter.refundOldest(PermitRequest.of("alice").withPermits(4)))
                .isEqualTo(4);
        assertThat(limiter.peek(PermitRequest.of("alice").withPermits(6)).allowed())
                .isTrue();
        assertThat(limiter.peek(PermitRequest.of("alice").withPermits(7)).allowed())
                .isFalse();
    }

    @Test
    void fewer_permits_than_one_and_an_empty_id_are_errors() {
        assertThatThrownBy(() -> PermitRequest.of("alice").withPermits(0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("permits must be at least 1, was 0; use peek to read a count");
        assertThatThrownBy(() -> PermitRequest.of(""))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("id must not be empty; give at least one character");
    }

    @Test
    @SuppressWarnings("NullAway") // callers without NullAway may pass null
    void null_is_an_error_that_names_the_argument() {
        assertThatThrownBy(() -> PermitRequest.of((String) null)).hasMessage("id must not be null");
        assertThatThrownBy(() -> PermitRequest.of((Attributes) null)).hasMessage("attributes");
        assertThatThrownBy(() -> PermitRequest.global().withId(null)).hasMessage("requestId");
    }

    @Test
    void a_single_id_is_an_error_if_the_policy_has_several_dimensions_or_none() {
        Limiter several = limits.limiter(BY_USER_AND_IP);
        Limiter global = limits.limiter(GLOBAL);
        InFlightLimiter severalInFlight = limits.inFlight(InFlightPolicy.of("p", 1, "user", "ip"));
        InFlightLimiter globalInFlight = limits.inFlight(InFlightPolicy.of("q", 1));
        PermitRequest alice = PermitRequest.of("alice");
        Decision decision = global.tryAcquire(PermitRequest.global());
        String notEnough = " counts by [user, ip], so a single id is not enough; pass Attributes with all of them";
        String notTaken = " has no dimensions, so it takes no id; pass PermitRequest.global() or Attributes.none()";

        for (ThrowingCallable call : List.<ThrowingCallable>of(
                () -> several.tryAcquire("alice"),
                () -> several.tryAcquire(alice),
                () -> several.async().tryAcquire("alice"),
                () -> several.acquire("alice", WAIT),
                () -> several.async().acquire(alice, WAIT),
                () -> several.peek("alice"),
                () -> several.refundOldest(alice),
                () -> several.reset("alice"),
                () -> several.async().reset("alice"))) {
            assertRejected(call, "policy by-user-and-ip" + notEnough);
        }
        for (ThrowingCallable call : List.<ThrowingCallable>of(
                () -> severalInFlight.tryAcquire("alice"),
                () -> severalInFlight.async().acquire(alice, WAIT),
                () -> severalInFlight.peek("alice"),
                () -> severalInFlight.reset("alice"),
                () -> severalInFlight.async().tickets().tryAcquire("alice", WAIT))) {
            assertRejected(call, "policy p" + notEnough);
        }
        for (ThrowingCallable call : List.<ThrowingCallable>of(
                () -> global.tryAcquire("alice"),
                () -> global.tryAcquire(alice),
                () -> global.refund("alice", decision),
                () -> global.reset("alice"))) {
            assertRejected(call, "policy global" + notTaken);
        }
        assertRejected(() -> globalInFlight.tryAcquire("alice"), "policy q" + notTaken);
        assertRejected(() -> globalInFlight.reset("alice"), "policy q" + notTaken);
        assertThat(limits.keys()).isEqualTo(1);
    }

    @Test
    void only_try_acquire_of_a_limiter_accepts_a_request_id() {
        Limiter limiter = limits.limiter(BY_USER);
        assertThat(limiter.tryAcquire(WITH_ID).remaining()).isEqualTo(8);
        assertThat(limiter.async()
                        .tryAcquire(WITH_ID)
                        .toCompletableFuture()
                        .join()
                        .remaining())
                .isEqualTo(8);
        assertIdRejected("acquire", () -> limiter.acquire(WITH_ID, WAIT));
        assertIdRejected("acquire", () -> limiter.async().acquire(WITH_ID, WAIT));
        assertIdRejected("peek", () -> limiter.peek(WITH_ID));
        assertIdRejected("peek", () -> limiter.async().peek(WITH_ID));
        assertIdRejected("refundOldest", () -> limiter.refundOldest(WITH_ID));
        assertIdRejected("refundOldest", () -> limiter.async().refundOldest(WITH_ID));
        assertThat(limiter.peek("alice").remaining()).isEqualTo(8);
    }

    @Test
    void an_in_flight_limiter_rejects_a_request_id() {
        InFlightLimiter exports = limits.inFlight("exports", 9);
        HoldTickets tickets = exports.async().tickets();
        for (ThrowingCallable call : List.<ThrowingCallable>of(
                () -> exports.tryAcquire(WITH_ID),
                () -> exports.async().tryAcquire(WITH_ID),
                () -> exports.acquire(WITH_ID, WAIT),
                () -> exports.async().acquire(WITH_ID, WAIT),
                () -> exports.peek(WITH_ID),
                () -> exports.async().peek(WITH_ID),
                () -> tickets.tryAcquire(WITH_ID, WAIT),
                () -> tickets.acquire(WITH_ID, WAIT, WAIT))) {
            assertIdRejected("an in-flight limiter", call);
        }
        assertThat(exports.peek("alice").tightest().held()).isZero();
    }

    @Test
    void an_id_may_equal_the_name_of_a_rule() {
        Limiter limiter = limits.limiter("logins", LIMIT);
        limiter.tryAcquire("alice");
        limiter.tryAcquire("limit");
        assertThat(limiter.policy().rule("limit")).isNotNull();
        assertThat(limiter.reset("limit")).isTrue();
        assertThat(limiter.peek("limit").remaining()).isEqualTo(9);
        assertThat(limiter.peek("alice").remaining()).isEqualTo(8);
        assertRejected(
                () -> limiter.resetRule("alice", Attributes.of("key", "alice")),
                "policy logins has no rule alice; it has [limit]");
    }

    @Test
    void a_reset_with_attributes_resets_every_rule_with_dimensions() {
        Policy policy = Policy.named("api")
                .rule("all", LIMIT)
                .rule("per-user", LIMIT, "user")
                .rule("per-ip", LIMIT, "ip")
                .build();
        Attributes alice = ALICE.with("ip", "a");
        Limiter limiter = limits.limiter(policy);
        for (Consumer<Attributes> reset : List.<Consumer<Attributes>>of(
                limiter::reset,
                attributes ->
                        limiter.async().reset(attributes).toCompletableFuture().join())) {
            limiter.resetRule("all", Attributes.none());
            limiter.tryAcquire(PermitRequest.of(alice));
            reset.accept(alice);
            assertThat(limiter.peek(PermitRequest.of(alice)).rules())
                    .extracting(RuleDecision::remaining)
                    .containsExactly(8L, 9L, 9L);
        }
        assertThat(limiter.reset(alice)).isFalse();
        assertRejected(
                () -> limiter.reset(ALICE),
                "rule per-ip counts by \"ip\", which the request does not have; it has [user]");
    }

    @Test
    void a_reset_of_a_policy_without_dimensions_takes_no_attributes() {
        Limiter limiter = limits.limiter(GLOBAL);
        limiter.tryAcquire(PermitRequest.global());
        String refused = "policy global has no dimensions, so it has no counts by [user];"
                + " pass Attributes.none() to reset the counts that all share";
        assertRejected(() -> limiter.reset(ALICE), refused);
        assertRejected(() -> limiter.async().reset(ALICE), refused);
        assertThat(limiter.peek(PermitRequest.global()).remaining()).isEqualTo(8);
        assertThat(limiter.reset(Attributes.none())).isTrue();
    }

    @Test
    void a_rule_of_an_in_flight_policy_is_reset_by_its_own_dimensions() {
        InFlightLimiter exports = limits.inFlight(InFlightPolicy.named("exports")
                .rule("all", 9)
                .rule("per-user", 3, "user")
                .rule("per-ip", 3, "ip")
                .build());
        PermitRequest alice = PermitRequest.of(ALICE.with("ip", "a"));
        Hold hold = exports.tryAcquire(alice);
        assertThat(exports.resetRule("per-user", ALICE)).isTrue();
        assertThat(exports.peek(alice).rule("per-user").held()).isZero();
        assertThat(exports.peek(alice).rule("per-ip").held()).isEqualTo(1);
        hold.close();
    }

    @Test
    void a_ticket_is_renewed_and_released_by_the_id_that_it_was_granted_for() {
        HoldTickets tickets = limits.inFlight("exports", 1).async().tickets();
        Hold hold = tickets.tryAcquire("alice", WAIT).toCompletableFuture().join();
        HoldTicket ticket = hold.ticket().orElseThrow();
        assertThatThrownBy(() -> tickets.release(ticket, "bob")).isInstanceOf(IllegalArgumentException.class);
        assertThat(tickets.renew(ticket, "alice", WAIT).toCompletableFuture()).isCompletedWithValue(true);
        assertThat(tickets.release(ticket, "alice").toCompletableFuture()).isCompletedWithValue(true);
        assertThat(tickets.acquire("alice", WAIT, Duration.ZERO)
                        .toCompletableFuture()
                        .join()
                        .allowed())
                .isTrue();
    }

    private static void assertIdRejected(String what, ThrowingCallable call) {
        assertRejected(
                call,
                what + " accepts no request id, but was given \"order-17\";"
                        + " only tryAcquire of a Limiter or AsyncLimiter accepts one");
    }

    private static void assertRejected(ThrowingCallable call, String message) {
        assertThatThrownBy(call).isInstanceOf(IllegalArgumentException.class).hasMessage(message);
    }
}
