package io.headgate.spring.web.reactive;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.http.attributes.ResolvedValue;
import io.headgate.spring.web.RunningApplication;
import io.headgate.spring.web.reactive.SecuredApplication.Pages;
import io.headgate.spring.web.reactive.SecuredApplication.SlowLookup;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.net.http.WebSocketHandshakeException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests routes in a WebFlux application with Spring Security, on one event loop. Each test has counts of its own. */
class SecuredApplicationTest {

    private static final String PAGE = "https://page.example";
    private static final String PROPERTIES =
            """
            headgate:
              web:
                trusted-proxies: 1
                routes:
                  - { path: /private/basic, policy: two, by: { key: fixed(basic) }, before-authentication: true, refund-on: [2xx] }
                  - { path: '/private/{page}', header: { X-Parallel: '*' }, policy: two, by: { key: path }, before-authentication: true, refund-on: [2xx] }
                  - { path: /login, method: POST, policy: two, by: { key: path }, before-authentication: true, refund-on: [3xx] }
                  - { path: '/token/{page}', policy: two, by: { key: path }, before-authentication: true, refund-on: [2xx] }
                  - { path: /private/cors, policy: two, by: { key: path }, before-authentication: true }
                  - { path: [/user, /private/user], policy: two, by: { key: principal.name } }
                  - { path: /tenant, policy: two, by: { key: '#{@tenants.of(principal)}' } }
                  - { path: /private/current, policy: two, by: { key: '#{@tenants.current()}' } }
                  - { path: /failing, policy: two, by: { key: '#{@tenants.failing()}' } }
                  - { path: /plan, policy: '#{@tenants.policy()}', permits: '#{@tenants.permits()}', by: { key: path } }
                  - { path: '/slow/**', policy: two, by: { key: '@slow' } }
                  - { path: /key, policy: two, by: { key: header(X-Key) } }
                  - { path: /required, policy: two, by: { key: header(X-Key) }, absent: deny }
                  - { path: '/v/{name}', policy: two, by: { key: ['query(q)', 'path-variable(name)'] } }
                  - { path: [/body, /denied, /head, /socket, '/events/**', '/cors/{x}', /annotated, /default], policy: two, by: { key: path } }
                  - { path: ['/status/*', '/fail/*'], policy: two, by: { key: path }, refund-on: [404, 5xx] }
                  - { path: /busy, policy: two, by: { key: path }, status: 503, permits: "#{3}", fields: false }
            """;

    @SuppressWarnings("NullAway.Init")
    private static RunningApplication application;

    @BeforeAll
    static void start() {
        application = RunningApplication.reactive(SecuredApplication.class, PROPERTIES);
    }

    @AfterAll
    static void stop() {
        application.close();
    }

    private static int status(HttpRequest.Builder request) {
        return application.send(request).statusCode();
    }

    private static HttpResponse<String> denied(HttpRequest.Builder request) {
        application.send(request);
        application.send(request);
        return application.send(request);
    }

    private static SlowLookup slow() {
        SlowLookup slow = application.context.getBean(SlowLookup.class);
        slow.reset();
        return slow;
    }

    @Test
    void a_user_counts_by_name_and_an_anonymous_one_by_address() {
        application.send(application.to("/private/user").header("Authorization", RunningApplication.basic("bob", "bob")));
        application.send(application.to("/user").header("X-Forwarded-For", "192.0.2.4"));
        assertThat(application.remaining("bob")).isEqualTo(1);
        assertThat(application.remaining("absent:192.0.2.4")).isEqualTo(1);
    }

    @Test
    void the_publisher_of_an_expression_has_the_context_of_the_request() {
        application.send(application.to("/private/current").header("Authorization", RunningApplication.basic("bob", "bob")));
        assertThat(application.remaining("current bob")).isEqualTo(1);
    }

    @Test
    void a_login_is_limited_before_spring_security_and_refunded_by_its_status() {
        HttpRequest.Builder right =
                application.to("/private/basic").header("Authorization", RunningApplication.basic("alice", "alice"));
        HttpRequest.Builder wrong =
                application.to("/private/basic").header("Authorization", RunningApplication.basic("alice", "guess"));
        assertThat(Stream.of(right, right, right, wrong, wrong, wrong, right).map(SecuredApplicationTest::status))
                .containsExactly(200, 200, 200, 401, 401, 429, 429);
    }

    @Test
    void parallel_guesses_in_a_form_never_exceed_the_limit_and_logins_cost_nothing() {
        assertGuessesAreLimited(application.login("alice", "alice"), 302, application.login("alice", "guess"));
    }

