package io.headgate.config.consul;

import static io.headgate.config.consul.PolicyTexts.apply;
import static io.headgate.config.consul.PolicyTexts.text;
import static io.headgate.config.consul.PolicyTexts.update;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.headgate.config.ConfigException;
import io.headgate.config.sources.PolicyDocument.Text;
import io.headgate.config.sources.PolicyInstance;
import io.headgate.config.sources.PolicyReloader;
import io.headgate.config.sources.PolicyStatus.Rejection;
import io.headgate.limits.InMemoryLimitEngine;
import io.headgate.testkit.Await;
import io.headgate.testkit.consul.ConsulStandIn;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Policies in Consul, applied by reloaders that report what they run. */
@Timeout(120)
class ConsulReportsTest {

    private static final Duration LONG = Duration.ofSeconds(60);
    private static final String INSTANCES = "hg/config/policies/instances/";

    private final ConsulStandIn consul = ConsulStandIn.start();
    private final ConsulProbe probe = new ConsulProbe(consul);
    private final InMemoryLimitEngine engine = InMemoryLimitEngine.create();
    private final ConsulPolicyStore store = connect();

    @AfterEach
    void close() {
        store.close();
        engine.close();
        consul.close();
    }

    private ConsulPolicyStore connect() {
        return ConsulPolicyStore.connect(ConsulSettings.of(consul.url()));
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

    @Test
    void a_written_version_is_in_force_soon_with_its_counts() {
        apply(store, text(2));
        try (PolicyReloader reloader = PolicyReloader.start(engine, connect())) {
            assertThat(reloader.registry().limiter("api").tryAcquire("alice").remaining())
                    .isEqualTo(1);
            awaitVersion(reloader, apply(store, text(10)));
            assertThat(reloader.registry().limiter("api").tryAcquire("alice").remaining())
                    .isEqualTo(8);
        }
    }

    @Test
    void without_policies_a_reloader_does_not_start() {
        assertThatThrownBy(() -> PolicyReloader.start(engine, connect()))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("has no policies");
    }

    @Test
    void each_process_reports_the_version_that_it_runs_and_a_rejected_one() {
        String first = apply(store, text(2));
        assertThat(store.instances()).isEmpty();
        try (PolicyReloader reloader = PolicyReloader.start(engine, connect())) {
            Await.until("report", LONG, () -> store.instances().size() == 1);
            PolicyInstance reported = store.instances().get(0);
            assertThat(reported.name())
                    .matches("\\S+:" + ProcessHandle.current().pid());
            assertThat(reported.version()).isEqualTo(first);
            assertThat(reported.since()).isCloseTo(reloader.status().since(), within(1, ChronoUnit.MILLIS));
            String second = apply(store, new Text("api.yaml", "policies: { api: 1 }"));
            Await.until(
                    "rejection", LONG, () -> store.instances().get(0).rejected().isPresent());
            assertThat(store.instances().get(0).rejected().orElseThrow())
                    .startsWith("version " + second + " rejected at ");
            assertThat(reloader.status().version()).isEqualTo(first);
            awaitVersion(reloader, apply(store, text(3)));
        }
        Await.until("the end of the report", LONG, () -> store.instances().isEmpty());
    }

    /** Closing removes the report, unless the store replies late. In that case, the report expires, and the test tries again. */
    @Test
    void a_closed_process_leaves_no_report() {
        apply(store, text(2));
        for (int attempt = 1; isReportedAfterClose(); attempt++) {
            assertThat(attempt).as("attempts").isLessThan(4);
            Await.until("the end of the report", LONG, () -> store.instances().isEmpty());
        }
    }

    private boolean isReportedAfterClose() {
        try (PolicyReloader reloader = PolicyReloader.start(engine, connect())) {
            String version = reloader.status().version();
            Await.until("report", LONG, () -> store.instances().stream()
                    .anyMatch(report -> report.version().equals(version)));
        }
        return !store.instances().isEmpty();
    }

    /** Awaits a report by another session than this one, and returns its session. */
    private String reportedSession(String before) {
        List<String> sessions = new ArrayList<>();
        Await.until("report", LONG, () -> {
            List<String> keys = probe.keys(INSTANCES);
            String session = keys.size() == 1 ? probe.lockOf(keys.get(0)) : "";
            if (!session.isEmpty() && !session.equals(before)) {
                sessions.add(session);
            }
            return !sessions.isEmpty();
        });
        return sessions.get(0);
    }

    @Test
    void the_report_of_a_killed_process_expires_with_its_session() {
        apply(store, text(2));
        try (PolicyReloader reloader = PolicyReloader.start(engine, connect())) {
            String session = reportedSession("");
            assertThat(probe.keys(INSTANCES)).containsExactly(INSTANCES + session);
            assertThat(probe.session(session)).contains("\"TTL\":\"10s\"").contains("\"Behavior\":\"delete\"");
            awaitNoRejection(reloader);
        }
    }

    @Test
    void a_report_whose_session_has_ended_in_an_outage_is_written_again() {
        String first = apply(store, text(2));
        try (PolicyReloader reloader = PolicyReloader.start(engine, connect())) {
            String session = reportedSession("");
            consul.expire(session);
            assertThat(probe.keys(INSTANCES)).doesNotContain(INSTANCES + session);
            assertThat(reportedSession(session)).isNotEqualTo(session);
            assertThat(store.instances()).singleElement().satisfies(report -> assertThat(report.version())
                    .isEqualTo(first));
            awaitNoRejection(reloader);
        }
    }

    @Test
    void all_reports_are_returned_by_name_and_foreign_ones_are_ignored() {
        for (int i = 0; i < 50; i++) {
            probe.put(INSTANCES + i, "host-%04d:1".formatted(99 - i) + "\n1-0123456789ab\n0\n" + "é".repeat(i % 2));
        }
        probe.put(INSTANCES + "other", "mine");
        List<PolicyInstance> all = store.instances();
        assertThat(all).hasSize(50).isSortedAccordingTo((one, other) -> one.name()
                .compareTo(other.name()));
        assertThat(all.get(49).rejected()).isEmpty();
        assertThat(all.get(48).rejected()).contains("é");
    }

    @Test
    void deleted_policies_stay_in_force_and_are_reported() {
        String first = apply(store, text(2));
        try (PolicyReloader reloader = PolicyReloader.start(engine, connect())) {
            probe.delete("hg/config/policies/current");
            Rejection rejection = awaitRejection(reloader, "has no policies");
            assertThat(rejection.version()).isEmpty();
            assertThat(rejection.reason()).endsWith("has no policies; write them with headgate policy apply");
            assertThat(reloader.status().version()).isEqualTo(first);
            awaitVersion(reloader, apply(store, text(3)));
        }
    }

    @Test
    void an_older_version_is_rejected_and_a_version_that_is_written_after_it_is_applied() {
        apply(store, text(2));
        ConsulStandIn.Snapshot backup = consul.snapshot();
        String second = apply(store, text(3));
        try (PolicyReloader reloader = PolicyReloader.start(engine, connect())) {
            consul.restore(backup);
            assertThat(awaitRejection(reloader, "is older than version").reason())
                    .isEqualTo("is older than version " + second
                            + ", which is in force, and which the source has lost; apply a version again");
            String third = apply(store, text(4));
            assertThat(third).as("the number is that of the lost version").startsWith("2-");
            awaitVersion(reloader, third);
        }
    }

    @Test
    void an_invalid_first_version_can_be_replaced() {
        String first = store.apply(update(Optional.empty(), new Text("a", "policies: 1")))
                .current()
                .orElseThrow()
                .version();
        assertThatThrownBy(() -> PolicyReloader.start(engine, connect())).isInstanceOf(ConfigException.class);
        assertThat(store.apply(update(Optional.of(first), text(1))).applied()).isTrue();
        PolicyReloader.start(engine, connect()).close();
    }
}
