package io.headgate.server.serve;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.linecorp.armeria.server.Server;
import com.linecorp.armeria.server.ServerBuilder;
import io.headgate.config.Policies;
import io.headgate.config.PolicyRegistry;
import io.headgate.limits.Attributes;
import io.headgate.limits.InFlightPolicy;
import io.headgate.limits.InMemoryLimitEngine;
import io.headgate.server.TestServer;
import io.headgate.server.audit.ServerAudit;
import io.headgate.server.holds.HoldsApi;
import io.headgate.server.http.BearerToken;
import io.headgate.server.http.WaitingRequests;
import io.headgate.server.limits.LimitsApi;
import io.headgate.server.text.Json;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** After an operator has removed a policy, clients still refund its receipts, and renew and release its holds. */
@Timeout(60)
class RemovedPoliciesTest {

    private static final String TOKEN = "sixteen-or-more-characters";
    private static final InFlightPolicy EXPORTS = InFlightPolicy.named("exports")
            .rule("per-user", 1, Attributes.USER)
            .lease(Duration.ofMinutes(10))
            .build();

    private final HttpClient client = HttpClient.newHttpClient();
    private final InMemoryLimitEngine engine = InMemoryLimitEngine.create();
    private final PolicyRegistry registry =
            new PolicyRegistry(engine, Policies.of(List.of(TestServer.API), List.of(EXPORTS)));
    private final Server server = start(registry, engine);

    private static Server start(PolicyRegistry registry, InMemoryLimitEngine engine) {
        ServerBuilder builder = Server.builder().http(0).errorHandler(new Errors());
        WaitingRequests waiting = new WaitingRequests(10);
        ServerAudit audit = new ServerAudit(Optional.empty(), Optional.empty());
        new LimitsApi(registry, engine, Optional.of(new BearerToken(TOKEN)), waiting, Optional.empty(), audit)
                .addTo(builder);
        new HoldsApi(registry, waiting).addTo(builder);
        Server server = builder.build();
        server.start().join();
        return server;
    }

    @AfterEach
    void close() {
        server.stop().join();
        engine.close();
    }

    private HttpResponse<String> post(String path, String policy, String more)
            throws IOException, InterruptedException {
        String body = "{\"policy\": \"" + policy + "\", \"attributes\": {\"user\": \"alice\"}" + more + "}";
        return client.send(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.activeLocalPort() + path))
                        .header("Content-Type", "application/json")
                        .header("Authorization", "Bearer " + TOKEN)
                        .POST(HttpRequest.BodyPublishers.ofString(body))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    private static String member(HttpResponse<String> response, String name) throws JsonProcessingException {
        return ", \"" + name + "\": \""
                + Json.MAPPER.readTree(response.body()).get(name).textValue() + "\"";
    }

    @Test
    void a_receipt_of_a_removed_policy_is_refunded_and_checks_are_not_found() throws Exception {
        String receipt = member(post("/v1/check", "api", ""), "receipt");
        registry.replace(Policies.of(List.of()));
        assertThat(post("/v1/check", "api", "").statusCode()).isEqualTo(404);
        assertThat(post("/v1/refund", "api", receipt).body()).contains("\"refunded\":1");
        assertThat(post("/v1/refund", "never", receipt).statusCode()).isEqualTo(404);
    }

    @Test
    void a_hold_of_a_removed_policy_is_renewed_and_released_and_no_more_are_taken() throws Exception {
        String hold = member(post("/v1/holds", "exports", ""), "hold");
        registry.replace(Policies.of(List.of()));
        assertThat(post("/v1/holds", "exports", "").statusCode()).isEqualTo(404);
        assertThat(post("/v1/holds/renew", "exports", hold).statusCode()).isEqualTo(200);
        assertThat(post("/v1/holds/release", "exports", hold).body()).contains("\"released\":true");
        assertThat(post("/v1/holds/release", "never", hold).statusCode()).isEqualTo(404);
    }
}
