package io.headgate.server.serve;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.server.TestServer;
import io.headgate.testkit.Await;
import java.net.http.HttpResponse;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Liveness and readiness are separate. */
class HealthTest {

    @Test
    void a_server_that_counts_in_memory_is_alive_and_ready() {
        try (TestServer server = new TestServer()) {
            assertThat(server.get("/healthz").statusCode()).isEqualTo(200);
            assertThat(server.get("/healthz").body()).isEqualTo("alive\n");
            assertThat(server.get("/readyz").statusCode()).isEqualTo(200);
            assertThat(server.get("/readyz").body()).isEqualTo("ready\n");
        }
    }

    @Test
    void a_draining_server_is_alive_not_ready_and_still_decides_checks() throws InterruptedException {
        try (TestServer server = new TestServer(Duration.ofMinutes(10), TestServer.API)) {
            Thread draining = new Thread(server.server::drain);
            draining.start();

            Await.until(
                    "not ready",
                    Duration.ofSeconds(30),
                    () -> server.get("/readyz").statusCode() == 503);

            HttpResponse<String> ready = server.get("/readyz");
            assertThat(ready.headers().firstValue("Content-Type")).contains("application/problem+json");
            assertThat(ready.body()).contains("\"status\":503", "the server is stopping");
            assertThat(server.get("/healthz").statusCode()).isEqualTo(200);
            assertThat(server.get("/check/api?user=a").statusCode()).isEqualTo(200);
            // The test does not need the rest of the drain delay.
            draining.interrupt();
            draining.join();
        }
    }
}
