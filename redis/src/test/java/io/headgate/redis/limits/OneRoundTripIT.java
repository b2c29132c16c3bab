package io.headgate.redis.limits;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.Limit;
import io.headgate.limits.Limiter;
import io.headgate.limits.PermitRequest;
import io.headgate.limits.Policy;
import io.headgate.limits.RequestId;
import io.headgate.testkit.ManualClock;
import io.headgate.testkit.RedisProbe;
import io.headgate.testkit.conditions.ServerVersionSensitive;
import io.headgate.testkit.faults.FaultProxy;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * A decision is one command from the client. Its work inside Redis does not grow with the limit, except that the search in a sliding window
 * takes logarithmically many reads.
 */
@ServerVersionSensitive
class OneRoundTripIT {

    @RegisterExtension
    final OwnRedis redis = new OwnRedis();

    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final int DECISIONS = 960;

    private final RedisProbe probe = redis.probe;
    private final FaultProxy proxy = redis.proxy;
    private final ManualClock clock = ManualClock.at(Instant.parse("2025-01-01T00:00:00Z"));

    @Test
    void a_decision_is_one_command_for_one_rule() {
        assertOneCommandEach(Policy.of("one", Limit.slidingWindow(5, MINUTE), Attributes.USER));
    }

    @Test
    void a_decision_is_one_command_for_four_rules() {
        assertOneCommandEach(Policy.named("four")
                .rule("global", Limit.tokenBucket(20, 10, Duration.ofSeconds(1)))
                .rule("per-user", Limit.slidingWindow(5, MINUTE), Attributes.USER)
                .rule("per-ip", Limit.fixedWindow(15, MINUTE), Attributes.IP)
                .rule("both", Limit.slidingWindow(100, MINUTE), Attributes.USER, Attributes.IP)
                .build());
    }

    private void assertOneCommandEach(Policy policy) {
        try (RedisLimitEngine limits = Engines.builder(proxy.url())
                .maxCachedDenials(0)
                .invalidations(false)
                .build()) {
            Limiter limiter = limits.limiter(policy);
            Attributes alice = Attributes.of(Attributes.USER, "alice").with(Attributes.IP, "192.0.2.1");
            limiter.tryAcquire(PermitRequest.of(alice));
            limiter.peek(PermitRequest.of(alice));
            limiter.resetRule(policy.rules().get(0).name(), alice);
            Map<String, Long> before = proxy.commandsSeen();
            int denied = 0;
            for (int i = 0; i < 20; i++) {
                denied += limiter.tryAcquire(PermitRequest.of(alice)).denied() ? 1 : 0;
                limiter.peek(PermitRequest.of(alice));
            }
            assertThat(denied).isBetween(1, 19);
            assertThat(increase(before, proxy.commandsSeen())).isEqualTo(Map.of("EVALSHA", 40L));
        }
    }

    @Test
    void decisions_of_a_full_sliding_window_cost_at_most_five_commands_on_average_for_any_limit() {
        // EVALSHA, one read and one write. More only if a block of 16 entries ends or is searched.
        assertThat(total(callsWhenFull(10))).isEqualTo(3L * DECISIONS);
        assertThat(total(callsWhenFull(1000))).isLessThanOrEqualTo(5L * DECISIONS);
        assertThat(total(callsWhenFull(100_000))).isLessThanOrEqualTo(5L * DECISIONS);
    }

    /**
     * Fills a window with single permits, and counts the commands of decisions in which each permit takes the place of an expired
     * one.
     */
    private Map<String, Long> callsWhenFull(int permits) {
        Duration step = MINUTE.dividedBy(permits);
        try (RedisLimitEngine limits = timed()) {
            Limiter limiter = limits.limiter("full" + permits, Limit.slidingWindow(permits, MINUTE));
            assertThat(Burst.of(permits, i -> {
                                clock.advance(step);
                                return limiter.async().tryAcquire("a");
                            })
                            .admitted())
                    .isEqualTo(permits);
            assertThat(limiter.peek("a").remaining()).isZero();
            Map<String, Long> before = probe.commandCalls();
            for (int i = 0; i < DECISIONS; i++) {
                clock.advance(step);
                assertThat(limiter.tryAcquire("a").remaining()).isZero();
            }
            return increase(before, probe.commandCalls());
        }
    }

    @Test
    void a_denial_in_a_window_of_6250_blocks_reads_at_most_17_times() {
        try (RedisLimitEngine limits = timed()) {
            Limiter limiter = limits.limiter("halves", Limit.slidingWindow(100_000, MINUTE));
            Burst.of(100_000, i -> {
                clock.advance(Duration.ofNanos(100_000));
                return limiter.async().tryAcquire("a");
            });
            for (long permits : new long[] {1, 2, 100, 50_000, 99_999}) {
                Map<String, Long> before = probe.commandCalls();
                Decision decision = limiter.tryAcquire(
                        PermitRequest.of(Attributes.of(Attributes.KEY, "a")).withPermits(permits));
                assertThat(decision.denied()).isTrue();
                // 6250 blocks: 13 steps of the binary search, and the header, the oldest block, the next one and the
                // found one.
                assertThat(increase(before, probe.commandCalls()).get("GETRANGE"))
                        .isLessThanOrEqualTo(17);
            }
        }
    }

