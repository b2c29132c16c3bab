package io.headgate.limits;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests which keys a full engine in memory evicts. */
@Timeout(60)
class EvictionTest {

    private static final long NOW = 1_800_000_000_000_000L;
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final int MAX_KEYS = 1024;
    private static final int THREADS = 8;
    private static final int FLOOD = 20_000;
    private static final int FEW = 2000;

    @Test
    void keys_whose_counts_expire_later_than_those_of_a_flood_are_not_evicted() {
        // An eviction samples sixteen keys, so it always finds one of the flood, which expires before the three hot
        // keys.
        List<String> hot = List.of("x", "y", "z");
        AtomicLongArray admitted = new AtomicLongArray(hot.size());
        try (InMemoryLimitEngine limits = limits(() -> NOW)) {
            Limiter limiter = limits.limiter("flooded", Limit.tokenBucket(1000, 1, MINUTE));
            for (int i = 0; i < hot.size(); i++) {
                assertThat(limiter.tryAcquire(PermitRequest.of(hot.get(i)).withPermits(2))
                                .allowed())
                        .isTrue();
                admitted.addAndGet(i, 2);
            }
            InThreads.run(THREADS, thread -> {
                for (int i = 0; i < FLOOD; i++) {
                    if (thread % 2 == 0) {
                        assertThat(limiter.tryAcquire(thread + ":" + i).remaining())
                                .isEqualTo(999);
                    } else if (limiter.tryAcquire(hot.get(i % hot.size())).allowed()) {
                        admitted.incrementAndGet(i % hot.size());
                    }
                }
            });
            assertBounded(limits);
        }
        for (int i = 0; i < hot.size(); i++) {
            assertThat(admitted.get(i)).as(hot.get(i)).isEqualTo(1000);
        }
    }

    @Test
    void evicted_keys_restart_from_zero_and_no_count_grants_a_permit_twice() {
        int hot = 4;
        int limit = 20;
        AtomicLongArray decisions = new AtomicLongArray(hot * limit);
        AtomicInteger flooding = new AtomicInteger(THREADS / 2);
        try (InMemoryLimitEngine limits = limits(() -> NOW)) {
            Limiter limiter = limits.limiter("flooded", Limit.fixedWindow(limit, MINUTE));
            InThreads.run(THREADS, thread -> {
                if (thread % 2 == 0) {
                    // At least FLOOD requests, and then until each hot key was evicted, but at most a million.
                    for (int i = 0; i < 50 * FLOOD && (i < FLOOD || !allRestarted(decisions, hot, limit)); i++) {
                        assertThat(limiter.tryAcquire(thread + ":" + i).remaining())
                                .isEqualTo(limit - 1);
                    }
                    flooding.decrementAndGet();
                } else {
                    for (int i = 0; flooding.get() > 0; i++) {
                        Decision decision = limiter.tryAcquire("hot" + i % hot);
                        if (decision.allowed()) {
                            decisions.incrementAndGet(i % hot * limit + (int) decision.remaining());
                        }
                    }
                }
            });
            assertBounded(limits);
        }
        for (int key = 0; key < hot; key++) {
            long starts = decisions.get(key * limit + limit - 1);
            assertThat(starts).as("how often a count of hot" + key + " began").isGreaterThan(1);
            for (int left = 0; left < limit; left++) {
                // Each count goes down from the limit in steps of one, so no number occurs more often than the number
                // before it.
                assertThat(decisions.get(key * limit + left))
                        .as("how often %d were left of hot%d, whose count began %d times", left, key, starts)
                        .isLessThanOrEqualTo(left == limit - 1 ? starts : decisions.get(key * limit + left + 1));
            }
        }
    }

    private static boolean allRestarted(AtomicLongArray decisions, int hot, int limit) {
        for (int key = 0; key < hot; key++) {
            if (decisions.get(key * limit + limit - 1) < 2) {
                return false;
            }
        }
        return true;
    }

    @Test
    void expired_counts_are_evicted_before_unexpired_ones_of_any_rule() {
        AtomicLong clock = new AtomicLong(NOW);
        try (InMemoryLimitEngine limits = limits(clock::get)) {
            countAdmitted(limits, "idle", Duration.ofSeconds(1), MAX_KEYS / 2);
            fillWithLivePolicies(limits, 4);
            clock.addAndGet(61_000_000);
            assertThat(countAdmitted(limits, "new", MINUTE, MAX_KEYS / 4)).isEqualTo(MAX_KEYS / 4);
            assertThat(countAdmitted(limits, "new", MINUTE, MAX_KEYS / 4)).isZero();
            assertNoLiveKeyWasEvicted(limits, 4);
        }
    }

