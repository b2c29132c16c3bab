package io.headgate.config.redis;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.config.ConfigException;
import io.headgate.config.sources.PolicyDocument;
import io.headgate.config.sources.PolicyDocument.Text;
import io.headgate.config.sources.PolicyInstance;
import io.headgate.config.sources.PolicyPreview;
import io.headgate.config.sources.PolicyPreview.Outcomes;
import io.headgate.config.sources.PolicyPreview.PolicyCounts;
import io.headgate.config.sources.PolicyReloader;
import io.headgate.config.sources.PolicyUpdate;
import io.headgate.config.sources.PolicyVersion;
import io.headgate.limits.Decision;
import io.headgate.limits.Fallback;
import io.headgate.limits.Limiter;
import io.headgate.redis.RedisSettings;
import io.headgate.redis.limits.RedisLimitEngine;
import io.headgate.testkit.Await;
import io.headgate.testkit.RedisProbe;
import io.headgate.testkit.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntConsumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A shadow version in a real Redis, which two engines evaluate under traffic. */
@Timeout(180)
class ShadowVersionIT {

    private static final Duration LONG = Duration.ofSeconds(60);
    private static final RedisServer REDIS = RedisServer.startOwn();

    private final RedisPolicyStore store = connect();
    private final List<AutoCloseable> open = new ArrayList<>();

    /** An engine and its reloader, as of a process. */
    private final class Instance {
        private final RedisLimitEngine engine;
        private final PolicyReloader reloader;

        /** Redis decides all requests, however slow this machine is. */
        private Instance() {
            this(RedisLimitEngine.builder(RedisSettings.of(REDIS.url()).withTimeout(LONG))
                    .fallback(Fallback.none())
                    .build());
        }

        private Instance(RedisLimitEngine engine) {
            this.engine = engine;
            this.reloader = PolicyReloader.start(engine, connect());
            open.add(reloader);
            open.add(engine);
        }

        private Limiter api() {
            return reloader.registry().limiter("api");
        }
    }

    @AfterAll
    static void stop() {
        REDIS.close();
    }

