package io.headgate.redis.limits;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limits.AsyncLimiter;
import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.InMemoryLimitEngine;
import io.headgate.limits.Limit;
import io.headgate.limits.LimitEngine;
import io.headgate.limits.Limiter;
import io.headgate.limits.PermitRequest;
import io.headgate.limits.Policy;
import io.headgate.limits.Rule;
import io.headgate.testkit.Await;
import io.headgate.testkit.ManualClock;
import io.headgate.testkit.faults.FaultProxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * When a window becomes longer than its stored entries can represent, they are rewritten with more bytes: no charge is lost, and a
 * call stays short.
 */
@Timeout(120)
class WideningIT {

    @RegisterExtension
    final OwnRedis redis = new OwnRedis();

    private static final Duration LONG = Duration.ofSeconds(60);
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Duration HOUR = Duration.ofHours(1);

    private final FaultProxy proxy = redis.proxy;
    private final ManualClock clock = ManualClock.atMicros(0);
    private final RedisLimitEngine limits =
            Engines.builder(proxy.url()).time(clock).build();
    private final InMemoryLimitEngine inMemory =
            InMemoryLimitEngine.builder().time(clock).build();

    @AfterEach
    void close() {
        limits.close();
        inMemory.close();
    }

    /**
     * An epoch is the time that the bits of an entry can represent. The entries are of two epochs, and the second may begin at any entry.
     */
    @ParameterizedTest
    @CsvSource({"27, 28", "27, 36", "27, 44", "35, 36", "35, 44", "43, 44"})
    void each_entry_keeps_its_time_wherever_an_epoch_ends(int fromBits, int toBits) {
        Limit from = Limit.slidingWindow(60, Numbers.micros((1L << fromBits) / 1000 * 1000));
        Limit to = Limit.slidingWindow(60, Numbers.micros((1L << toBits) / 1000 * 1000));
        long epoch = 1L << fromBits;
        long gap = epoch / 64;
        // The start of an odd epoch, so that the high bits of the two epochs differ.
        long epochStart = (1_764_000_000_000_000L / epoch | 1) * epoch;
        for (int before = 0; before <= 55; before += 3) {
            String id = "k" + before;
            for (LimitEngine engine : List.of(limits, inMemory)) {
                clock.setMicros(epochStart - before * gap);
                Limiter limiter = engine.limiter("w", from);
                for (int i = 0; i < 55; i++) {
                    limiter.tryAcquire(id);
                    clock.setMicros(clock.nowMicros() + gap);
                }
                assertThat(engine.limiter("w", to).tryAcquire(id).allowed()).isTrue();
            }
            for (int permits = 1; permits <= 60; permits++) {
                assertThat(limits.limiter("w", to).peek(PermitRequest.of(id).withPermits(permits)))
                        .as("%s permits, %s before", permits, before)
                        .isEqualTo(inMemory.limiter("w", to)
                                .peek(PermitRequest.of(id).withPermits(permits)));
            }
        }
    }

    @Test
    void a_batch_rewrites_a_bounded_number_of_entries_and_other_requests_are_sent_alone() {
        fill(policyOf(1_000_000, MINUTE), 10, 1000);
        // Four keys of 1000 entries each are within the bound of 4096 entries.
        assertThat(callsFor(policyOf(1_000_000, HOUR), ids(10))).isEqualTo(1 + 6);
    }

    @Test
    void requests_for_a_key_that_is_too_long_to_rewrite_in_a_batch_are_sent_alone() {
        fill(policyOf(1_000_000, MINUTE), 1, 5000);
        assertThat(callsFor(policyOf(1_000_000, HOUR), List.of("k0", "new", "k0", "k0")))
                .isEqualTo(1 + 3);
    }

    @Test
    void the_rewritten_entries_of_all_rules_of_a_request_are_counted() {
        fill(twoRules(MINUTE), 2, 3000);
        assertThat(callsFor(twoRules(HOUR), ids(2))).isEqualTo(1 + 2);
    }

    @Test
    void a_denied_attempt_that_is_counted_rewrites_entries_too() {
        fill(countedAttempts(MINUTE), 3, 3000);
        assertThat(callsFor(countedAttempts(HOUR), ids(3))).isEqualTo(1 + 2);
    }

    /** A denied request rewrites no entries. */
    @Test
    void denials_are_decided_in_one_batch_however_long_their_keys_are() {
        fill(policyOf(5000, MINUTE), 3, 5000);
        assertThat(callsFor(policyOf(5000, HOUR), ids(3))).isEqualTo(1);
    }

    private static Policy policyOf(long permits, Duration window) {
        return Policy.of("w", Limit.slidingWindow(permits, window), Attributes.KEY);
    }

    private static Policy twoRules(Duration window) {
        return Policy.named("w")
                .rule("a", Limit.slidingWindow(1_000_000, window), Attributes.KEY)
                .rule("b", Limit.slidingWindow(900_000, window), Attributes.KEY)
                .build();
    }

    private static Policy countedAttempts(Duration window) {
        return Policy.named("w")
                .rule(new Rule("limit", Limit.slidingWindow(3000, window), List.of(Attributes.KEY)).countingAttempts())
                .build();
    }

    private static List<String> ids(int many) {
        return Stream.iterate(0, i -> i + 1).limit(many).map(i -> "k" + i).toList();
    }

    /** Makes requests for each id, once a millisecond. */
    private void fill(Policy policy, int many, int times) {
        clock.setMicros(1_764_000_000_000_000L);
        AsyncLimiter limiter = limits.limiter(policy).async();
        Limiter expected = inMemory.limiter(policy);
        List<CompletableFuture<Decision>> all = new ArrayList<>();
        for (int i = 0; i < times; i++) {
            for (String id : ids(many)) {
                all.add(limiter.tryAcquire(id).toCompletableFuture());
                expected.tryAcquire(id);
            }
            clock.advance(Duration.ofMillis(1));
            if (all.size() > 1000) {
                all.forEach(CompletableFuture::join);
                all.clear();
            }
        }
        all.forEach(CompletableFuture::join);
    }

    /** The number of calls for concurrent requests with these ids. Asserts that each receives the decision of the in-memory engine. */
    private long callsFor(Policy policy, List<String> ids) {
        AsyncLimiter limiter = limits.limiter(policy).async();
        Limiter expected = inMemory.limiter(policy);
        limiter.tryAcquire("other").toCompletableFuture().join();
        Await.until("its end", LONG, () -> limits.requestsInFlight() == 0);
        long before = proxy.commandsSeen("EVALSHA");
        proxy.holdReplies();
        // Each is a call, and the other requests wait for their replies.
        List<CompletableFuture<Decision>> first = send(limiter, List.of("other", "other"));
        List<CompletableFuture<Decision>> all = send(limiter, ids);
        proxy.resume();
        first.forEach(CompletableFuture::join);
        for (int i = 0; i < ids.size(); i++) {
            assertThat(all.get(i).join()).isEqualTo(expected.tryAcquire(ids.get(i)));
        }
        return proxy.commandsSeen("EVALSHA") - before - 2;
    }

    private static List<CompletableFuture<Decision>> send(AsyncLimiter limiter, List<String> ids) {
        return ids.stream()
                .map(id -> limiter.tryAcquire(id).toCompletableFuture())
                .toList();
    }
}
