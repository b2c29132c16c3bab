package io.headgate.redis.limits.internal.inflight;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limits.Attributes;
import io.headgate.limits.InFlightPolicy;
import io.headgate.limits.internal.inflight.HoldId;
import io.headgate.limits.internal.inflight.PlacedHold;
import io.headgate.limits.internal.inflight.Released;
import io.headgate.testkit.Leftovers;
import io.headgate.testkit.ManualClock;
import io.headgate.testkit.RedisProbe;
import io.headgate.testkit.RedisServer;
import io.headgate.testkit.conditions.ServerVersionSensitive;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The keys that each script of holds leaves in Redis, and the messages that it publishes. */
@Timeout(60)
@ServerVersionSensitive
class HoldScriptStateIT {

    private static final RedisServer REDIS = RedisServer.startOwn();
    private static final long NOW = 1_763_776_800_123_456L;
    private static final String ALICE = "state:if:{exports}:limit:alice";
    private static final String BOB = "state:if:{exports}:limit:bob";
    private static final InFlightPolicy POLICY =
            InFlightPolicy.named("exports").rule("limit", 1000, Attributes.USER).build();

    private final ManualClock clock = ManualClock.atMicros(NOW);
    private final RedisProbe probe = RedisProbe.of(REDIS.url());
    private final OpenHolds open = OpenHolds.connect(REDIS.url(), "state", clock);
    private final RedisHolds store = open.store();

    @AfterAll
    static void stop() {
        REDIS.close();
    }

    @BeforeEach
    void empty() {
        probe.flushAll();
    }

    @AfterEach
    void close() {
        Leftovers.in(REDIS.url(), "*").requireNone();
        open.close();
        probe.close();
    }

    private static PlacedHold hold(long number, long permits, String key) {
        return new PlacedHold(
                "exports",
                new HoldId(0x4142434445464748L, 0x6162636465666700L + number),
                permits,
                List.of(key),
                Optional.empty());
    }

    private static <T> T await(CompletionStage<T> answer) {
        return answer.toCompletableFuture().join();
    }

    private void acquire(PlacedHold hold) {
        assertThat(await(store.acquire(POLICY, hold)).allowed()).isTrue();
    }

    private long millisLeft(String key) {
        return (Long) Objects.requireNonNull(probe.command("PTTL", key));
    }

    private void expireIn(String key, long millis) {
        assertThat(probe.command("PEXPIRE", key, String.valueOf(millis))).isEqualTo(1L);
    }

    @Test
    void each_permit_is_a_member_with_its_expiry_as_the_score() {
        acquire(hold(0x68, 2, ALICE));
        String expiry = String.valueOf(NOW + 30_000_000);
        assertThat(probe.command("ZRANGE", ALICE, "0", "-1", "WITHSCORES"))
                .isEqualTo(List.of("ABCDEFGHabcdefgh\0", expiry, "ABCDEFGHabcdefgh\1", expiry));
        clock.advance(Duration.ofSeconds(10));
        assertThat(await(store.renew(Duration.ofSeconds(30), List.of(hold(0x68, 2, ALICE)))))
                .containsExactly(true);
        assertThat(probe.command("ZSCORE", ALICE, "ABCDEFGHabcdefgh\1")).isEqualTo(String.valueOf(NOW + 40_000_000));
        assertThat(probe.command("ZCARD", ALICE)).isEqualTo(2L);
    }

    @Test
    void a_hold_is_no_longer_held_at_the_instant_of_its_expiry() {
        acquire(hold(1, 1, ALICE));
        clock.advance(Duration.ofSeconds(30).minusNanos(1000));
        assertThat(await(store.peek(POLICY, List.of(ALICE))).rule("limit").held())
                .isEqualTo(1);
        clock.advance(Duration.ofNanos(1000));
        assertThat(await(store.peek(POLICY, List.of(ALICE))).rule("limit").held())
                .isZero();
        assertThat(await(store.renew(Duration.ofSeconds(30), List.of(hold(1, 1, ALICE)))))
                .containsExactly(false);
        assertThat(await(store.peek(POLICY, List.of(ALICE))).rule("limit").held())
                .isZero();
    }

    @Test
    void expired_holds_are_removed_by_later_acquisitions_a_bounded_number_at_a_time() {
        for (int i = 0; i < 3; i++) {
            acquire(hold(i, 100, ALICE));
        }
        clock.advance(Duration.ofSeconds(30));
        acquire(hold(4, 1, ALICE));
        assertThat(probe.command("ZCARD", ALICE)).isEqualTo(101L);
        assertThat(await(store.peek(POLICY, List.of(ALICE))).rule("limit").held())
                .isEqualTo(1);
        acquire(hold(5, 1, ALICE));
        assertThat(probe.command("ZCARD", ALICE)).isEqualTo(2L);
    }

    @Test
    void the_expiry_of_a_key_is_extended_when_it_is_too_early_and_never_shortened() {
        acquire(hold(1, 1, ALICE));
        assertThat(millisLeft(ALICE)).isBetween(140_000L, 165_000L);
        expireIn(ALICE, 80_000);
        acquire(hold(2, 1, ALICE));
        assertThat(millisLeft(ALICE)).isGreaterThan(140_000);
        expireIn(ALICE, 80_000);
        await(store.renew(Duration.ofSeconds(30), List.of(hold(1, 1, ALICE))));
        assertThat(millisLeft(ALICE)).isGreaterThan(140_000);
        expireIn(ALICE, 1_000_000);
        acquire(hold(3, 1, ALICE));
        await(store.renew(Duration.ofSeconds(30), List.of(hold(1, 1, ALICE))));
        assertThat(millisLeft(ALICE)).isGreaterThan(900_000);
    }

