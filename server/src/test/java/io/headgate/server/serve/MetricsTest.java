package io.headgate.server.serve;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.server.TestServer;
import java.net.http.HttpResponse;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The metrics of a server, in the formats that Prometheus reads. */
class MetricsTest {

    @Test
    void requests_are_counted_in_the_format_of_prometheus() {
        try (TestServer server = new TestServer()) {
            for (int i = 0; i < 4; i++) {
                server.get("/check/api?user=alice");
            }
            HttpResponse<String> metrics = server.get("/metrics");

            assertThat(metrics.statusCode()).isEqualTo(200);
            assertThat(metrics.headers().firstValue("Content-Type"))
                    .hasValue("text/plain; version=0.0.4; charset=utf-8");
            assertThat(metrics.body().lines())
                    .contains(
                            "headgate_requests_total{basis=\"counted\",outcome=\"allowed\",policy=\"api\"} 3.0",
                            "headgate_requests_total{basis=\"counted\",outcome=\"denied\",policy=\"api\"} 1.0",
                            "headgate_rule_denials_total{mode=\"enforced\",policy=\"api\",rule=\"per-user\"} 1.0",
                            "headgate_utilization{policy=\"api\"} 1.0",
                            "headgate_engine_degraded{engine=\"limits\"} 0.0")
                    .anyMatch(line -> line.startsWith("jvm_memory_used_bytes{"))
                    .noneMatch(line -> line.contains("alice"));
        }
    }

    @Test
    void a_scraper_of_openmetrics_receives_it() {
        try (TestServer server = new TestServer()) {
            HttpResponse<String> metrics = server.get(
                    "/metrics", "Accept", "application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5");

            assertThat(metrics.headers().firstValue("Content-Type"))
                    .hasValue("application/openmetrics-text; version=1.0.0; charset=utf-8");
            assertThat(metrics.body()).endsWith("# EOF\n");
        }
    }

    @Test
    void the_response_is_compressed_for_a_scraper_that_accepts_it() {
        try (TestServer server = new TestServer()) {
            for (String accepted : List.of("text/plain", "application/openmetrics-text;version=1.0.0")) {
                assertThat(server.get("/metrics", "Accept-Encoding", "gzip", "Accept", accepted)
                                .headers()
                                .firstValue("Content-Encoding"))
                        .as(accepted)
                        .hasValue("gzip");
            }
        }
    }

    @Test
    void many_reads_in_a_row_are_answered() {
        try (TestServer server = new TestServer()) {
            for (int i = 0; i < 20; i++) {
                assertThat(server.get("/metrics").statusCode()).isEqualTo(200);
            }
        }
    }

    @Test
    void other_methods_are_refused() {
        try (TestServer server = new TestServer()) {
            assertThat(server.post("/metrics", "{}").statusCode()).isEqualTo(405);
        }
    }
}
