package io.headgate.server.queues.http;

import static io.headgate.server.queues.http.QueueHttp.assertProblem;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.headgate.server.TestServer;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/** Only operators change queues or read payloads, and their calls are logged. */
class OperatorGateIT {

    private static final QueueHttp http = new QueueHttp();

    private final Logger log = (Logger) LoggerFactory.getLogger("io.headgate.audit");
    private final ListAppender<ILoggingEvent> written = new ListAppender<>();

    @AfterAll
    static void stop() {
        http.close();
    }

    @BeforeAll
    static void fill() {
        http.queue.enqueue("one");
    }

    @BeforeEach
    void listen() {
        written.start();
        log.addAppender(written);
    }

    @AfterEach
    void stopListening() {
        log.detachAppender(written);
    }

    @ParameterizedTest
    @CsvSource({
        "POST, /mails/jobs",
        "POST, /mails/pause",
        "POST, /mails/resume",
    })
    void without_the_token_a_call_is_401(String method, String path) {
        for (String field : List.of("", "Bearer", "Bearer wrong-but-long-enough", "Basic " + QueueHttp.TOKEN)) {
            HttpRequest.Builder request = http.request(path).header("Content-Type", "application/json");
            if (!field.isEmpty()) {
                request.header("Authorization", field);
            }
            HttpResponse<String> response = http.send(request.method(method, QueueHttp.json("{}")));
            assertProblem(response, 401, "an operator call needs the header field Authorization: Bearer TOKEN");
            assertThat(response.headers().firstValue("WWW-Authenticate")).contains("Bearer");
        }
        assertThat(http.queue.counts().paused()).isFalse();
    }

    @Test
    void without_a_token_of_the_server_a_call_is_403_and_states_how_to_allow_it() {
        try (QueueHttp closed = new QueueHttp(Optional.empty())) {
            closed.queue.enqueue("one");
            assertProblem(
                    closed.post("/mails/pause", "{}"),
                    403,
                    "the server was started without --operators FILE, --operator-token TOKEN, --operator-token-file FILE and the"
                            + " variable HEADGATE_OPERATOR_TOKEN");
            assertThat(closed.queue.counts().paused()).isFalse();
            assertThat(closed.send(closed.request("/mails").GET()).statusCode()).isEqualTo(200);
        }
    }

    @Test
    void a_server_without_redis_has_no_queues() {
        try (TestServer memory = new TestServer()) {
            assertProblem(
                    memory.get("/v1/queues/mails"),
                    404,
                    "this server has no queues: it was started without --redis URL");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "Origin, https://evil.example",
        "Origin, null",
        "Sec-Fetch-Site, cross-site",
        "Sec-Fetch-Site, same-site",
    })
    void a_page_of_another_site_is_refused_whatever_it_sends(String field, String value) {
        assertProblem(
                http.send(http.operator("/mails/pause")
                        .header(field, value)
                        .header("Content-Type", "application/json")
                        .POST(QueueHttp.json("{}"))),
                403,
                "from pages of other sites are refused");
        assertThat(http.queue.counts().paused()).isFalse();
    }

    @Test
    void a_page_of_this_server_may_send_operator_calls() {
        String own = http.server.uri().toString();
        HttpResponse<String> response = http.send(http.operator("/mails/resume")
                .header("Origin", own)
                .header("Sec-Fetch-Site", "same-origin")
                .POST(QueueHttp.json("")));
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(strings = {"application/x-www-form-urlencoded", "text/plain", "multipart/form-data; boundary=x"})
    void a_request_that_a_form_of_a_page_can_send_is_refused(String type) {
        assertProblem(
                http.send(http.operator("/mails/pause")
                        .header("Content-Type", type)
                        .POST(QueueHttp.json("{}"))),
                415,
                "the content type must be application/json");
        assertThat(http.queue.counts().paused()).isFalse();
    }

    @Test
    void each_call_of_an_operator_is_one_line_without_token_and_payload() {
        try (QueueHttp own = new QueueHttp()) {
            own.posted("/mails/jobs", "{\"payload\": \"a secret matter\", \"headers\": {\"h\": \"another\"}}");
            own.post("/mails/jobs", "{\"payload\": private}");
            own.posted("/mails/pause", "");
            own.posted("/mails/resume", "");
            own.send(own.request("/mails/pause").POST(QueueHttp.json("")));
            own.send(own.request("/mails").GET());
        }
        assertThat(written.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .containsExactly(
                        "operator 127.0.0.1 enqueue \"mails\": enqueued 1 job",
                        "operator 127.0.0.1 enqueue \"mails\": failed with 400",
                        "operator 127.0.0.1 pause \"mails\": paused",
                        "operator 127.0.0.1 resume \"mails\": resumed",
                        "operator 127.0.0.1 pause \"mails\": refused with 401");
    }
}