    @Test
    void stored_holds_are_added_to_others_and_shorten_no_lease() {
        acquire(hold(1, 100, ALICE));
        List<PlacedHold> both = List.of(hold(1, 100, ALICE), hold(2, 100, ALICE));
        assertThat(await(store.store(Duration.ofSeconds(20), both))).containsExactly(true, true);
        assertThat(probe.command("ZCARD", ALICE)).isEqualTo(200L);
        assertThat(scoreOf(1)).isEqualTo(String.valueOf(NOW + 30_000_000));
        assertThat(scoreOf(2)).isEqualTo(String.valueOf(NOW + 20_000_000));
        assertThat(await(store.extend(Duration.ofSeconds(25), both))).containsExactly(true, true);
        assertThat(scoreOf(1)).isEqualTo(String.valueOf(NOW + 30_000_000));
        assertThat(scoreOf(2)).isEqualTo(String.valueOf(NOW + 25_000_000));
    }

    private Object scoreOf(int hold) {
        return Objects.requireNonNull(probe.command("ZSCORE", ALICE, "ABCDEFGHabcdefg" + (char) hold + "\0"));
    }

    @Test
    void only_existing_holds_are_extended_and_a_foreign_key_is_not_changed() {
        assertThat(await(store.extend(Duration.ofSeconds(20), List.of(hold(1, 1, ALICE)))))
                .containsExactly(false);
        assertThat(probe.command("EXISTS", ALICE)).isEqualTo(0L);
        probe.command("SET", BOB, "mine", "EX", "100");
        List<PlacedHold> both = List.of(hold(1, 1, BOB), hold(2, 1, ALICE));
        assertThat(await(store.store(Duration.ofSeconds(20), both))).containsExactly(false, true);
        assertThat(probe.command("GET", BOB)).isEqualTo("mine");
    }

    @Test
    void a_foreign_key_fails_no_other_hold_of_the_same_call() {
        acquire(hold(1, 1, ALICE));
        acquire(hold(2, 1, BOB));
        probe.command("SET", ALICE, "mine", "EX", "100");
        List<PlacedHold> both = List.of(hold(1, 1, ALICE), hold(2, 1, BOB));
        assertThat(await(store.renew(Duration.ofHours(1), both))).containsExactly(false, true);
        assertThat(millisLeft(BOB)).isGreaterThan(Duration.ofHours(1).toMillis());
        assertThat(await(store.release(both))).map(Released::wasHeld).containsExactly(false, true);
        assertThat(probe.command("GET", ALICE)).isEqualTo("mine");
        assertThat(probe.command("EXISTS", BOB)).isEqualTo(0L);
    }

    @Test
    void releases_are_published_unless_nothing_was_held() throws Exception {
        BlockingQueue<String> messages = new LinkedBlockingQueue<>();
        try (StatefulRedisPubSubConnection<String, String> subscriber =
                open.link().connectPubSub()) {
            subscriber.addListener(new RedisPubSubAdapter<>() {
                @Override
                public void message(String channel, String message) {
                    messages.add(message);
                }
            });
            subscriber.sync().subscribe("state:if:{exports}");
            acquire(hold(1, 2, ALICE));
            acquire(hold(2, 5, ALICE));
            acquire(hold(3, 4, BOB));
            await(store.release(List.of(hold(9, 1, BOB))));
            await(store.release(List.of(hold(1, 2, ALICE), hold(3, 4, BOB))));
            await(store.reset("exports", BOB));
            await(store.reset("exports", ALICE));
            // The name of the engine, the released permits, and the key.
            assertThat(messages.poll(20, TimeUnit.SECONDS)).isEqualTo("test 2 " + ALICE);
            assertThat(messages.poll(20, TimeUnit.SECONDS)).isEqualTo("test 4 " + BOB);
            assertThat(messages.poll(20, TimeUnit.SECONDS)).isEqualTo("test 5 " + ALICE);
            assertThat(messages).isEmpty();
        }
    }

    @Test
    void no_more_permits_are_renewed_or_released_than_were_acquired() {
        acquire(hold(1, 2, ALICE));
        acquire(hold(2, 1, ALICE));
        assertThat(await(store.renew(Duration.ofHours(1), List.of(hold(1, 100, ALICE)))))
                .containsExactly(true);
        assertThat(probe.command("ZCARD", ALICE)).isEqualTo(3L);
        assertThat(await(store.release(List.of(hold(1, 100, ALICE), hold(9, 100, ALICE)))))
                .map(Released::permits)
                .containsExactly(List.of(2), List.of(0));
        assertThat(probe.command("ZCARD", ALICE)).isEqualTo(1L);
    }

    @Test
    void a_redis_out_of_memory_grants_no_hold_and_releases_holds() {
        acquire(hold(1, 1, ALICE));
        probe.command("CONFIG", "SET", "maxmemory", "1");
        try {
            assertThat(store.acquire(POLICY, hold(2, 1, BOB)).toCompletableFuture())
                    .failsWithin(Duration.ofSeconds(20));
            assertThat(await(store.release(List.of(hold(1, 1, ALICE))))).allMatch(Released::wasHeld);
        } finally {
            probe.command("CONFIG", "SET", "maxmemory", "0");
        }
        assertThat(probe.command("KEYS", "*")).isEqualTo(List.of());
    }
}
