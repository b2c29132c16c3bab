package io.headgate.server.serve;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.server.ProxyProcess;
import io.headgate.server.ServerProcess;
import io.headgate.testkit.Await;
import io.headgate.testkit.conditions.Requirement;
import io.headgate.testkit.conditions.Requires;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The alert rules in a real Prometheus. */
@Requires(Requirement.PROMETHEUS)
@Timeout(300)
class AlertsIT {

    private static final Path OPS =
            Path.of("../ops/prometheus").toAbsolutePath().normalize();
    private static final Duration LONG = Duration.ofMinutes(3);

    private final HttpClient client = HttpClient.newHttpClient();

    @Test
    void each_alert_fires_in_its_cases_and_only_there() throws Exception {
        Process promtool = new ProcessBuilder("promtool", "test", "rules", "headgate-alerts-test.yaml")
                .directory(OPS.toFile())
                .redirectErrorStream(true)
                .start();
        String output = new String(promtool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertThat(promtool.waitFor()).as(output).isZero();
    }

    @Test
    void a_prometheus_that_reads_a_server_fires_an_alert(@TempDir Path folder) throws Exception {
        Path policies = Files.writeString(
                folder.resolve("policies.yaml"),
                "policies: { api: { rules: { none: { by: user, fixed-window: { permits: 0, window: 1h } } } } }");
        try (ServerProcess server = ServerProcess.start("serve", "--policies", policies.toString(), "--port", "0")) {
            URI address = URI.create(server.awaitLine("listening on (http://\\S+)"));
            try (ProxyProcess prometheus = startPrometheus(folder, address.getAuthority())) {
                Await.until("the alert", LONG, () -> {
                    // More than 1000 denials, also if it reads the server rarely.
                    for (int i = 0; i < 200; i++) {
                        get(address.resolve("/check/api?user=alice"));
                    }
                    return get(prometheus.at("/api/v1/alerts"))
                            .matches(
                                    "(?s).*\"alertname\":\"HeadgateManyDenials\",\"policy\":\"api\".*\"state\":\"firing\".*");
                });
                assertThat(get(prometheus.at("/api/v1/alerts")))
                        .contains("Policy api denied ", "docs/at-night.md#clients-are-denied-and-should-not-be")
                        .doesNotContain("HeadgateTargetDown", "HeadgateDegraded", "HeadgateRequestsFail");
            }
        }
    }

    private static ProxyProcess startPrometheus(Path folder, String target) throws Exception {
        Files.writeString(folder.resolve("prometheus.yml"), """
                global: { scrape_interval: 1s, evaluation_interval: 1s }
                scrape_configs:
                  - job_name: headgate
                    static_configs: [{ targets: ["%s"] }]
                rule_files: ["%s"]
                """.formatted(target, OPS.resolve("headgate-alerts.yaml")));
        int port = ProxyProcess.freePort();
        return ProxyProcess.start(
                port,
                folder,
                List.of(
                        ProxyProcess.find("prometheus").orElseThrow().toString(),
                        "--config.file=prometheus.yml",
                        "--storage.tsdb.path=data",
                        "--web.listen-address=127.0.0.1:" + port,
                        "--log.level=warn"));
    }

    private String get(URI uri) {
        try {
            return client.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString())
                    .body();
        } catch (Exception e) {
            throw new IllegalStateException(uri + " did not answer", e);
        }
    }
}
