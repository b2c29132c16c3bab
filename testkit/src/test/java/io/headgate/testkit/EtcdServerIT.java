package io.headgate.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.testkit.conditions.Requirement;
import io.headgate.testkit.conditions.Requires;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Requires(Requirement.ETCD)
@Timeout(120)
class EtcdServerIT {

    private final HttpClient client = HttpClient.newHttpClient();

    private String call(EtcdServer etcd, String path, String json) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create(etcd.url() + path))
                .timeout(Duration.ofSeconds(60))
                .POST(HttpRequest.BodyPublishers.ofString(json))
                .build();
        return client.send(request, HttpResponse.BodyHandlers.ofString()).body();
    }

    @Test
    void an_etcd_that_was_killed_has_its_keys_after_a_restart() throws Exception {
        try (EtcdServer etcd = EtcdServer.start()) {
            assertThat(etcd.url()).isEqualTo("http://127.0.0.1:" + etcd.port());
            call(etcd, "/v3/kv/put", "{\"key\":\"a2V5\",\"value\":\"dmFsdWU=\"}");
            etcd.kill();
            assertThatThrownBy(() -> call(etcd, "/v3/kv/range", "{\"key\":\"a2V5\"}"))
                    .isInstanceOf(IOException.class);
            etcd.restart();
            assertThat(call(etcd, "/v3/kv/range", "{\"key\":\"a2V5\"}")).contains("\"value\":\"dmFsdWU=\"");
        }
    }

    @Test
    void an_etcd_with_a_wrong_argument_does_not_start_and_its_output_is_reported() {
        assertThatThrownBy(() -> EtcdServer.start("--no-such-flag"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("ended during its start")
                .hasMessageContaining("no-such-flag");
    }
}
