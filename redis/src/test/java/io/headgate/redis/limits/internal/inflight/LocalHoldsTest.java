package io.headgate.redis.limits.internal.inflight;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.limits.InFlightPolicy;
import io.headgate.limits.LimiterException;
import io.headgate.limits.internal.inflight.HoldId;
import io.headgate.limits.internal.inflight.HoldStore;
import io.headgate.limits.internal.inflight.MemoryHolds;
import io.headgate.limits.internal.inflight.PlacedHold;
import io.headgate.testkit.ManualClock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/**
 * The holds of an instance, and which of them are unsynced. The last argument of {@code acquire} states whether Redis may have granted the
 * hold. {@code replied} returns whether the hold must be released in Redis.
 */
class LocalHoldsTest {

    private static final long ENGINE = 7;
    private static final long OTHER_ENGINE = 8;
    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final InFlightPolicy POLICY =
            InFlightPolicy.named("exports").rule("global", 3).lease(LEASE).build();

    private final ManualClock time = ManualClock.atMicros(1_000_000);
    private final LocalHolds local = new LocalHolds(ENGINE, new MemoryHolds(time));

    private static PlacedHold hold(long engine, long number) {
        return new PlacedHold("exports", new HoldId(engine, number), 1, List.of("place"), Optional.empty());
    }

    private boolean renew(PlacedHold hold) {
        return local.renewWithoutRedis(hold, LEASE, HoldStore.NEVER);
    }

    private long held() {
        return local.peek(POLICY, List.of("place")).rule("global").held();
    }

    /** Returns the next holds to send: those that Redis stores if it lacks them, or those that it only extends. */
    private List<PlacedHold> nextBatch(boolean storesMissing) {
        return local.nextBatches().entrySet().stream()
                .filter(batch -> batch.getKey().storesMissing() == storesMissing)
                .flatMap(batch -> batch.getValue().stream())
                .toList();
    }

    @Test
    void a_hold_acquired_without_redis_is_unsynced_until_redis_has_it() {
        assertThat(local.acquire(POLICY, hold(ENGINE, 1), false)).isTrue();
        assertThat(nextBatch(true)).containsExactly(hold(ENGINE, 1));
        assertThat(local.replied(hold(ENGINE, 1), true, LEASE)).isFalse();
        assertThat(local.unsynced()).isZero();
        assertThat(held()).isEqualTo(1);
    }

    @Test
    void a_hold_released_while_it_is_sent_is_released_in_redis() {
        local.acquire(POLICY, hold(ENGINE, 1), false);
        assertThat(nextBatch(true)).containsExactly(hold(ENGINE, 1));
        assertThat(local.release(hold(ENGINE, 1)).inDoubt()).isTrue();
        assertThat(local.replied(hold(ENGINE, 1), true, LEASE)).isTrue();
    }

    @Test
    void the_release_of_a_hold_that_redis_never_had_is_not_in_doubt() {
        local.acquire(POLICY, hold(ENGINE, 1), false);
        assertThat(local.release(hold(ENGINE, 1)).inDoubt()).isFalse();
        local.acquire(POLICY, hold(ENGINE, 2), true);
        assertThat(local.release(hold(ENGINE, 2)).inDoubt()).isTrue();
        assertThat(local.release(hold(ENGINE, 3)).inDoubt()).isTrue();
        assertThat(held()).isZero();
    }

    @Test
    void an_unknown_own_hold_is_not_renewed_but_one_of_another_engine_is() {
        assertThat(renew(hold(ENGINE, 1))).isFalse();
        assertThat(held()).isZero();
        assertThat(renew(hold(OTHER_ENGINE, 1))).isTrue();
        assertThat(held()).isEqualTo(1);
        assertThat(nextBatch(true)).isEmpty();
        assertThat(nextBatch(false)).containsExactly(hold(OTHER_ENGINE, 1));
        assertThat(local.replied(hold(OTHER_ENGINE, 1), false, LEASE)).isFalse();
        assertThat(held()).isZero();
    }

