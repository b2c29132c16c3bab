package io.headgate.server.top;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.headgate.server.TestServer;
import io.headgate.server.http.BearerToken;
import io.headgate.server.serve.ServerSettings;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.LoggerFactory;

/** {@code /v1/top} of a server that counts in memory. */
class TopApiTest {

    private static final String TOKEN = "an-operators-own-secret";

    private final TestServer server = new TestServer(settings(Optional.of(new BearerToken(TOKEN))), TestServer.API);

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void operators_may_read_hot_keys() {
        for (int i = 0; i < 5; i++) {
            server.get("/check/api?user=alice");
        }
        server.get("/check/api?user=bob");
        HttpResponse<String> response = top("");
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.body()).isEqualToIgnoringWhitespace("""
                        {"policies":[{"policy":"api","from":"2025-12-31T23:59:00Z","oneIn":1,
                          "requested":{"total":6,"unlisted":0,"keys":[
                            {"rule":"per-user","ids":["alice"],"count":5,"error":0,"share":0.8333},
                            {"rule":"per-user","ids":["bob"],"count":1,"error":0,"share":0.1667}]},
                          "denied":{"total":2,"unlisted":0,"keys":[
                            {"rule":"per-user","ids":["alice"],"count":2,"error":0,"share":1.0000}]}}]}
                        """);
        assertThat(top("?policy=api&max=1").body())
                .contains("\"unlisted\":1,", "alice")
                .doesNotContain("bob");
    }

    @Test
    void without_requests_there_are_no_hot_keys() {
        assertThat(top("").body()).isEqualTo("{\"policies\":[]}\n");
        assertThat(top("?policy=api").body()).isEqualTo("{\"policies\":[]}\n");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            ?max=0          | 400 | max must be a whole number from 1 to 256, was \\"0\\"
            ?max=x          | 400 | max must be a whole number from 1 to 256, was \\"x\\"
            ?max=1&max=2   | 400 | parameter max must be given once
            ?colour=red      | 400 | unknown parameter \\"colour\\"; allowed are policy, max
            ?policy=nope     | 404 | no policy is named \\"nope\\"; /v1/status lists them
            """)
    void an_invalid_request_is_an_error_that_names_it(String query, int status, String problem) {
        HttpResponse<String> response = top(query);
        assertThat(response.statusCode()).isEqualTo(status);
        assertThat(response.body()).contains(problem);
    }

    @Test
    void each_call_is_logged_like_other_operator_calls() {
        ListAppender<ILoggingEvent> written = new ListAppender<>();
        written.start();
        Logger log = (Logger) LoggerFactory.getLogger("io.headgate.audit");
        log.addAppender(written);
        try {
            server.get("/check/api?user=alice");
            top("");
            top("?policy=api");
            top("?policy=nope");
            top("?max=x");
            server.get("/v1/top");
        } finally {
            log.detachAppender(written);
        }
        assertThat(written.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .containsExactly(
                        "operator 127.0.0.1 top: policies: 1",
                        "operator 127.0.0.1 top \"api\": policies: 1",
                        "operator 127.0.0.1 top \"nope\": failed with 404",
                        "operator 127.0.0.1 top: failed with 400",
                        "operator 127.0.0.1 top: refused with 401");
    }

    @Test
    void other_clients_may_not_read_hot_keys() {
        assertThat(server.get("/v1/top").statusCode()).isEqualTo(401);
        assertThat(top("", "Origin", "https://elsewhere.example").statusCode()).isEqualTo(403);
        assertThat(server.send(HttpRequest.newBuilder(server.at("/v1/top")).POST(HttpRequest.BodyPublishers.noBody()))
                        .statusCode())
                .isEqualTo(405);
        try (TestServer open = new TestServer(settings(Optional.empty()), TestServer.API)) {
            assertThat(open.get("/v1/top", "Authorization", "Bearer " + TOKEN).statusCode())
                    .isEqualTo(403);
        }
    }

    private HttpResponse<String> top(String query, String... fields) {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(server.at("/v1/top" + query)).header("Authorization", "Bearer " + TOKEN);
        return server.send(fields.length == 0 ? request : request.headers(fields));
    }

    private static ServerSettings settings(Optional<BearerToken> token) {
        return ServerSettings.builder(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .drainDelay(Duration.ZERO)
                .operatorToken(token)
                .build();
    }
}