    @BeforeEach
    void empty() {
        try (RedisProbe probe = RedisProbe.of(REDIS.url())) {
            probe.flushAll();
        }
    }

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable one : open) {
            one.close();
        }
        store.close();
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

    private static PolicyUpdate update(Optional<PolicyVersion> replaces, long permits) {
        return new PolicyUpdate(
                List.of(text(permits)), replaces.map(PolicyVersion::version), "alice", permits + " permits");
    }

    private String apply(long permits) {
        Optional<PolicyVersion> current = store.history(1).stream().findFirst();
        return version(store.apply(update(current, permits)));
    }

    private String applyShadow(long permits) {
        return version(store.apply(update(store.shadowVersion(), permits).inShadow()));
    }

    private static String version(PolicyUpdate.Result written) {
        assertThat(written.applied()).isTrue();
        return written.current().orElseThrow().version();
    }

    private List<PolicyPreview> previews() {
        return store.previews().stream().flatMap(one -> one.preview().stream()).toList();
    }

    private void awaitEvaluated(String shadow, int processes) {
        Await.until(
                "evaluation",
                LONG,
                () -> previews().stream()
                                .filter(preview -> preview.version().equals(shadow))
                                .count()
                        == processes);
    }

    private PolicyCounts awaitRequests(long requests) {
        Await.until("counts", LONG, () -> PolicyPreview.total(previews()).stream()
                .anyMatch(policy -> policy.requests() == requests));
        return PolicyPreview.total(previews()).get(0);
    }

    @Test
    void a_shadow_version_counts_apart_over_all_processes_and_denies_nothing() {
        apply(1000);
        Instance one = new Instance();
        Instance other = new Instance();
        String shadow = applyShadow(10);
        awaitEvaluated(shadow, 2);
        List<CompletableFuture<Decision>> decisions = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            String user = "user-" + i % 4;
            decisions.add(
                    (i % 8 < 4 ? one : other).api().async().tryAcquire(user).toCompletableFuture());
        }
        assertThat(decisions.stream().map(CompletableFuture::join)).allMatch(Decision::allowed);
        PolicyCounts counts = awaitRequests(200);
        assertThat(counts.outcomes()).isEqualTo(new Outcomes(0, 160, 160, 0));
        assertThat(counts.rules()).singleElement().satisfies(rule -> {
            assertThat(rule.rule()).isEqualTo("per-user");
            assertThat(rule.outcomes()).isEqualTo(new Outcomes(0, 160, 160, 0));
        });
        assertThat(counts.skipped() + counts.failed() + counts.incomplete()).isZero();
        assertThat(one.api().peek("user-0").remaining()).isEqualTo(950);
        assertThat(one.engine.policies()).hasSize(1);
        try (RedisProbe probe = RedisProbe.of(REDIS.url())) {
            List<String> keys = keysOf(probe, "hg:shadow:");
            assertThat(keys).hasSize(4).allMatch(key -> key.startsWith("hg:shadow:" + shadow + ":sw:api:per-user:"));
            assertThat(keys).allMatch(key -> (long) requireNonNull(probe.command("PTTL", key)) > 0);
        }
    }

    private static List<String> keysOf(RedisProbe probe, String prefix) {
        return ((List<?>) requireNonNull(probe.command("KEYS", prefix + "*")))
                .stream().map(String::valueOf).toList();
    }

    @Test
    void without_a_shadow_version_there_is_one_call_for_each_request() {
        apply(100_000);
        Instance one = new Instance();
        String shadow = applyShadow(50_000);
        awaitEvaluated(shadow, 1);
        // Copies that are sent at the same time may be in one call, so each is awaited.
        assertThat(callsOf(200, one, requests -> awaitCopies(one, requests))).isGreaterThanOrEqualTo(400);
        assertThat(store.discardShadow(shadow)).isTrue();
        Await.until("end", LONG, () -> one.reloader.status().preview().isEmpty());
        assertThat(callsOf(200, one, requests -> {})).isBetween(200L, 300L);
        Await.until("no report", LONG, () -> previews().isEmpty());
        Await.until("the end of its thread", LONG, () -> Thread.getAllStackTraces().keySet().stream()
                .noneMatch(thread -> thread.getName().equals("headgate-shadow")));
    }

    private static void awaitCopies(Instance instance, int requests) {
        Await.until("copies", LONG, () -> instance.reloader.status().preview().stream()
                .anyMatch(preview -> preview.policies().get(0).requests() == requests));
    }

    /**
     * Returns the number of scripts that some requests cause, with those that poll meanwhile.
     *
     * @param afterEach is called after each request with the number of requests
     */
    private static long callsOf(int requests, Instance instance, IntConsumer afterEach) {
        try (RedisProbe probe = RedisProbe.of(REDIS.url())) {
            long before = probe.commandCalls().getOrDefault("EVALSHA", 0L);
            for (int i = 1; i <= requests; i++) {
                assertThat(instance.api().tryAcquire("alice").allowed()).isTrue();
                afterEach.accept(i);
            }
            instance.reloader.reload();
            return probe.commandCalls().getOrDefault("EVALSHA", 0L) - before;
        }
    }

    @Test
    void a_replaced_or_restarted_shadow_version_counts_from_zero_and_another_current_version_is_compared() {
        apply(1000);
        Instance one = new Instance();
        awaitEvaluated(applyShadow(1), 1);
        one.api().tryAcquire("alice");
        one.api().tryAcquire("alice");
        assertThat(awaitRequests(2).outcomes().newlyDenied()).isEqualTo(1);
        awaitEvaluated(applyShadow(2), 1);
        one.api().tryAcquire("alice");
        one.api().tryAcquire("alice");
        assertThat(awaitRequests(2).outcomes().newlyDenied()).isZero();
        apply(1);
        Await.until("new comparison", LONG, () -> {
            List<PolicyPreview> previews = previews();
            return !previews.isEmpty()
                    && previews.stream()
                            .allMatch(preview -> preview.policies().get(0).requests() == 0);
        });
        assertThat(one.api().tryAcquire("alice").denied()).isTrue();
        assertThat(awaitRequests(1).outcomes()).isEqualTo(new Outcomes(1, 1, 0, 0));
    }

    @Test
    void applying_the_texts_of_the_shadow_version_ends_it() {
        apply(1000);
        Instance one = new Instance();
        awaitEvaluated(applyShadow(10), 1);
        apply(500);
        assertThat(store.shadowVersion()).isPresent();
        String applied = apply(10);
        assertThat(store.shadowVersion()).isEmpty();
        Await.until(
                "applied",
                LONG,
                () -> one.reloader.status().version().equals(applied)
                        && one.reloader.status().preview().isEmpty());
    }

    @Test
    void a_shadow_version_is_replaced_or_discarded_only_if_it_is_the_expected_one() {
        String current = apply(1000);
        assertThat(store.shadow()).isEmpty();
        assertThat(store.find("shadow")).isEmpty();
        assertThat(store.discardShadow("1-0123456789ab")).isFalse();
        String shadow = applyShadow(10);
        assertThat(store.shadow().orElseThrow().texts()).containsExactly(text(10));
        assertThat(store.find("shadow")).isEqualTo(store.shadow());
        assertThat(store.shadowVersion().orElseThrow().reason()).isEqualTo("10 permits");
        PolicyUpdate.Result conflict = store.apply(update(Optional.empty(), 20).inShadow());
        assertThat(conflict).isEqualTo(new PolicyUpdate.Result(false, store.shadowVersion()));
        String other = applyShadow(20);
        assertThat(store.discardShadow(shadow)).isFalse();
        assertThat(store.shadow().map(PolicyDocument::version)).contains(other);
        assertThat(store.discardShadow(other)).isTrue();
        assertThat(store.shadow()).isEmpty();
        assertThat(store.read().version()).isEqualTo(current);
        assertThat(store.history(10)).hasSize(1);
    }

    @Test
    void a_version_that_cannot_be_evaluated_is_reported_and_changes_nothing() {
        String current = apply(1000);
        Instance one = new Instance();
        store.apply(new PolicyUpdate(List.of(new Text("api.yaml", "policies: { api: 1 }")), Optional.empty(), "a", "b")
                .inShadow());
        Await.until("problem", LONG, () -> previews().stream()
                .anyMatch(preview -> preview.problem().orElse("").startsWith("api.yaml:1:")));
        assertThat(one.reloader.status().version()).isEqualTo(current);
        assertThat(one.reloader.status().rejected()).isEmpty();
        assertThat(one.api().tryAcquire("alice").allowed()).isTrue();
    }

    @Test
    void requests_are_decided_while_redis_is_dead_and_evaluated_again_afterwards() {
        apply(1000);
        Instance one = new Instance(RedisLimitEngine.connect(REDIS.url()));
        String shadow = applyShadow(10);
        awaitEvaluated(shadow, 1);
        REDIS.kill();
        for (int i = 0; i < 50; i++) {
            assertThat(one.api().tryAcquire("alice").allowed()).isTrue();
        }
        REDIS.restart();
        Await.until("connection", LONG, this::isConnected);
        // If Redis has lost the policies, the process keeps its version.
        apply(1000);
        awaitEvaluated(applyShadow(10), 1);
        Await.until("evaluated", LONG, () -> {
            assertThat(one.api().tryAcquire("alice").allowed()).isTrue();
            return PolicyPreview.total(previews()).stream()
                    .anyMatch(policy -> policy.outcomes().newlyDenied() > 0);
        });
    }

    private boolean isConnected() {
        try {
            store.history(1);
            return true;
        } catch (ConfigException e) {
            return false;
        }
    }

    /** The fields and values of the versions, in any order. */
    private static List<String> stored(RedisProbe probe) {
        return ((List<?>) requireNonNull(probe.command("HGETALL", "hg:config:policies")))
                .stream().map(String::valueOf).sorted().toList();
    }

    @Test
    void a_process_that_knows_no_shadow_version_reads_and_writes_beside_it() {
        apply(1000);
        try (RedisProbe probe = RedisProbe.of(REDIS.url())) {
            List<String> before = stored(probe);
            new Instance();
            awaitEvaluated(applyShadow(10), 1);
            assertThat(stored(probe)).isEqualTo(before);
            // A report has five lines, as before, so that other processes can read it.
            assertThat((List<?>) requireNonNull(probe.command("ZRANGE", "hg:config:policies:instances", "0", "-1")))
                    .allMatch(report -> String.valueOf(report).split("\n", -1).length == 5);
        }
        assertThat(store.previews()).extracting(PolicyInstance::preview).allMatch(Optional::isPresent);
    }
}
