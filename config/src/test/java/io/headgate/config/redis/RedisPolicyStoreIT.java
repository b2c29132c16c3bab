package io.headgate.config.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.headgate.config.ConfigException;
import io.headgate.config.sources.PolicyDocument.Text;
import io.headgate.config.sources.PolicyInstance;
import io.headgate.config.sources.PolicyReloader;
import io.headgate.config.sources.PolicyStatus.Rejection;
import io.headgate.config.sources.PolicyUpdate;
import io.headgate.config.sources.PolicyVersion;
import io.headgate.limits.InMemoryLimitEngine;
import io.headgate.redis.RedisSettings;
import io.headgate.testkit.Await;
import io.headgate.testkit.RedisProbe;
import io.headgate.testkit.RedisServer;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Policies in a real Redis, applied by a reloader. */
@Timeout(120)
class RedisPolicyStoreIT {

    private static final Duration LONG = Duration.ofSeconds(60);
    private static final String KEY = "hg:config:policies";
    private static final RedisServer REDIS = RedisServer.startOwn();

    private final RedisProbe probe = RedisProbe.of(REDIS.url());
    private final RedisPolicyStore store = connect();

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
        store.close();
        probe.close();
    }

    private static RedisPolicyStore connect() {
        return RedisPolicyStore.connect(RedisSettings.of(REDIS.url()));
    }

    private static Text text(long permits) {
        return new Text("api.yaml", """
                policies:
                  api:
                    rules:
                      per-user: { by: user, sliding-window: { permits: %d, window: 1h } }
                """.formatted(permits));
    }

    private PolicyUpdate.Result apply(Optional<String> replaces, Text... texts) {
        return store.apply(new PolicyUpdate(List.of(texts), replaces, "alice", "test"));
    }

    /** Replaces the current version, and returns the new one. */
    private String apply(Text... texts) {
        Optional<String> current =
                store.history(1).stream().map(PolicyVersion::version).findFirst();
        PolicyUpdate.Result result = apply(current, texts);
        assertThat(result.applied()).isTrue();
        return result.current().orElseThrow().version();
    }

    @Test
    void a_written_version_is_in_force_soon_with_its_counts() {
        apply(text(2));
        try (InMemoryLimitEngine engine = InMemoryLimitEngine.create();
                PolicyReloader reloader = PolicyReloader.start(engine, connect())) {
            assertThat(reloader.registry().limiter("api").tryAcquire("alice").remaining())
                    .isEqualTo(1);
            awaitVersion(reloader, apply(text(10)));
            assertThat(reloader.registry().limiter("api").tryAcquire("alice").remaining())
                    .isEqualTo(8);
        }
    }

    @Test
    void each_process_reports_the_version_that_it_runs_and_a_rejected_one() {
        String first = apply(text(2));
        assertThat(store.instances()).isEmpty();
        try (InMemoryLimitEngine engine = InMemoryLimitEngine.create();
                PolicyReloader reloader = PolicyReloader.start(engine, connect())) {
            Await.until("report", LONG, () -> store.instances().size() == 1);
            PolicyInstance reported = store.instances().get(0);
            assertThat(reported.name())
                    .matches("\\S+:" + ProcessHandle.current().pid());
            assertThat(reported.version()).isEqualTo(first);
            assertThat(reported.since()).isCloseTo(reloader.status().since(), within(1, ChronoUnit.MILLIS));
            String second = apply(new Text("api.yaml", "policies: { api: 1 }"));
            Await.until(
                    "rejection", LONG, () -> store.instances().get(0).rejected().isPresent());
            assertThat(store.instances().get(0).rejected().orElseThrow())
                    .startsWith("version " + second + " rejected at ");
        }
        Await.until("the end of the report", LONG, () -> store.instances().isEmpty());
    }

    /** Closing removes the report, unless the store replies late. In that case, the report expires, and the test tries again. */
    @Test
    void a_closed_process_leaves_no_report() {
        apply(text(2));
        for (int attempt = 1; isReportedAfterClose(); attempt++) {
            assertThat(attempt).as("attempts").isLessThan(4);
            Await.until("the end of the report", LONG, () -> store.instances().isEmpty());
        }
    }

    private boolean isReportedAfterClose() {
        try (InMemoryLimitEngine engine = InMemoryLimitEngine.create();
                PolicyReloader reloader = PolicyReloader.start(engine, connect())) {
            String version = reloader.status().version();
            Await.until("report", LONG, () -> store.instances().stream()
                    .anyMatch(report -> report.version().equals(version)));
        }
        return !store.instances().isEmpty();
    }

    @Test
    void an_invalid_version_is_rejected_with_its_file_and_line_and_the_next_one_is_applied() {
        String first = apply(text(2));
        try (InMemoryLimitEngine engine = InMemoryLimitEngine.create();
                PolicyReloader reloader = PolicyReloader.start(engine, connect())) {
            String second = apply(text(2), new Text("other.yaml", "policies: { other: { rules: {} } }"));
            Rejection rejection = awaitRejection(reloader, "other.yaml:1:");
            assertThat(rejection.version()).contains(second);
            assertThat(rejection.reason()).startsWith("other.yaml:1:");
            assertThat(reloader.status().version()).isEqualTo(first);
            awaitVersion(reloader, apply(text(3)));
            awaitNoRejection(reloader);
        }
    }

    @Test
    void an_older_version_is_rejected_and_a_version_that_is_written_after_it_is_applied() {
        apply(text(2));
        byte[] backup = (byte[]) requireNonNull(probe.commandBytes(bytes("DUMP"), bytes(KEY)));
        String second = apply(text(3));
        try (InMemoryLimitEngine engine = InMemoryLimitEngine.create();
                PolicyReloader reloader = PolicyReloader.start(engine, connect())) {
            probe.commandBytes(bytes("RESTORE"), bytes(KEY), bytes("0"), backup, bytes("REPLACE"));
            Rejection rejection = awaitRejection(reloader, "is older than version");
            assertThat(rejection.reason())
                    .isEqualTo("is older than version " + second
                            + ", which is in force, and which the source has lost; apply a version again");
            assertThat(reloader.status().version()).isEqualTo(second);
            String third = apply(text(4));
            assertThat(third).as("the number is that of the lost version").startsWith("2-");
            awaitVersion(reloader, third);
        }
    }

    @Test
    void a_new_version_is_applied_although_the_clock_was_ahead_when_the_lost_one_was_written() {
        String first = apply(text(2));
        probe.command("HSET", KEY, "1", first + "\n4102444800000000\n1\nalice\ntest\napi.yaml");
        try (InMemoryLimitEngine engine = InMemoryLimitEngine.create();
                PolicyReloader reloader = PolicyReloader.start(engine, connect())) {
            probe.flushAll();
            awaitRejection(reloader, "has no policies");
            String second = apply(text(3));
            Await.until("rejection of " + second, LONG, () -> reloader.status()
                    .rejected()
                    .flatMap(Rejection::version)
                    .equals(Optional.of(second)));
            awaitVersion(reloader, apply(text(4)));
        }
    }

    @Test
    void deleted_policies_stay_in_force_and_are_reported() {
        String first = apply(text(2));
        try (InMemoryLimitEngine engine = InMemoryLimitEngine.create();
                PolicyReloader reloader = PolicyReloader.start(engine, connect())) {
            probe.flushAll();
            Rejection rejection = awaitRejection(reloader, "has no policies");
            assertThat(rejection.version()).isEmpty();
            assertThat(rejection.reason())
                    .isEqualTo(store.name() + ": has no policies; write them with headgate policy apply");
            assertThat(reloader.status().version()).isEqualTo(first);
            awaitVersion(reloader, apply(text(3)));
        }
    }

    @Test
    void an_outage_is_reported_until_redis_replies_again() {
        try (RedisServer own = RedisServer.startOwn("--appendonly", "yes", "--appendfsync", "always");
                RedisPolicyStore there = RedisPolicyStore.connect(RedisSettings.of(own.url()));
                InMemoryLimitEngine engine = InMemoryLimitEngine.create()) {
            there.apply(new PolicyUpdate(List.of(text(2)), Optional.empty(), "alice", "test"));
            try (PolicyReloader reloader =
                    PolicyReloader.start(engine, RedisPolicyStore.connect(RedisSettings.of(own.url())))) {
                own.kill();
                assertThat(awaitRejection(reloader, "").version()).isEmpty();
                assertThat(reloader.registry()
                                .limiter("api")
                                .tryAcquire("alice")
                                .allowed())
                        .isTrue();
                own.restart();
                Await.until("the end of the outage", LONG, () -> reloader.status()
                        .rejected()
                        .isEmpty());
            }
        }
    }

    @Test
    void without_policies_a_reloader_does_not_start() {
        try (InMemoryLimitEngine engine = InMemoryLimitEngine.create()) {
            assertThatThrownBy(() -> PolicyReloader.start(engine, connect()))
                    .isInstanceOf(ConfigException.class)
                    .hasMessageContaining("has no policies");
        }
    }

    @Test
    void texts_are_read_only_when_the_version_changes() {
        apply(text(2));
        assertThat(store.read()).isSameAs(store.read());
        String second = apply(text(3));
        assertThat(store.read().version()).isEqualTo(second);
    }

    @Test
    void an_update_of_another_version_is_not_applied() {
        String first = apply(text(2));
        String second = apply(text(3));
        assertThat(apply(Optional.of(first), text(4)))
                .isEqualTo(new PolicyUpdate.Result(
                        false, Optional.of(store.history(1).get(0))));
        assertThat(store.history(100)).extracting(PolicyVersion::version).containsExactly(second, first);
        assertThat(store.find(first).orElseThrow().texts()).containsExactly(text(2));
        assertThat(store.find("3")).isEmpty();
    }

    @Test
    void two_texts_with_one_name_are_rejected_before_anything_is_written() {
        assertThatThrownBy(() -> apply(Optional.empty(), text(2), text(3)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("texts must have different names, but two are named api.yaml");
        assertThat(store.history(100)).isEmpty();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(US_ASCII);
    }

    private static void awaitVersion(PolicyReloader reloader, String version) {
        Await.until(
                "version " + version, LONG, () -> reloader.status().version().equals(version));
    }

    /** Awaits a rejection for this reason. A store that replies late is also one, until the next reply. */
    private static Rejection awaitRejection(PolicyReloader reloader, String reason) {
        List<Rejection> found = new ArrayList<>();
        Await.until("the rejection: " + reason, LONG, () -> {
            reloader.status()
                    .rejected()
                    .filter(rejection -> rejection.reason().contains(reason))
                    .ifPresent(found::add);
            return !found.isEmpty();
        });
        return found.get(0);
    }

    private static void awaitNoRejection(PolicyReloader reloader) {
        Await.until("no rejection", LONG, () -> reloader.status().rejected().isEmpty());
    }
}
