package io.headgate.server.top;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limits.Fallback;
import io.headgate.limits.Limit;
import io.headgate.limits.Limiter;
import io.headgate.limits.Policy;
import io.headgate.limits.hotkeys.HotKeys;
import io.headgate.redis.RedisSettings;
import io.headgate.redis.limits.RedisLimitEngine;
import io.headgate.server.CliRun;
import io.headgate.testkit.Await;
import io.headgate.testkit.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** {@code headgate top} with hot keys that applications have stored in Redis. */
@Timeout(60)
class TopIT {

    private static final RedisServer REDIS = RedisServer.startOwn();

    private static final Policy POLICY = Policy.named("api")
            .rule("per-user", Limit.slidingWindow(2, Duration.ofMinutes(10)), "user")
            .build();

    @AfterAll
    static void stop() {
        REDIS.close();
    }

    @Test
    void top_shows_what_an_application_has_reported() {
        assertThat(top().out()).isEqualTo("no decisions in this minute and the one before\n");
        try (RedisLimitEngine limits = RedisLimitEngine.builder(
                        RedisSettings.of(REDIS.url()).withTimeout(Duration.ofSeconds(30)))
                .fallback(Fallback.none())
                .hotKeys(HotKeys.create())
                .hotKeysInterval(Duration.ofMillis(100))
                .build()) {
            Limiter limiter = limits.limiter(POLICY);
            for (int i = 0; i < 5; i++) {
                limiter.tryAcquire("alice");
            }
            limiter.tryAcquire("\u001b[31mbob");
            Await.until(
                    "the decisions", Duration.ofSeconds(60), () -> top().out().contains("6 decisions"));
        }
        assertThat(top().out().replaceFirst("since [^ ]+:", "since THEN:")).isEqualTo("""
                api, since THEN: 6 decisions, 3 denied

                most requested  ids              count   share  error
                per-user        alice                5  83.3 %      0
                per-user        "\\u001b[31mbob"      1  16.7 %      0
                any other key: at most 0

                most denied  ids    count    share  error
                per-user     alice      3  100.0 %      0
                any other key: at most 0
                """);
        assertThat(top("--json", "--policy", "api", "--max", "1").out())
                .startsWith("{\"policies\":[{\"policy\":\"api\",\"from\":\"")
                .contains(
                        "\"requested\":{\"total\":6,\"unlisted\":1,\"keys\":[{\"rule\":\"per-user\",\"ids\":[\"alice\"],\"count\":5");
        assertThat(top("--policy", "other").out()).isEqualTo("no decisions in this minute and the one before\n");
    }

    @Test
    void a_redis_that_does_not_reply_is_reported() {
        CliRun run = CliRun.of("top", "--redis", "redis://127.0.0.1:1");
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err()).contains("headgate: ", "; for more on 127.0.0.1:1: ./headgate doctor");
    }

    private static CliRun top(String... more) {
        List<String> words = new ArrayList<>(List.of("top", "--redis", REDIS.url(), "--redis-timeout", "4s"));
        words.addAll(List.of(more));
        CliRun run = CliRun.of(words.toArray(String[]::new));
        assertThat(run.err()).isEmpty();
        assertThat(run.exitCode()).isZero();
        return run;
    }
}