    @Test
    void parallel_guesses_by_http_basic_never_exceed_the_limit_and_valid_requests_cost_nothing() {
        HttpRequest.Builder request = application.to("/private/parallel").header("X-Parallel", "yes");
        assertGuessesAreLimited(
                request.copy().header("Authorization", RunningApplication.basic("alice", "alice")),
                200,
                request.copy().header("Authorization", RunningApplication.basic("alice", "guess")));
    }

    @Test
    void parallel_guesses_of_bearer_tokens_never_exceed_the_limit_and_valid_tokens_cost_nothing() {
        assertGuessesAreLimited(
                application.to("/token/page").header("Authorization", "Bearer valid"),
                200,
                application.to("/token/page").header("Authorization", "Bearer guess"));
    }

    private static void assertGuessesAreLimited(HttpRequest.Builder right, int success, HttpRequest.Builder wrong) {
        for (int i = 0; i < 5; i++) {
            assertThat(status(right)).isEqualTo(success);
        }
        List<CompletableFuture<HttpResponse<String>>> guesses = Stream.generate(() -> application.sendAsync(wrong))
                .limit(20)
                .toList();
        assertThat(guesses.stream().map(guess -> guess.join().statusCode()))
                .containsOnly(401, 429)
                .filteredOn(status -> status == 401)
                .hasSize(2);
        assertThat(status(right)).isEqualTo(429);
    }

    @Test
    void an_expression_may_return_a_mono() {
        application.send(application.to("/tenant").header("Authorization", RunningApplication.basic("alice", "alice")));
        assertThat(application.remaining("tenant of alice")).isEqualTo(1);
        assertThat(application.get("/plan").statusCode()).isEqualTo(200);
        assertThat(application.remaining("/plan")).isZero();
    }

