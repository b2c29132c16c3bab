package io.headgate.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.config.sources.FilePolicySource;
import io.headgate.config.sources.PolicyReloader;
import io.headgate.limits.InMemoryLimitEngine;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PolicyMetricsTest {

    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();

    private static Path write(Path folder, String permits) throws Exception {
        return Files.writeString(
                folder.resolve("policies.yaml"),
                "policies: { api: { rules: { all: { fixed-window: { permits: " + permits + ", window: 1h } } } } }");
    }

    @Test
    void applied_and_rejected_versions_are_counted_and_a_rejected_one_leaves_the_policies_outdated(@TempDir Path folder)
            throws Exception {
        Instant start = Instant.now();
        try (InMemoryLimitEngine engine = InMemoryLimitEngine.create();
                PolicyReloader policies = PolicyReloader.start(engine, FilePolicySource.of(write(folder, "10")))) {
            new PolicyMetrics(policies::status).bindTo(meters);
            System.gc(); // Meters reference their objects weakly.
            assertThat(counter("headgate.policies.applied")).isEqualTo(1);
            assertThat(counter("headgate.policies.rejected")).isZero();
            assertThat(gauge("headgate.policies.since")).isGreaterThanOrEqualTo(start.toEpochMilli() / 1000.0);

            write(folder, "-1");
            policies.reload();
            policies.reload();
            assertThat(counter("headgate.policies.rejected")).isEqualTo(1);
            assertThat(gauge("headgate.policies.outdated")).isEqualTo(1);

            write(folder, "20");
            policies.reload();
            assertThat(counter("headgate.policies.applied")).isEqualTo(2);
            assertThat(counter("headgate.policies.rejected")).isEqualTo(1);
            assertThat(gauge("headgate.policies.outdated")).isZero();
        }
    }

    private double counter(String name) {
        return meters.get(name).functionCounter().count();
    }

    private double gauge(String name) {
        return meters.get(name).gauge().value();
    }
}
