package io.headgate.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.limits.AsyncLimiter;
import io.headgate.limits.Decision;
import io.headgate.limits.Fallback;
import io.headgate.limits.Limit;
import io.headgate.limits.Limiter;
import io.headgate.limits.LimiterException;
import io.headgate.limits.PermitRequest;
import io.headgate.redis.RedisSettings;
import io.headgate.redis.limits.RedisLimitEngine;
import io.headgate.testkit.Leftovers;
import io.headgate.testkit.RedisProbe;
import io.headgate.testkit.RedisServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Two statements of the guide to keys and memory: the size of a full sliding window, and what a Redis without free memory does. */
class KeysGuideIT {

    private static final Path GUIDE = Path.of("../docs/keys-and-memory.md");
    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final RedisServer redis = RedisServer.startOwn();
    private final RedisProbe probe = RedisProbe.of(redis.url());

    @AfterEach
    void check_the_remaining_keys_and_stop_redis() {
        try (redis;
                probe) {
            Leftovers.in(redis.url(), "*").requireNone();
        }
    }

    @ParameterizedTest
    @CsvSource({"100, 624, 624", "1000, 4600, 4600", "10000, 44502, 44 502"})
    void a_full_sliding_window_has_the_size_that_the_guide_states(int permits, long bytes, String shown)
            throws IOException {
        try (RedisLimitEngine limits = RedisLimitEngine.builder(
                        RedisSettings.of(redis.url()).withTimeout(MINUTE))
                .fallback(Fallback.none())
                .batching(false)
                .build()) {
            Limiter limiter = limits.limiter("p", Limit.slidingWindow(permits, MINUTE));
            assertThat(limiter.tryAcquire("alice").allowed()).isTrue();
            AsyncLimiter async = limiter.async();
            List<CompletableFuture<Decision>> decisions = new ArrayList<>();
            for (int i = 1; i < permits; i++) {
                decisions.add(async.tryAcquire("alice").toCompletableFuture());
            }
            assertThat(decisions).allMatch(decision -> decision.join().allowed());
        }
        assertThat(probe.command("STRLEN", "hg:sw:p:limit:alice")).isEqualTo(bytes);
        assertThat(Files.readString(GUIDE)).contains(" " + shown + " bytes");
    }

    @Test
    void a_redis_without_free_memory_charges_nothing_and_still_denies() {
        try (RedisLimitEngine limits = engineWithoutFallback(redis.url())) {
            Limiter limiter = limits.limiter("p", Limit.slidingWindow(2, MINUTE));
            assertThat(limiter.tryAcquire(PermitRequest.of("full").withPermits(2))
                            .allowed())
                    .isTrue();
            assertThat(limiter.tryAcquire("half").allowed()).isTrue();
            probe.command("CONFIG", "SET", "maxmemory-policy", "noeviction");
            probe.command("CONFIG", "SET", "maxmemory", "1");

            assertThatThrownBy(() -> limiter.tryAcquire("half")).isInstanceOf(LimiterException.class);
            assertThat(limiter.tryAcquire("full").denied()).isTrue();
            assertThat(limiter.peek("half").remaining()).isEqualTo(1);
        }
    }

    private static RedisLimitEngine engineWithoutFallback(String url) {
        return RedisLimitEngine.builder(RedisSettings.of(url).withTimeout(MINUTE))
                .fallback(Fallback.none())
                .build();
    }
}
