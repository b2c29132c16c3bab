package io.headgate.redis.limits;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limits.Fallback;
import io.headgate.limits.Health;
import io.headgate.testkit.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** {@code allow} on Redis: calls are batched, and actions and users never share a count, on every path of a decision. */
class AllowIT {

    private static final Duration HOUR = Duration.ofHours(1);

    @RegisterExtension
    final OwnRedis redis = new OwnRedis();

    @Test
    void concurrent_calls_of_different_actions_and_users_are_batched() throws Exception {
        try (RedisLimitEngine limits = Engines.builder(redis.proxy.url()).build()) {
            limits.allow("warm", "up", 5, HOUR);
            long before = scriptCalls();
            redis.proxy.holdReplies();
            List<CompletableFuture<Boolean>> calls = new ArrayList<>();
            for (int i = 0; i < 40; i++) {
                int call = i;
                CompletableFuture<Boolean> answer = new CompletableFuture<>();
                Thread thread = new Thread(
                        () -> answer.complete(limits.allow("user" + call, "/api/reply" + call % 2, 5, HOUR)));
                thread.setDaemon(true);
                thread.start();
                calls.add(answer);
            }
            Await.until("all to be in flight", Duration.ofSeconds(20), () -> limits.requestsInFlight() == 40);
            redis.proxy.resume();
            for (CompletableFuture<Boolean> call : calls) {
                assertThat(call.get(20, TimeUnit.SECONDS)).isTrue();
            }
            // Two requests were sent immediately, and the others in one or two batches.
            assertThat(scriptCalls() - before).isLessThanOrEqualTo(4);
        }
    }

    private long scriptCalls() {
        return redis.probe.commandCalls().getOrDefault("EVALSHA", 0L);
    }

    @Test
    void denials_of_one_action_deny_no_other_and_end_with_a_larger_maximum() {
        try (RedisLimitEngine limits = redis.limits().build()) {
            for (String action : List.of("发送短信", "/api/reply")) {
                assertThat(limits.allow("alice", action, 1, HOUR)).isTrue();
                assertThat(limits.allow("alice", action, 1, HOUR)).isFalse(); // Cached from now on.
                assertThat(limits.allow("alice", action, 1, HOUR)).isFalse();
                assertThat(limits.allow("bob", action, 1, HOUR)).isTrue();
                assertThat(limits.allow("alice", action, 2, HOUR)).isTrue();
                assertThat(limits.allow("alice", action, 2, HOUR)).isFalse();
                assertThat(limits.allow("alice", action, 3, HOUR)).isTrue();
                assertThat(limits.allow("alice", action, 3, HOUR)).isFalse();
            }
        }
    }

    @Test
    void users_never_share_a_local_count_and_a_new_maximum_keeps_the_count() {
        try (RedisLimitEngine limits = RedisLimitEngine.connect(redis.proxy.url())) {
            redis.proxy.refuseConnections();
            redis.proxy.cutAll();
            for (String action : List.of("发送短信", "/api/reply")) {
                assertThat(limits.allow("alice", action, 1, HOUR)).isTrue();
                assertThat(limits.allow("alice", action, 1, HOUR)).isFalse();
                assertThat(limits.allow("bob", action, 1, HOUR)).isTrue();
                assertThat(limits.allow("alice", action, 2, HOUR)).isTrue();
                assertThat(limits.allow("alice", action, 2, HOUR)).isFalse();
            }
        }
    }

    /** At the end of the outage, other limits also have uncharged permits of other users, and any of these may be charged first. */
    @Test
    void after_an_outage_each_limit_is_charged_what_was_admitted_under_it() {
        Duration soon = Duration.ofSeconds(60);
        Duration day = Duration.ofDays(1);
        AtomicLong nowMicros = new AtomicLong(1_800_000_000_000_000L);
        try (RedisLimitEngine limits = RedisLimitEngine.builder(redis.proxy.url())
                        .fallback(Fallback.local().within(Duration.ofMillis(250)))
                        .time(nowMicros::get)
                        .build();
                RedisLimitEngine direct = redis.limits().time(nowMicros::get).build()) {
            redis.proxy.blackHole();
            Await.until("degraded", soon, () -> {
                limits.allow("somebody", "login", 10, day);
                return limits.health() == Health.DEGRADED;
            });
            for (int i = 0; i < 7; i++) {
                assertThat(limits.allow("alice", "login", 10, day)).isTrue();
            }
            for (int i = 0; i < 30; i++) {
                assertThat(limits.allow("bob", "login", 100 + i, Duration.ofSeconds(1)))
                        .isTrue();
            }
            nowMicros.addAndGet(2_000_000);
            redis.proxy.resume();
            Await.until("healthy", soon, () -> limits.health() == Health.HEALTHY);
            for (int i = 0; i < 3; i++) {
                assertThat(direct.allow("alice", "login", 10, day)).isTrue();
            }
            assertThat(direct.allow("alice", "login", 10, day)).isFalse();
        }
    }
}