    @Test
    void a_fixed_window_and_a_token_bucket_read_once_and_write_once_for_any_limit() {
        Map<String, Long> readAndWrite = Map.of("EVALSHA", 100L, "GET", 100L, "SETRANGE", 100L, "TIME", 100L);
        Map<String, Long> read = Map.of("EVALSHA", 100L, "GET", 100L, "TIME", 100L);
        try (RedisLimitEngine limits =
                Engines.builder(redis.url()).maxCachedDenials(0).build()) {
            for (long permits : new long[] {1000, 100_000, 1_000_000_000}) {
                Limiter fixed = limits.limiter("f" + permits, Limit.fixedWindow(permits, Duration.ofDays(366)));
                Limiter bucket = limits.limiter("b" + permits, Limit.tokenBucket(permits, permits, MINUTE));
                assertThat(callsOf100Requests(fixed)).isEqualTo(readAndWrite);
                assertThat(callsOf100Requests(bucket)).isEqualTo(readAndWrite);
            }
            Limiter none = limits.limiter("none", Limit.fixedWindow(0, MINUTE));
            assertThat(callsOf100Requests(none)).isEqualTo(read);
        }
    }

    @Test
    void a_request_id_costs_one_more_read_and_write_and_its_retry_only_reads() {
        try (RedisLimitEngine limits =
                Engines.builder(redis.url()).maxCachedDenials(0).build()) {
            Limiter limiter = limits.limiter("ids", Limit.fixedWindow(1000, MINUTE));
            limiter.tryAcquire(PermitRequest.of("a").withId(RequestId.of("warm")));
            Map<String, Long> before = probe.commandCalls();
            limiter.tryAcquire(PermitRequest.of("a").withId(RequestId.of("one")));
            assertThat(increase(before, probe.commandCalls()))
                    .isEqualTo(Map.of("EVALSHA", 1L, "GET", 2L, "SETRANGE", 1L, "SET", 1L, "TIME", 1L));
            before = probe.commandCalls();
            limiter.tryAcquire(PermitRequest.of("a").withId(RequestId.of("one")));
            assertThat(increase(before, probe.commandCalls())).isEqualTo(Map.of("EVALSHA", 1L, "GET", 1L, "TIME", 1L));
        }
    }

    @Test
    void only_a_refund_of_a_decision_reads_and_writes_a_record() {
        try (RedisLimitEngine limits =
                Engines.builder(redis.url()).invalidations(false).build()) {
            Limiter limiter = limits.limiter("refunds", Limit.fixedWindow(1000, Duration.ofDays(1)));
            limiter.refund("a", limiter.tryAcquire("a"));
            Decision decision = limiter.tryAcquire(PermitRequest.of("a").withPermits(3));
            limiter.tryAcquire(PermitRequest.of("a").withPermits(3));
            Map<String, Long> plain = Map.of("EVALSHA", 1L, "GET", 1L, "SETRANGE", 1L, "TIME", 1L);
            Map<String, Long> before = probe.commandCalls();
            limiter.refundOldest(PermitRequest.of("a"));
            assertThat(increase(before, probe.commandCalls())).isEqualTo(plain);
            before = probe.commandCalls();
            limiter.refund("a", decision);
            Map<String, Long> recorded = new TreeMap<>(plain);
            recorded.putAll(Map.of("GET", 2L, "SET", 1L));
            assertThat(increase(before, probe.commandCalls())).isEqualTo(recorded);
            before = probe.commandCalls();
            limiter.refund("a", decision);
            assertThat(increase(before, probe.commandCalls())).isEqualTo(Map.of("EVALSHA", 1L, "GET", 1L, "TIME", 1L));
        }
    }

    private Map<String, Long> callsOf100Requests(Limiter limiter) {
        limiter.tryAcquire("a");
        Map<String, Long> before = probe.commandCalls();
        for (int i = 0; i < 100; i++) {
            limiter.tryAcquire("a");
        }
        return increase(before, probe.commandCalls());
    }

    private RedisLimitEngine timed() {
        return Engines.builder(redis.url()).maxCachedDenials(0).time(clock).build();
    }

    private static long total(Map<String, Long> calls) {
        return calls.values().stream().mapToLong(Long::longValue).sum();
    }

    /** The commands between two counts, without the INFO of the counts. */
    private static Map<String, Long> increase(Map<String, Long> before, Map<String, Long> after) {
        Map<String, Long> increase = new TreeMap<>();
        after.forEach((name, calls) -> {
            long more = calls - before.getOrDefault(name, 0L);
            if (more > 0 && !name.equals("INFO")) {
                increase.put(name, more);
            }
        });
        return increase;
    }
}