    @Test
    void a_hold_of_another_engine_that_redis_once_had_is_extended_but_not_stored_again() {
        local.acquire(POLICY, hold(OTHER_ENGINE, 1), false);
        assertThat(nextBatch(true)).containsExactly(hold(OTHER_ENGINE, 1));
        assertThat(local.replied(hold(OTHER_ENGINE, 1), true, LEASE)).isFalse();
        local.addGranted(hold(OTHER_ENGINE, 2), LEASE);
        local.addGranted(hold(ENGINE, 3), LEASE);
        local.unsyncAll();
        assertThat(nextBatch(true)).containsExactly(hold(ENGINE, 3));
        assertThat(nextBatch(false)).containsExactlyInAnyOrder(hold(OTHER_ENGINE, 1), hold(OTHER_ENGINE, 2));
    }

    @Test
    void a_hold_renewed_while_it_is_sent_is_sent_again() {
        local.acquire(POLICY, hold(OTHER_ENGINE, 1), false);
        time.advance(Duration.ofSeconds(25));
        assertThat(nextBatch(true)).containsExactly(hold(OTHER_ENGINE, 1));
        assertThat(renew(hold(OTHER_ENGINE, 1))).isTrue();
        assertThat(local.replied(hold(OTHER_ENGINE, 1), true, Duration.ofSeconds(6)))
                .isFalse();
        assertThat(nextBatch(false)).containsExactly(hold(OTHER_ENGINE, 1));
        assertThat(local.replied(hold(OTHER_ENGINE, 1), true, Duration.ofSeconds(31)))
                .isFalse();
        assertThat(local.unsynced()).isZero();
    }

    @Test
    void a_hold_that_redis_does_not_store_still_counts_here_and_is_synced() {
        local.acquire(POLICY, hold(ENGINE, 1), true);
        assertThat(nextBatch(true)).containsExactly(hold(ENGINE, 1));
        assertThat(local.replied(hold(ENGINE, 1), false, LEASE)).isFalse();
        assertThat(local.unsynced()).isZero();
        assertThat(held()).isEqualTo(1);
    }

    @Test
    void no_hold_lasts_beyond_its_end() {
        long ends = time.nowMicros() + 10_000_000;
        assertThat(local.renewWithoutRedis(hold(OTHER_ENGINE, 1), LEASE, ends)).isTrue();
        time.advance(Duration.ofSeconds(10));
        assertThat(local.renewWithoutRedis(hold(OTHER_ENGINE, 1), LEASE, ends)).isFalse();
        assertThat(held()).isZero();
    }

    @Test
    void expired_holds_are_removed() {
        InFlightPolicy many = InFlightPolicy.named("exports")
                .rule("global", 100_000)
                .lease(LEASE)
                .build();
        for (int round = 0; round < 4; round++) {
            for (int i = 0; i < 2000; i++) {
                local.acquire(many, hold(OTHER_ENGINE, round * 2000L + i), false);
            }
            time.advance(LEASE);
        }
        assertThat(local.unsynced()).isLessThan(5000);
        assertThat(local.nextBatches()).isEmpty();
        assertThat(local.unsynced()).isZero();
    }

    @Test
    void a_request_beyond_the_limits_fails_if_the_store_in_memory_is_full() {
        LocalHolds full = new LocalHolds(ENGINE, new MemoryHolds(time, 1));
        assertThat(full.acquireUnlimited(hold(ENGINE, 1), LEASE, false)).isTrue();
        assertThatThrownBy(() -> full.acquireUnlimited(hold(ENGINE, 2), LEASE, false))
                .isInstanceOf(LimiterException.class)
                .hasMessageContaining("this engine has 1 holds; no permit was taken");
        assertThat(full.unsynced()).isEqualTo(1);
        assertThat(full.renewWithoutRedis(hold(ENGINE, 1), LEASE, HoldStore.NEVER))
                .isTrue();
    }
}
