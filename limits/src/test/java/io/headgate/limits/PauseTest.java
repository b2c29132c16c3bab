package io.headgate.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.limits.Decision.Basis;
import io.headgate.limits.combined.CombinedDecision;
import io.headgate.limits.combined.CombinedRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Paused requests are denied until the pause ends. */
@Timeout(60)
class PauseTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Policy PARTNERS = Policy.named("partners")
            .rule("calls", Limit.tokenBucket(100, 100, MINUTE), "partner")
            .rule("users", Limit.slidingWindow(100, MINUTE), "partner", "user")
            .pausable()
            .build();
    private static final Policy KEYS = Policy.named("keys")
            .rule("calls", Limit.tokenBucket(100, 100, MINUTE), "key")
            .pausable()
            .build();

    private final AtomicLong clock = new AtomicLong(1_800_000_000_000_000L);
    private final List<Decision> received = new ArrayList<>();
    private final InMemoryLimitEngine limits = InMemoryLimitEngine.builder()
            .time(clock::get)
            .listener(new LimitListener() {
                @Override
                public void onDecision(
                        Policy policy, Attributes attributes, long permits, Decision decision, long elapsedNanos) {
                    received.add(decision);
                }
            })
            .build();
    private final Limiter partners = limits.limiter(PARTNERS);
    private final Limiter keys = limits.limiter(KEYS);

    @AfterEach
    void close() {
        limits.close();
    }

    private static PermitRequest of(String partner, String user) {
        return PermitRequest.of(Attributes.of("partner", partner).with("user", user));
    }

    @Test
    void requests_of_a_paused_id_are_denied_until_the_pause_ends_and_charge_nothing() {
        assertThat(keys.pause("acme", Duration.ofSeconds(30))).isEqualTo(Duration.ofSeconds(30));
        clock.addAndGet(10_000_000);
        Decision denied = keys.tryAcquire("acme");
        assertThat(denied.allowed()).isFalse();
        assertThat(denied.basis()).isEqualTo(Basis.PAUSED);
        assertThat(denied.retryable()).isTrue();
        assertThat(denied.retryAfter()).contains(Duration.ofSeconds(20));
        assertThat(denied.rules()).isEmpty();
        assertThat(keys.peek("acme").retryAfter()).contains(Duration.ofSeconds(20));
        assertThat(keys.tryAcquire("other").allowed()).isTrue();
        assertThat(received).hasSize(2).contains(denied);
        clock.addAndGet(20_000_000);
        assertThat(keys.tryAcquire("acme").remaining()).isEqualTo(99);
    }

    @Test
    void a_pause_by_one_dimension_applies_to_all_values_of_the_others() {
        partners.pause(Attributes.of("partner", "acme"), MINUTE);
        assertThat(partners.tryAcquire(of("acme", "alice")).basis()).isEqualTo(Basis.PAUSED);
        assertThat(partners.tryAcquire(of("other", "alice")).allowed()).isTrue();
        partners.pause(Attributes.of("user", "bob"), MINUTE.multipliedBy(2));
        assertThat(partners.tryAcquire(of("acme", "bob")).retryAfter()).contains(Duration.ofMinutes(2));
        assertThat(partners.tryAcquire(of("other", "bob")).denied()).isTrue();
        partners.pause(Attributes.of("partner", "third").with("user", "carol"), MINUTE);
        assertThat(partners.tryAcquire(of("third", "carol")).denied()).isTrue();
        assertThat(partners.tryAcquire(of("third", "dave")).allowed()).isTrue();
    }

    @Test
    void a_pause_without_attributes_applies_to_all_requests_of_the_policy() {
        partners.pause(Attributes.none(), MINUTE);
        assertThat(partners.tryAcquire(of("any", "body")).denied()).isTrue();
        assertThat(keys.tryAcquire("any").allowed()).isTrue();
    }

    @Test
    void a_pause_is_extended_but_never_shortened() {
        keys.pause("acme", MINUTE);
        assertThat(keys.pause("acme", Duration.ofSeconds(1))).isEqualTo(MINUTE);
        assertThat(keys.pause("acme", Duration.ofHours(1))).isEqualTo(Duration.ofHours(1));
        assertThat(keys.tryAcquire("acme").retryAfter()).contains(Duration.ofHours(1));
    }

    @Test
    void resume_ends_the_pause_of_the_same_attributes_only() {
        partners.pause(Attributes.of("partner", "acme"), MINUTE);
        partners.pause(Attributes.of("partner", "acme").with("user", "alice"), MINUTE);
        assertThat(partners.resume(Attributes.of("partner", "acme"))).isTrue();
        assertThat(partners.resume(Attributes.of("partner", "acme"))).isFalse();
        assertThat(partners.tryAcquire(of("acme", "bob")).allowed()).isTrue();
        assertThat(partners.tryAcquire(of("acme", "alice")).denied()).isTrue();
    }

    @Test
    void a_waiting_request_is_allowed_when_its_pause_is_ended() {
        keys.pause("acme", MINUTE);
        CompletableFuture<Decision> waiting =
                keys.async().acquire("acme", Duration.ofMinutes(2)).toCompletableFuture();
        assertThat(waiting).isNotDone();
        assertThat(keys.async().resume("acme").toCompletableFuture()).isCompletedWithValue(true);
        assertThat(waiting.join().allowed()).isTrue();
    }

    @Test
    void a_request_that_can_not_wait_for_the_end_of_the_pause_is_denied_at_once() throws InterruptedException {
        keys.pause("acme", MINUTE);
        assertThat(keys.acquire("acme", Duration.ofSeconds(59)).basis()).isEqualTo(Basis.PAUSED);
    }

    @Test
    void a_request_to_several_policies_is_denied_by_a_pause_of_one_and_charges_none() {
        keys.pause("acme", MINUTE);
        CombinedDecision decision = limits.tryAcquire(new CombinedRequest(List.of(
                new CombinedRequest.Part(partners, of("acme", "alice")),
                new CombinedRequest.Part(keys, PermitRequest.of("acme")))));
        assertThat(decision.allowed()).isFalse();
        assertThat(decision.retryAfter()).contains(MINUTE);
        assertThat(decision.decisions()).extracting(Decision::basis).containsExactly(Basis.SKIPPED, Basis.PAUSED);
        assertThat(received).hasSize(1);
        assertThat(partners.peek(of("acme", "alice")).remaining()).isEqualTo(100);
    }

    @Test
    void equal_ids_of_other_policies_and_long_ids_are_not_confused() {
        Limiter other = limits.limiter(Policy.named("others")
                .rule("calls", Limit.tokenBucket(100, 100, MINUTE), "key")
                .pausable()
                .build());
        String longId = "x".repeat(5000);
        keys.pause(longId, MINUTE);
        assertThat(keys.tryAcquire(longId).denied()).isTrue();
        assertThat(keys.tryAcquire(longId + "x").allowed()).isTrue();
        assertThat(other.tryAcquire(longId).allowed()).isTrue();
    }

    @Test
    void arguments_that_are_not_allowed_are_rejected_before_anything_is_paused() {
        Limiter plain = limits.limiter("plain", Limit.tokenBucket(100, 100, MINUTE));
        assertThatThrownBy(() -> plain.pause("acme", MINUTE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("policy plain can't be paused; build it with pausable(), in YAML pausable: true");
        assertThatThrownBy(() -> keys.pause("acme", Duration.ZERO))
                .hasMessage("a pause must be from 1 ms to 1 day, was PT0S");
        assertThatThrownBy(() -> keys.pause("acme", Duration.ofDays(2)))
                .hasMessage("a pause must be from 1 ms to 1 day, was PT48H");
        assertThatThrownBy(() -> keys.pause(Attributes.of("tenant", "acme"), MINUTE))
                .hasMessage("policy keys can't be paused by \"tenant\", which is none of its dimensions [key]");
        assertThatThrownBy(() -> keys.pause(Attributes.of("key", ""), MINUTE))
                .hasMessage("key must not be empty; give at least one character");
        assertThatThrownBy(() -> keys.resume(Attributes.of("tenant", "acme")))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(keys.tryAcquire("acme").allowed()).isTrue();
    }

    @Test
    void the_number_of_pauses_is_bounded_and_ended_ones_make_room() {
        for (int i = 0; i < 1000; i++) {
            keys.pause("id-" + i, MINUTE);
        }
        assertThatThrownBy(() -> keys.pause("one-more", MINUTE))
                .isInstanceOf(LimiterException.class)
                .hasMessage("pause of policy keys: 1000 other keys are paused, the most at a time");
        assertThat(keys.async().pause("one-more", MINUTE).toCompletableFuture()).isCompletedExceptionally();
        assertThat(keys.tryAcquire("one-more").allowed()).isTrue();
        assertThat(keys.pause("id-0", Duration.ofHours(1))).isEqualTo(Duration.ofHours(1));
        clock.addAndGet(MINUTE.toNanos() / 1000);
        assertThat(keys.pause("one-more", MINUTE)).isEqualTo(MINUTE);
    }

    @Test
    void a_policy_can_become_pausable_by_an_update() {
        Limiter updated = limits.limiter("updated", Limit.tokenBucket(100, 100, MINUTE));
        updated.update(Policy.named("updated")
                .rule(Policy.ONLY_RULE, Limit.tokenBucket(100, 100, MINUTE), Attributes.KEY)
                .pausable()
                .build());
        updated.pause("acme", MINUTE);
        assertThat(updated.tryAcquire("acme").basis()).isEqualTo(Basis.PAUSED);
    }

    @Test
    void pauses_of_a_closed_engine_fail() {
        limits.close();
        assertThatThrownBy(() -> keys.pause("acme", MINUTE)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> keys.resume("acme")).isInstanceOf(IllegalStateException.class);
    }
}
