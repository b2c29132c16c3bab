package io.headgate.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests the in-flight limits of the engine in memory. */
@Timeout(30)
class InFlightTest {

    private static final Duration LONG = Duration.ofSeconds(20);
    private static final Attributes ALICE = Attributes.of(Attributes.USER, "alice");
    private static final Attributes BOB = Attributes.of(Attributes.USER, "bob");
    private static final InFlightPolicy SEVERAL = InFlightPolicy.named("several")
            .rule("global", 3)
            .rule("per-user", 2, Attributes.USER)
            .build();

    private final AtomicLong nowMicros = new AtomicLong(1_000_000);
    private final List<String> events = new CopyOnWriteArrayList<>();
    private final InMemoryLimitEngine limits = InMemoryLimitEngine.builder()
            .time(nowMicros::get)
            .listener(new Recorder())
            .build();

    private final class Recorder implements LimitListener {

        @Override
        public void onHold(InFlightPolicy policy, Attributes attributes, long permits, Hold hold, long elapsedNanos) {
            assertThat(elapsedNanos).isZero();
            events.add(hold.allowed() ? "allowed" : "denied");
        }

        @Override
        public void onHoldLost(InFlightPolicy policy, Attributes attributes, long permits, Hold hold) {
            events.add("lost");
        }
    }

    @AfterEach
    void close() {
        limits.close();
    }

    @Test
    void at_most_the_limit_is_held_and_a_release_frees_a_permit() {
        InFlightLimiter exports = limits.inFlight("exports", 2);
        Hold first = exports.tryAcquire("a");
        Hold second = exports.tryAcquire("a");
        Hold denied = exports.tryAcquire("a");
        assertThat(first.allowed()).isTrue();
        assertThat(second.inFlight().rule("limit").held()).isEqualTo(2);
        assertThat(denied.denied()).isTrue();
        assertThat(denied.deniedBy()).hasValue(exports.policy().rule("limit"));
        assertThat(exports.tryAcquire("b").allowed()).isTrue();
        assertThat(first.release()).isTrue();
        assertThat(exports.tryAcquire("a").allowed()).isTrue();
        assertThat(events).containsExactly("allowed", "allowed", "denied", "allowed", "allowed");
    }

    @Test
    void a_denied_hold_has_nothing_to_release() {
        InFlightLimiter none = limits.inFlight("none", 0);
        Hold denied = none.tryAcquire("a");
        assertThat(denied.denied()).isTrue();
        assertThat(denied.release()).isFalse();
        assertThat(denied.releaseAsync()).isCompletedWithValue(false);
        assertThat(denied.isLost()).isFalse();
        denied.close();
    }

    @Test
    void a_hold_released_twice_frees_one_permit() {
        InFlightLimiter exports = limits.inFlight("exports", 2);
        Hold first = exports.tryAcquire("a");
        Hold second = exports.tryAcquire("a");
        assertThat(first.release()).isTrue();
        assertThat(first.release()).isTrue();
        first.close();
        assertThat(exports.peek("a").rule("limit").held()).isEqualTo(1);
        assertThat(second.isLost()).isFalse();
    }

    @Test
    void a_hold_takes_permits_of_all_rules_or_none() {
        InFlightLimiter several = limits.inFlight(SEVERAL);
        assertThat(several.tryAcquire(PermitRequest.of(ALICE).withPermits(2)).allowed())
                .isTrue();
        assertThat(several.tryAcquire(PermitRequest.of(ALICE)).deniedBy()).hasValue(SEVERAL.rule("per-user"));
        assertThat(several.tryAcquire(PermitRequest.of(BOB).withPermits(2)).deniedBy())
                .hasValue(SEVERAL.rule("global"));
        assertThat(several.peek(PermitRequest.of(BOB)).rule("per-user").held()).isZero();
        assertThat(several.peek(PermitRequest.of(ALICE)).rule("global").held()).isEqualTo(2);
        assertThat(several.peek(PermitRequest.of(BOB)).free()).isEqualTo(1);
        assertThat(several.peek(PermitRequest.of(ALICE)).tightest().rule().name())
                .isEqualTo("per-user");
    }

