package io.headgate.server.serve;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.config.Policies;
import io.headgate.limits.Fallback;
import io.headgate.queues.QueueEngine;
import io.headgate.server.TestServer;
import io.headgate.testkit.RedisServer;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The health of both engines of a server. */
@Timeout(180)
class HealthIT {

    private static final Duration LONG = Duration.ofSeconds(60);

    private final Counts counts = new Counts();
    private final Engine engine =
            Engine.redis(RedisServer.shared().url(), "health-it", Duration.ofSeconds(4), Fallback.none(), counts);
    private final HeadgateServer server = HeadgateServer.start(
            TestServer.settings(Duration.ZERO), engine, Policies.of(List.of(TestServer.API)), counts);

    @AfterEach
    void close() {
        server.close();
        engine.close();
    }

    @Test
    void a_server_that_reaches_its_queues_is_ready_and_shows_the_health_of_both_engines() throws Exception {
        awaitReady("ready\n");
        assertThat(get("/v1/status").body()).contains("\"health\":{\"limits\":\"healthy\",\"queues\":\"healthy\"}");
        assertThat(get("/").body()).contains("<dd data-of=\"health\">limits: healthy, queues: healthy</dd>");
    }

    @Test
    void a_server_whose_queues_are_unavailable_still_decides_checks_and_reports_the_outage() throws Exception {
        engine.queues().ifPresent(QueueEngine::close);
        HttpResponse<String> ready = awaitReady("ready: the queues in " + engine.description() + " are unavailable\n");
        assertThat(ready.statusCode()).isEqualTo(200);
        assertThat(get("/v1/status").body()).contains("\"health\":{\"limits\":\"healthy\",\"queues\":\"unavailable\"}");
        assertThat(get("/check/api?user=alice").statusCode()).isEqualTo(200);
    }

    /** A slow reply of Redis makes a server without a fallback unready. */
    private HttpResponse<String> awaitReady(String body) throws IOException, InterruptedException {
        HttpResponse<String> response = get("/readyz");
        long start = System.nanoTime();
        while (!response.body().equals(body) && System.nanoTime() - start < LONG.toNanos()) {
            response = get("/readyz");
        }
        assertThat(response.body()).isEqualTo(body);
        return response;
    }

    private HttpResponse<String> get(String path) throws IOException, InterruptedException {
        return HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(URI.create(server.uri() + path)).build(),
                        HttpResponse.BodyHandlers.ofString());
    }
}