    @Test
    void a_mono_that_fails_is_an_absent_value() {
        HttpRequest.Builder request = application.to("/failing").header("X-Forwarded-For", "192.0.2.5");
        assertThat(status(request)).isEqualTo(200);
        assertThat(application.remaining("absent:192.0.2.5")).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource({"/v/a%40b, a@b", "/v/plain, plain", "/v/x?q=a+b, a b"})
    void values_are_read_from_the_raw_target(String target, String key) {
        assertThat(application.get(target).statusCode()).isEqualTo(200);
        assertThat(application.remaining(key)).isEqualTo(1);
    }

    @Test
    void a_value_that_is_sent_twice_is_denied_whatever_its_case() {
        application.send(application.to("/key").header("x-key", "once"));
        assertThat(application.remaining("once")).isEqualTo(1);
        assertThat(status(application.to("/key").header("X-Key", "a").header("x-key", "b")))
                .isEqualTo(400);
        assertThat(application.get("/v/twice?q=1&q=2").statusCode()).isEqualTo(400);
        assertThat(application.remaining("a")).isEqualTo(2);
    }

    @Test
    void other_requests_are_served_on_the_event_loop_while_one_waits_for_its_value() {
        SlowLookup slow = slow();
        CompletableFuture<HttpResponse<String>> waiting = application.sendAsync(application.to("/slow/wait"));
        slow.requested.join();
        assertThat(application.get("/other").body()).isEqualTo("other");
        assertThat(waiting).isNotDone();
        slow.found.complete(ResolvedValue.of("test", "slow"));
        assertThat(waiting.join().statusCode()).isEqualTo(200);
        assertThat(waiting.join().body()).as("the thread of the page").startsWith("parallel-");
        assertThat(application.remaining("slow")).isEqualTo(1);
    }

    @Test
    void a_request_that_is_cancelled_during_its_decision_is_not_handled_and_keeps_its_permit() {
        SlowLookup slow = slow();
        Pages pages = application.context.getBean(Pages.class);
        int before = pages.slowPages.get();
        CompletableFuture<HttpResponse<String>> cancelled = application.sendAsync(application.to("/slow/cancel"));
        slow.requested.join();
        cancelled.cancel(true);
        assertThat(slow.cancelled.join()).isEqualTo("/slow/cancel");
        slow.found.complete(ResolvedValue.of("test", "cancelled"));
        assertThat(application.remaining("cancelled")).isEqualTo(1);
        assertThat(pages.slowPages).hasValue(before);
    }

    @Test
    void a_denied_request_gets_fields_and_a_problem() {
        HttpResponse<String> admitted = application.get("/denied");
        assertThat(admitted.headers().firstValue("X-RateLimit-Remaining")).hasValue("1");
        assertThat(admitted.headers().firstValue("Retry-After")).isEmpty();

        HttpResponse<String> denied = denied(application.to("/denied"));
        assertThat(denied.statusCode()).isEqualTo(429);
        assertThat(denied.headers().map()).containsKeys("ratelimit", "ratelimit-policy", "retry-after", "x-ratelimit-reset");
        assertThat(denied.headers().firstValue("Content-Type")).hasValue("application/problem+json");
        assertThat(denied.body())
                .contains("\"status\":429", "\"title\":\"Quota exceeded\"", "\"policy\":\"two\"", "\"violated-policies\":[\"limit\"]");
    }

    @Test
    void a_denied_head_request_has_no_body() {
        HttpResponse<String> denied = denied(application.to("/head").method("HEAD", BodyPublishers.noBody()));
        assertThat(denied.statusCode()).isEqualTo(429);
        assertThat(denied.headers().map()).containsKey("retry-after");
        assertThat(denied.body()).isEmpty();
        assertThat(application.get("/head").statusCode()).isEqualTo(429);
    }

    @Test
    void a_route_chooses_the_status_and_may_omit_the_fields() {
        HttpResponse<String> denied = application.get("/busy");
        assertThat(denied.statusCode()).isEqualTo(503);
        assertThat(denied.headers().map()).doesNotContainKey("x-ratelimit-limit");
    }

    @Test
    void a_request_without_a_required_value_is_denied() {
        HttpResponse<String> denied = application.get("/required");
        assertThat(denied.statusCode()).isEqualTo(400);
        assertThat(denied.body()).contains("The request needs a value of key");
    }

    @Test
    void the_body_stays_for_the_application() {
        HttpRequest.Builder form = application
                .to("/body")
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(BodyPublishers.ofString("q=1"));
        assertThat(application.send(form).body()).isEqualTo("{q=[1]}");
    }

    @ParameterizedTest
    @CsvSource({"200, 1", "404, 2", "500, 2", "503, 2"})
    void permits_are_refunded_by_the_status(String status, long remaining) {
        assertThat(application.get("/status/" + status).statusCode()).isEqualTo(Integer.parseInt(status));
        assertThat(application.remaining("/status/" + status)).isEqualTo(remaining);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/fail/now", "/fail/later"})
    void permits_of_a_failed_request_are_refunded(String path) {
        assertThat(denied(application.to(path)).statusCode()).isEqualTo(500);
        assertThat(application.remaining(path)).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/cors/x", "/annotated", "/private/cors"})
    void a_page_of_another_origin_can_read_a_denied_response(String path) {
        HttpRequest.Builder preflight = application
                .to(path)
                .method("OPTIONS", BodyPublishers.noBody())
                .header("Origin", PAGE)
                .header("Access-Control-Request-Method", "GET");
        if (!path.startsWith("/private")) {
            assertThat(application.send(preflight).headers().firstValue("Access-Control-Allow-Origin")).hasValue(PAGE);
        }
        assertThat(application.remaining(path)).isEqualTo(2);
        HttpResponse<String> denied = denied(application.to(path).header("Origin", PAGE));
        assertThat(denied.statusCode()).isEqualTo(429);
        assertThat(denied.headers().firstValue("Access-Control-Allow-Origin")).hasValue(PAGE);
        assertThat(String.join(", ", denied.headers().allValues("Access-Control-Expose-Headers")))
                .contains("Retry-After", "RateLimit", "X-RateLimit-Remaining");

        HttpResponse<String> ofUnknownOrigin = application.send(application.to(path).header("Origin", "https://other.example"));
        assertThat(ofUnknownOrigin.statusCode()).isEqualTo(429);
        assertThat(ofUnknownOrigin.headers().map()).doesNotContainKey("access-control-allow-origin");
    }

    @Test
    void a_stream_of_events_is_one_request() {
        assertThat(application.get("/events/some").body()).contains("data:1", "data:2");
        assertThat(application.remaining("/events/some")).isEqualTo(1);
    }

    @Test
    void a_websocket_handshake_is_one_request() {
        for (int i = 0; i < 2; i++) {
            WebSocket socket = application.openSocket("/socket").join();
            socket.abort();
            assertThat(application.remaining("/socket")).isEqualTo(1 - i);
        }
        assertThat(application.openSocket("/socket").handle((socket, e) -> e instanceof CompletionException
                                ? e.getCause()
                                : e)
                        .join())
                .isInstanceOfSatisfying(
                        WebSocketHandshakeException.class,
                        e -> assertThat(e.getResponse().statusCode()).isEqualTo(429));
    }
}
