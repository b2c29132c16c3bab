package io.headgate.limits;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a full table forgets while it is in use, and what it never does. */
@Timeout(60)
class EvictionTest {

    private static final long NOW = 1_800_000_000_000_000L;
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final int MAX_KEYS = 1024;
    private static final int THREADS = 8;
    private static final int FLOOD = 20_000;

    /** Runs once, at the chosen look at the clock; then the clock is a clock again. */
    private static final class Trap implements TimeSource {

        private final AtomicLong nowMicros = new AtomicLong(NOW);
        private int looksLeft;
        private Runnable what = () -> {};

        private void spring(int atLook, Runnable action) {
            looksLeft = atLook;
            what = action;
        }

        @Override
        public long nowMicros() {
            if (looksLeft > 0 && --looksLeft == 0) {
                what.run();
            }
            return nowMicros.get();
        }
    }

    @Test
    void keys_that_matter_longer_than_those_of_a_flood_are_never_displaced() {
        // A pass over the table looks at four keys, so of three one is never the least missed.
        List<String> hot = List.of("x", "y", "z");
        AtomicLongArray admitted = new AtomicLongArray(hot.size());
        try (InMemoryLimits limits = limits(() -> NOW)) {
            Limiter limiter = limits.limiter("flooded", Limit.tokenBucket(1000, 1, MINUTE));
            for (int i = 0; i < hot.size(); i++) {
                assertThat(limiter.tryAcquire(hot.get(i), 2).allowed()).isTrue();
                admitted.addAndGet(i, 2);
            }
            Together.run(THREADS, thread -> {
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
    void keys_that_are_displaced_begin_anew_and_no_permit_is_given_twice_meanwhile() {
        int hot = 4;
        int limit = 20;
        AtomicLongArray answers = new AtomicLongArray(hot * limit);
        AtomicInteger flooding = new AtomicInteger(THREADS / 2);
        try (InMemoryLimits limits = limits(() -> NOW)) {
            Limiter limiter = limits.limiter("flooded", Limit.fixedWindow(limit, MINUTE));
            Together.run(THREADS, thread -> {
                if (thread % 2 == 0) {
                    // Until all were displaced, or so long that they never will be.
                    for (int i = 0; i < 50 * FLOOD && (i < FLOOD || !allBeganAnew(answers, hot, limit)); i++) {
                        assertThat(limiter.tryAcquire(thread + ":" + i).remaining())
                                .isEqualTo(limit - 1);
                    }
                    flooding.decrementAndGet();
                } else {
                    for (int i = 0; flooding.get() > 0; i++) {
                        Decision decision = limiter.tryAcquire("hot" + i % hot);
                        if (decision.allowed()) {
                            answers.incrementAndGet(i % hot * limit + (int) decision.remaining());
                        }
                    }
                }
            });
            assertBounded(limits);
        }
        for (int key = 0; key < hot; key++) {
            long begun = answers.get(key * limit + limit - 1);
            assertThat(begun).as("how often a count of hot" + key + " began").isGreaterThan(1);
            for (int left = 0; left < limit; left++) {
                // Each count goes down by one from the limit, so no count gives a number that one before it did not.
                assertThat(answers.get(key * limit + left))
                        .as("how often %d were left of hot%d, whose count began %d times", left, key, begun)
                        .isLessThanOrEqualTo(left == limit - 1 ? begun : answers.get(key * limit + left + 1));
            }
        }
    }

    private static boolean allBeganAnew(AtomicLongArray answers, int hot, int limit) {
        for (int key = 0; key < hot; key++) {
            if (answers.get(key * limit + limit - 1) < 2) {
                return false;
            }
        }
        return true;
    }

    @Test
    void a_key_that_is_displaced_between_being_found_and_being_locked_is_looked_up_again() {
        Trap clock = new Trap();
        try (InMemoryLimits limits = limits(clock)) {
            Limiter one = limits.limiter(policyOf("first"));
            Limiter both = limits.limiter(policyOf("first", "second"));
            assertThat(one.tryAcquire("victim").remaining()).isEqualTo(9);
            clock.nowMicros.addAndGet(1_000_000); // so that it is the one that is missed least
            // The second look is for the second rule: the counter of the first has been found, and nothing is locked.
            AtomicInteger flood = new AtomicInteger();
            clock.spring(2, () -> {
                while (one.peek("victim").remaining() < 10 && flood.incrementAndGet() < FLOOD) {
                    one.tryAcquire("new" + flood);
                }
            });

            Decision decision = both.tryAcquire("victim");

            assertThat(flood).hasValueBetween(MAX_KEYS - 1, FLOOD - 1);
            assertThat(decision.rules()).extracting(RuleDecision::remaining).containsExactly(9L, 9L);
            assertThat(both.peek("victim").rules())
                    .extracting(RuleDecision::remaining)
                    .containsExactly(9L, 9L);
        }
    }

    @Test
    void a_key_that_is_reset_between_being_found_and_being_locked_is_looked_up_again() {
        Trap clock = new Trap();
        try (InMemoryLimits limits = limits(clock)) {
            Limiter limiter = limits.limiter(policyOf("first", "second"));
            assertThat(limiter.tryAcquire("victim", 3).remaining()).isEqualTo(7);
            Attributes victim = Attributes.of(Attributes.KEY, "victim");
            clock.spring(2, () -> assertThat(limiter.reset("first", victim)).isTrue());

            assertThat(limiter.tryAcquire("victim").rules())
                    .extracting(RuleDecision::remaining)
                    .containsExactly(9L, 6L);
            assertThat(limiter.peek("victim").rules())
                    .extracting(RuleDecision::remaining)
                    .containsExactly(9L, 6L);
        }
    }

    @Test
    void a_key_stays_in_the_table_while_it_is_charged() throws InterruptedException {
        Trap clock = new Trap();
        try (InMemoryLimits limits = limits(clock)) {
            Limiter limiter = limits.limiter(policyOf("only"));
            AtomicBoolean forgot = new AtomicBoolean();
            Thread reset = new Thread(
                    () -> forgot.set(limiter.reset("only", Attributes.of(Attributes.KEY, "victim"))), "reset");
            AtomicLong keys = new AtomicLong();
            // The second look at the clock is the decision's own, under the lock.
            clock.spring(2, () -> {
                reset.start();
                while (reset.getState() != Thread.State.BLOCKED && reset.isAlive()) {
                    Thread.onSpinWait();
                }
                keys.set(limits.keys());
            });

            assertThat(limiter.tryAcquire("victim").remaining()).isEqualTo(9);
            reset.join();

            assertThat(keys).as("keys while one of them was charged").hasValue(1);
            assertThat(forgot).as("the reset came after the charge").isTrue();
            assertThat(limits.keys()).isZero();
        }
    }

    private static InMemoryLimits limits(TimeSource time) {
        return InMemoryLimits.builder().time(time).maxKeysPerRule(MAX_KEYS).build();
    }

    private static Policy policyOf(String... rules) {
        Policy.Builder policy = Policy.named("p");
        for (String rule : rules) {
            policy.rule(rule, Limit.slidingWindow(10, MINUTE), Attributes.KEY);
        }
        return policy.build();
    }

    /** Threads that add at the same moment may each find room for one. */
    private static void assertBounded(InMemoryLimits limits) {
        assertThat(limits.keys()).isBetween(MAX_KEYS / 2L, MAX_KEYS + 10L * THREADS);
    }
}