    @Test
    void a_changed_limit_applies_immediately_and_keeps_the_holds() {
        InFlightLimiter exports = limits.inFlight("exports", 3);
        List<Hold> three = List.of(exports.tryAcquire("a"), exports.tryAcquire("a"), exports.tryAcquire("a"));
        exports.update(InFlightPolicy.of("exports", 1, Attributes.KEY));
        three.get(0).close();
        three.get(1).close();
        assertThat(exports.tryAcquire("a").denied()).isTrue();
        assertThat(exports.peek("a").free()).isZero();
        exports.update(InFlightPolicy.of("exports", 2, Attributes.KEY));
        assertThat(exports.tryAcquire("a").allowed()).isTrue();
        assertThatThrownBy(() -> exports.update(InFlightPolicy.of("other", 2, Attributes.KEY)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("create another limiter");
        assertThatThrownBy(() -> exports.update(InFlightPolicy.of("exports", 2, Attributes.USER)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("can't change from [key] to [user]");
    }

    @Test
    void an_expired_hold_is_lost_and_frees_no_other_hold() throws Exception {
        InFlightLimiter exports = limits.inFlight(InFlightPolicy.named("exports")
                .rule("limit", 1)
                .lease(Duration.ofSeconds(3))
                .build());
        Hold first = exports.tryAcquire(PermitRequest.global());
        CompletableFuture<String> lost = new CompletableFuture<>();
        first.onLost(() -> lost.complete("lost"));
        nowMicros.addAndGet(3_000_000);
        Hold second = exports.tryAcquire(PermitRequest.global());
        assertThat(second.allowed()).isTrue();
        assertThat(lost.get(20, TimeUnit.SECONDS)).isEqualTo("lost");
        assertThat(first.isLost()).isTrue();
        assertThat(first.release()).isFalse();
        assertThat(exports.peek(PermitRequest.global()).rule("limit").held()).isEqualTo(1);
        assertThat(exports.tryAcquire(PermitRequest.global()).denied()).isTrue();
    }

    @Test
    void a_hold_that_is_reset_under_one_rule_is_lost_under_all() throws Exception {
        InFlightLimiter several = limits.inFlight(InFlightPolicy.named("several")
                .rule("global", 3)
                .rule("per-user", 2, Attributes.USER)
                .lease(Duration.ofSeconds(1))
                .build());
        CompletableFuture<String> lost = new CompletableFuture<>();
        several.tryAcquire(PermitRequest.of(ALICE)).onLost(() -> lost.complete("lost"));
        assertThat(several.resetRule("per-user", ALICE)).isTrue();
        assertThat(several.resetRule("per-user", ALICE)).isFalse();
        assertThat(lost.get(20, TimeUnit.SECONDS)).isEqualTo("lost");
        assertThat(several.peek(PermitRequest.of(ALICE)).rule("global").held()).isZero();
        assertThat(events).contains("lost");
    }

    @Test
    void a_hold_is_lost_after_the_at_most_of_its_policy() throws Exception {
        InFlightLimiter exports = limits.inFlight(InFlightPolicy.named("exports")
                .rule("limit", 1)
                .lease(Duration.ofSeconds(1))
                .atMost(Duration.ofSeconds(1))
                .build());
        Hold forgotten = exports.tryAcquire(PermitRequest.global());
        assertThat(exports.acquire(PermitRequest.global(), LONG).allowed()).isTrue();
        assertThat(forgotten.isLost()).isTrue();
    }

    @Test
    void a_waiting_request_gets_the_released_permit() throws Exception {
        InFlightLimiter exports = limits.inFlight("exports", 1);
        Hold first = exports.tryAcquire("a");
        CompletionStage<Hold> waiting = exports.async().acquire("a", LONG);
        assertThat(waiting.toCompletableFuture()).isNotDone();
        first.close();
        assertThat(waiting.toCompletableFuture().get(20, TimeUnit.SECONDS).allowed())
                .isTrue();
    }

    @Test
    void a_request_is_denied_if_no_permit_is_free_in_time() throws Exception {
        InFlightLimiter exports = limits.inFlight("exports", 1);
        assertThat(exports.tryAcquire("a").allowed()).isTrue();
        assertThat(exports.acquire("a", Duration.ZERO).denied()).isTrue();
        assertThat(exports.acquire("a", Duration.ofMillis(50)).deniedBy()).isPresent();
    }

    @Test
    void requests_for_the_same_id_are_served_in_the_order_of_arrival() throws Exception {
        InFlightLimiter exports = limits.inFlight("exports", 2);
        Hold one = exports.tryAcquire("a");
        Hold other = exports.tryAcquire("a");
        List<String> served = new ArrayList<>();
        List<CompletableFuture<Void>> all = new ArrayList<>();
        for (String who : List.of("first", "second", "third", "fourth")) {
            // The second request is for all permits, and no later request overtakes it.
            all.add(exports.async()
                    .acquire(PermitRequest.of("a").withPermits(who.equals("second") ? 2 : 1), LONG)
                    .thenAccept(hold -> {
                        synchronized (served) {
                            served.add(who);
                        }
                        hold.close();
                    })
                    .toCompletableFuture());
        }
        one.close();
        other.close();
        CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)).get(20, TimeUnit.SECONDS);
        // Several threads complete futures, so requests that are served at the same time may be recorded in any order.
        assertThat(served.subList(0, 2)).containsExactly("first", "second");
        assertThat(served).hasSize(4);
    }

    @Test
    void requests_that_wait_for_a_global_rule_are_all_served() throws Exception {
        InFlightLimiter several = limits.inFlight(InFlightPolicy.named("several")
                .rule("global", 1)
                .rule("per-user", 1, Attributes.USER)
                .build());
        Hold first = several.tryAcquire(PermitRequest.of(ALICE));
        AtomicInteger served = new AtomicInteger();
        List<CompletableFuture<Void>> all = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            all.add(several.async()
                    .acquire(PermitRequest.of(Attributes.of(Attributes.USER, "user " + i % 10)), LONG)
                    .thenAccept(hold -> {
                        served.incrementAndGet();
                        hold.close();
                    })
                    .toCompletableFuture());
        }
        first.close();
        CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)).get(20, TimeUnit.SECONDS);
        assertThat(served).hasValue(100);
        assertThat(several.peek(PermitRequest.of(ALICE)).rule("global").held()).isZero();
    }

    @Test
    void a_cancelled_wait_takes_nothing_and_the_next_request_is_served() throws Exception {
        InFlightLimiter exports = limits.inFlight("exports", 1);
        Hold first = exports.tryAcquire("a");
        CompletableFuture<Hold> cancelled = exports.async().acquire("a", LONG).toCompletableFuture();
        CompletableFuture<Hold> next = exports.async().acquire("a", LONG).toCompletableFuture();
        assertThat(cancelled.cancel(true)).isTrue();
        first.close();
        assertThat(next.get(20, TimeUnit.SECONDS).allowed()).isTrue();
        assertThat(exports.peek("a").rule("limit").held()).isEqualTo(1);
    }

    @Test
    void a_raised_limit_serves_a_waiting_request_immediately() throws Exception {
        InFlightLimiter exports = limits.inFlight("exports", 0);
        CompletableFuture<Hold> waiting = exports.async().acquire("a", LONG).toCompletableFuture();
        exports.update(InFlightPolicy.of("exports", 1, Attributes.KEY));
        assertThat(waiting.get(20, TimeUnit.SECONDS).allowed()).isTrue();
    }

    @Test
    void a_closed_engine_has_released_all_holds_and_rejects_calls() {
        InFlightLimiter exports = limits.inFlight("exports", 1);
        Hold hold = exports.tryAcquire("a");
        limits.close();
        assertThat(hold.isLost()).isFalse();
        assertThat(hold.release()).isTrue();
        assertThatThrownBy(() -> exports.tryAcquire("a")).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> limits.inFlight("exports", 1)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void arguments_out_of_range_are_rejected_before_any_call() {
        assertThatThrownBy(() -> InFlightRule.of("rule", 100_001))
                .hasMessage("permits of rule rule must be from 0 to 100000, was 100001");
        assertThatThrownBy(() -> InFlightRule.of("rule", 1, "a", "a")).hasMessageContaining("names a dimension twice");
        assertThatThrownBy(() -> InFlightPolicy.named("p").build()).hasMessageContaining("number of rules");
        assertThatThrownBy(() ->
                        InFlightPolicy.named("p").rule("a", 1).rule("a", 1).build())
                .hasMessage("policy p has two rules named a");
        assertThatThrownBy(() -> InFlightPolicy.named("p")
                        .rule("a", 1)
                        .lease(Duration.ofMillis(999))
                        .build())
                .hasMessage("lease must be from 1 s to 1 hour, in whole milliseconds, was PT0.999S");
        assertThatThrownBy(() -> InFlightPolicy.named("p")
                        .rule("a", 1)
                        .atMost(Duration.ofSeconds(29))
                        .build())
                .hasMessageContaining("atMost must be from 30 s to 366 days");
        InFlightLimiter exports = limits.inFlight("exports", 1);
        assertThatThrownBy(() -> exports.tryAcquire(PermitRequest.of("a").withPermits(101)))
                .hasMessage("permits of a hold must be from 1 to 100, was 101");
        assertThatThrownBy(() -> exports.tryAcquire(PermitRequest.of(ALICE))).hasMessageContaining("counts by \"key\"");
        assertThatThrownBy(() -> exports.tryAcquire(PermitRequest.global())).hasMessageContaining("counts by \"key\"");
        assertThatThrownBy(() -> limits.inFlight(SEVERAL).tryAcquire("")).isInstanceOf(IllegalArgumentException.class);
        assertThat(exports.policy().atMost()).isEqualTo(Optional.empty());
        assertThat(events).isEmpty();
    }
}
