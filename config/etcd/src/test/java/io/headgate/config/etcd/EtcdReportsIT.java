package io.headgate.config.etcd;

import static io.headgate.config.etcd.PolicyTexts.apply;
import static io.headgate.config.etcd.PolicyTexts.text;
import static io.headgate.config.etcd.PolicyTexts.update;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.etcd.jetcd.KeyValue;
import io.etcd.jetcd.options.LeaseOption;
import io.headgate.config.ConfigException;
import io.headgate.config.sources.PolicyDocument.Text;
import io.headgate.config.sources.PolicyInstance;
import io.headgate.config.sources.PolicyReloader;
import io.headgate.config.sources.PolicyStatus.Rejection;
import io.headgate.limits.InMemoryLimitEngine;
import io.headgate.testkit.Await;
import io.headgate.testkit.EtcdServer;
import io.headgate.testkit.conditions.Requirement;
import io.headgate.testkit.conditions.Requires;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Policies in a real etcd, applied by reloaders that report what they run. */
@Requires(Requirement.ETCD)
@Timeout(120)
@SuppressWarnings("NullAway.Init") // set by JUnit
class EtcdReportsIT {

    private static final Duration LONG = Duration.ofSeconds(60);
    private static final String INSTANCES = "/hg/config/policies/instances/";
    private static EtcdServer etcd;
    private static EtcdProbe probe;

    private final InMemoryLimitEngine engine = InMemoryLimitEngine.create();
    private EtcdPolicyStore store;

    @BeforeAll
    static void start() {
        etcd = EtcdServer.start();
        probe = new EtcdProbe(etcd);
    }

    @AfterAll
    static void stop() {
        probe.close();
        etcd.close();
    }

    @BeforeEach
    void prepare() {
        probe.delete("/hg/");
        store = connect();
    }

    @AfterEach
    void close() {
        store.close();
        engine.close();
    }

    private static EtcdPolicyStore connect() {
        return EtcdPolicyStore.connect(EtcdSettings.of(etcd.url()));
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

    @Test
    void the_report_of_a_killed_process_expires() {
        apply(store, text(2));
        try (PolicyReloader reloader = PolicyReloader.start(engine, connect())) {
            Await.until("report", LONG, () -> probe.find(INSTANCES).size() == 1);
            KeyValue report = probe.find(INSTANCES).get(0);
            long seconds = probe.call(etcd -> etcd.getLeaseClient().timeToLive(report.getLease(), LeaseOption.DEFAULT))
                    .getGrantedTTL();
            assertThat(seconds).isEqualTo(20);
            awaitNoRejection(reloader);
        }
    }

    @Test
    void a_report_whose_lease_has_expired_in_an_outage_is_written_again() {
        String first = apply(store, text(2));
        try (PolicyReloader reloader = PolicyReloader.start(engine, connect())) {
            Await.until("report", LONG, () -> probe.find(INSTANCES).size() == 1);
            long lease = probe.find(INSTANCES).get(0).getLease();
            probe.revoke(lease);
            Await.until("the report again", LONG, () -> store.instances().size() == 1);
            assertThat(store.instances().get(0).version()).isEqualTo(first);
            assertThat(probe.find(INSTANCES).get(0).getLease()).isNotEqualTo(lease);
            awaitNoRejection(reloader);
        }
    }

    @Test
    void all_reports_are_returned_by_name_although_a_reply_has_only_some_and_foreign_ones_are_ignored() {
        for (int i = 0; i < 1201; i++) {
            String name = "host-%04d:1".formatted(9999 - i);
            probe.put(INSTANCES + i, name + "\n1-0123456789ab\n0\n" + "é".repeat(i % 2 * 500));
        }
        probe.put(INSTANCES + "other", "mine");
        List<PolicyInstance> all = store.instances();
        assertThat(all).hasSize(1201).isSortedAccordingTo((one, other) -> one.name()
                .compareTo(other.name()));
        assertThat(all.get(1200).rejected()).isEmpty();
        assertThat(all.get(1199).rejected().orElseThrow()).hasSize(500);
    }

    @Test
    void deleted_policies_stay_in_force_and_are_reported() {
        String first = apply(store, text(2));
        try (PolicyReloader reloader = PolicyReloader.start(engine, connect())) {
            probe.delete("/hg/config/policies/current");
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
        List<KeyValue> backup = probe.find("/hg/config/");
        String second = apply(store, text(3));
        try (PolicyReloader reloader = PolicyReloader.start(engine, connect())) {
            backup.forEach(kept ->
                    probe.put(kept.getKey().toString(UTF_8), kept.getValue().toString(UTF_8)));
            probe.delete("/hg/config/policies/versions/000000000000002");
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

    @Test
    void previews_that_exceed_a_reply_of_etcd_together_are_read_in_pages() {
        String prefix = "/hg/config/policies/previews/";
        try (EtcdLink link = new EtcdLink(EtcdSettings.of(etcd.url()))) {
            for (int i = 0; i < 12; i++) {
                EtcdLeases leases = new EtcdLeases(link);
                leases.put(leases.grant(), prefix, "p".repeat(490_000));
            }
            assertThat(new EtcdLeases(link).texts(prefix, 500_000))
                    .hasSize(12)
                    .allSatisfy((id, text) -> assertThat(text).hasSize(490_000));
        }
        assertThat(store.instances()).isEmpty();
    }
}
