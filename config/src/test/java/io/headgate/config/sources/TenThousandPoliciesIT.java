package io.headgate.config.sources;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.config.PolicyRegistry;
import io.headgate.config.redis.RedisPolicyStore;
import io.headgate.config.sources.PolicyDocument.Text;
import io.headgate.limits.Fallback;
import io.headgate.limits.InMemoryLimitEngine;
import io.headgate.limits.LimitEngine;
import io.headgate.redis.RedisSettings;
import io.headgate.redis.limits.RedisLimitEngine;
import io.headgate.testkit.RedisServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** 10,000 policies of a directory, and of a real Redis, are loaded, applied and changed. */
class TenThousandPoliciesIT {

    private static final int POLICIES = 10_000;
    private static final int IN_A_FILE = 1000;

    /**
     * Returns a version of all policies.
     *
     * @param permits the limit of policy p0
     * @param last the name of the last policy
     */
    private static List<Text> texts(int permits, String last) {
        List<Text> texts = new ArrayList<>();
        for (int first = 0; first < POLICIES; first += IN_A_FILE) {
            String policies = IntStream.range(first, first + IN_A_FILE)
                    .mapToObj(i -> "  " + (i == POLICIES - 1 ? last : "p" + i)
                            + ": { rules: { limit: { by: user, sliding-window: { permits: "
                            + (i == 0 ? permits : 2) + ", window: 1h } } } }\n")
                    .collect(Collectors.joining());
            texts.add(new Text("policies-" + first + ".yaml", "policies:\n" + policies));
        }
        return texts;
    }

    @Test
    void of_a_directory(@TempDir Path directory) throws IOException {
        write(directory, texts(5, "last"));
        try (LimitEngine engine = InMemoryLimitEngine.create();
                PolicyReloader policies = PolicyReloader.start(engine, FilePolicySource.of(directory))) {
            List<Text> next = texts(7, "other");
            requireCountsContinue(policies, () -> write(directory, next));
        }
    }

    private static void write(Path directory, List<Text> texts) {
        try {
            for (Text text : texts) {
                Files.writeString(directory.resolve(text.name()), text.yaml());
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void of_redis() {
        try (RedisServer redis = RedisServer.startOwn();
                RedisPolicyStore writer = RedisPolicyStore.connect(RedisSettings.of(redis.url()));
                // Redis decides all requests, however slow this machine is.
                LimitEngine engine = RedisLimitEngine.builder(
                                RedisSettings.of(redis.url()).withTimeout(Duration.ofSeconds(60)))
                        .fallback(Fallback.none())
                        .build()) {
            String version = apply(writer, Optional.empty(), texts(5, "last"));
            try (PolicyReloader policies =
                    PolicyReloader.start(engine, RedisPolicyStore.connect(RedisSettings.of(redis.url())))) {
                requireCountsContinue(policies, () -> apply(writer, Optional.of(version), texts(7, "other")));
            }
        }
    }

    private static String apply(RedisPolicyStore store, Optional<String> replaces, List<Text> texts) {
        return store.apply(new PolicyUpdate(texts, replaces, "test", "many policies"))
                .current()
                .orElseThrow()
                .version();
    }

    /** Charges policies, changes one limit and the name of one policy, and checks the counts of all. */
    private static void requireCountsContinue(PolicyReloader policies, Runnable change) {
        PolicyRegistry registry = policies.registry();
        assertThat(registry.policies().list()).hasSize(POLICIES);
        for (int i = 0; i < POLICIES - 1; i += 100) {
            registry.limiter("p" + i).tryAcquire("alice");
        }
        change.run();
        assertThat(policies.reload().rejected()).isEmpty();
        assertThat(registry.policies().list()).hasSize(POLICIES);
        assertThat(registry.limiter("p0").peek("alice").remaining()).isEqualTo(7 - 1);
        for (int i = 100; i < POLICIES - 1; i += 100) {
            assertThat(registry.limiter("p" + i).peek("alice").remaining()).isEqualTo(2 - 1);
        }
        assertThat(registry.limiter("other").tryAcquire("alice").remaining()).isEqualTo(1);
        assertThat(registry.findLimiter("last")).isEmpty();
        assertThat(registry.findLimiterForRefund("last")).isPresent();
    }
}
