package io.headgate.server.queues.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.headgate.config.Policies;
import io.headgate.limits.Fallback;
import io.headgate.queues.Codec;
import io.headgate.queues.JobQueue;
import io.headgate.queues.Lease;
import io.headgate.queues.QueueEngine;
import io.headgate.server.TestServer;
import io.headgate.server.http.BearerToken;
import io.headgate.server.operators.OperatorsFile;
import io.headgate.server.serve.Counts;
import io.headgate.server.serve.Engine;
import io.headgate.server.serve.HeadgateServer;
import io.headgate.server.serve.ServerSettings;
import io.headgate.server.text.Json;
import io.headgate.testkit.RedisServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** A Redis of its own, a server with an operator token, and a client that has the token. */
final class QueueHttp implements AutoCloseable {

    static final String TOKEN = "an-operator's-own-secret";
    static final String NAME = "mails";

    final RedisServer redis = RedisServer.startOwn("--save", "");
    final Counts counts = new Counts();
    final Engine engine = Engine.redis(redis.url(), "hg", Duration.ofSeconds(4), Fallback.none(), counts);
    final QueueEngine queues = engine.queues().orElseThrow();
    final JobQueue<String> queue = queues.queue(NAME, Codec.text());
    final HeadgateServer server;
    private final HttpClient client = HttpClient.newHttpClient();

    QueueHttp() {
        this(Optional.of(new BearerToken(TOKEN)));
    }

    QueueHttp(Optional<BearerToken> token) {
        this(token, Optional.empty());
    }

    QueueHttp(Optional<BearerToken> token, Optional<OperatorsFile> operators) {
        server = HeadgateServer.start(
                ServerSettings.builder(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                        .drainDelay(Duration.ZERO)
                        .operatorToken(token)
                        .operators(operators)
                        .build(),
                engine,
                Policies.of(List.of(TestServer.API)),
                counts);
    }

    /** A request of this operator. */
    HttpRequest.Builder operator(String path) {
        return request(path).header("Authorization", "Bearer " + TOKEN);
    }

    HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create(server.uri() + "/v1/queues" + path))
                .version(HttpClient.Version.HTTP_1_1)
                .timeout(Duration.ofSeconds(60));
    }

    static HttpRequest.BodyPublisher json(String body) {
        return HttpRequest.BodyPublishers.ofString(body);
    }

    HttpResponse<String> send(HttpRequest.Builder request) {
        try {
            return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
        } catch (IOException e) {
            throw new AssertionError("no response", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
        }
    }

    HttpResponse<String> post(String path, String body) {
        return send(operator(path).header("Content-Type", "application/json").POST(json(body)));
    }

    /** The response to a call that must succeed. */
    JsonNode posted(String path, String body) {
        return read(post(path, body));
    }

    JsonNode got(String path) {
        return read(send(operator(path).GET()));
    }

    static JsonNode read(HttpResponse<String> response) {
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        try {
            return Json.MAPPER.readTree(response.body());
        } catch (IOException e) {
            throw new AssertionError("no JSON", e);
        }
    }

    static void assertProblem(HttpResponse<String> response, int status, String detail) {
        assertThat(response.statusCode()).as(response.body()).isEqualTo(status);
        assertThat(response.headers().firstValue("Content-Type")).contains("application/problem+json");
        try {
            assertThat(Json.MAPPER.readTree(response.body()).get("detail").asText())
                    .contains(detail)
                    .doesNotContain("Exception");
        } catch (IOException e) {
            throw new AssertionError("no JSON", e);
        }
    }

    /** Claims and acknowledges up to 500 ready jobs; returns their payloads. */
    List<String> drain() {
        List<Lease<String>> leases = queue.claim(500, Duration.ofMinutes(1));
        leases.forEach(Lease::ack);
        return leases.stream().map(lease -> lease.job().payload()).toList();
    }

    @Override
    public void close() {
        server.close();
        engine.close();
        redis.close();
    }
}