    @Test
    void a_flood_of_ids_evicts_its_own_keys_and_not_those_of_other_rules() {
        try (InMemoryLimitEngine limits = limits(() -> NOW)) {
            fillWithLivePolicies(limits, 64);
            assertThat(countAdmitted(limits, "flood", MINUTE, FLOOD)).isEqualTo(FLOOD);
            assertNoLiveKeyWasEvicted(limits, 64);
            assertBounded(limits);
        }
    }

    private static void fillWithLivePolicies(InMemoryLimitEngine limits, int policies) {
        int each = MAX_KEYS / 2 / policies;
        for (int i = 0; i < policies; i++) {
            assertThat(countAdmitted(limits, "live" + i, Duration.ofHours(1), each))
                    .isEqualTo(each);
        }
    }

    private static void assertNoLiveKeyWasEvicted(InMemoryLimitEngine limits, int policies) {
        for (int i = 0; i < policies; i++) {
            assertThat(countAdmitted(limits, "live" + i, Duration.ofHours(1), MAX_KEYS / 2 / policies))
                    .as("admitted again by live%d", i)
                    .isZero();
        }
    }

    /** Makes one request for each user, with a limit of one permit; returns how many are admitted. */
    private static int countAdmitted(InMemoryLimitEngine limits, String policy, Duration window, int users) {
        Limiter limiter = limits.limiter(policy, Limit.slidingWindow(1, window));
        int admitted = 0;
        for (int i = 0; i < users; i++) {
            admitted += limiter.tryAcquire("user" + i).allowed() ? 1 : 0;
        }
        return admitted;
    }

    @Test
    void a_count_is_kept_for_a_minute_after_it_has_expired() {
        AtomicLong clock = new AtomicLong(NOW);
        try (InMemoryLimitEngine limits =
                InMemoryLimitEngine.builder().time(clock::get).build()) {
            Limiter limiter = limits.limiter(
                    "rest", Limit.fixedWindow(1, Duration.ofSeconds(1)).fromFirstRequest());
            fill(limiter, "a");
            clock.addAndGet(60_999_999);
            fill(limiter, "b");
            assertThat(limits.keys()).isEqualTo(2L * FEW);
            clock.addAndGet(1);
            fill(limiter, "c"); // each new key samples four others
            fill(limiter, "d");
            assertThat(limits.keys()).isEqualTo(3L * FEW);
            for (int i = 0; i < FEW; i++) {
                assertThat(limiter.reset("a" + i)).isFalse();
                assertThat(limiter.reset("b" + i)).isTrue();
            }
        }
    }

    private static void fill(Limiter limiter, String prefix) {
        for (int i = 0; i < FEW; i++) {
            assertThat(limiter.tryAcquire(prefix + i).allowed()).isTrue();
        }
    }

    @Test
    void a_charge_during_a_reset_counts_either_before_or_after_it() {
        AtomicLong admitted = new AtomicLong();
        AtomicLong resets = new AtomicLong();
        try (InMemoryLimitEngine limits = limits(() -> NOW)) {
            Limiter limiter = limits.limiter("reset", Limit.slidingWindow(1, MINUTE));
            InThreads.run(THREADS, thread -> {
                for (int i = 0; i < FLOOD; i++) {
                    if (thread % 2 == 0) {
                        admitted.addAndGet(limiter.tryAcquire("key").allowed() ? 1 : 0);
                    } else {
                        resets.addAndGet(limiter.reset("key") ? 1 : 0);
                    }
                }
            });
            resets.addAndGet(limiter.reset("key") ? 1 : 0);
        }
        assertThat(admitted).as("one for each count that a reset ended").hasValue(resets.get());
    }

    private static InMemoryLimitEngine limits(TimeSource time) {
        return InMemoryLimitEngine.builder().time(time).maxKeys(MAX_KEYS).build();
    }

    private static void assertBounded(InMemoryLimitEngine limits) {
        assertThat(limits.keys()).isBetween(MAX_KEYS / 2L, (long) MAX_KEYS);
    }
}
