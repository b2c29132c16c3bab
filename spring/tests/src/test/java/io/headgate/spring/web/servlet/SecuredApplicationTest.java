package io.headgate.spring.web.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.spring.web.RunningApplication;
import jakarta.servlet.ServletContext;
import jakarta.websocket.Endpoint;
import jakarta.websocket.EndpointConfig;
import jakarta.websocket.Session;
import jakarta.websocket.server.ServerContainer;
import jakarta.websocket.server.ServerEndpointConfig;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.web.context.WebApplicationContext;

/** Tests routes in an application with Spring Security and a context path. Each test has counts of its own. */
class SecuredApplicationTest {

    private static final String PROPERTIES =
            """
            server.servlet.context-path: /app
            headgate:
              web:
                trusted-proxies: 1
                routes:
                  - { path: /login, method: POST, policy: five, by: { key: client-address }, before-authentication: true, refund-on: [authenticated] }
                  - { path: '/basic/{page}', header: { Authorization: '*' }, policy: five, by: { key: path-variable(page) },
                      before-authentication: true, refund-on: [authenticated] }
                  - { path: '/token/{page}', query: { guess: '*' }, policy: five, by: { key: client-address },
                      before-authentication: true, refund-on: [authenticated] }
                  - { path: '/token/tenant', policy: two, by: { key: '#{principal.tokenAttributes.tenant}' } }
                  - { path: /user, policy: two, by: { key: principal.name } }
                  - { path: [/callable, /fail, /forward, /events, /socket, /body, /annotated, '/cors/**', /spelled, /default],
                      policy: two, by: { key: path-pattern } }
                  - { path: /forwarded, policy: two, by: { key: fixed(forwarded) } }
                  - { path: /error, policy: two, by: { key: fixed(error) } }
                  - { path: '/status/**', policy: two, by: { key: path }, refund-on: [404, 5xx] }
                  - { path: '/async/**', policy: two, by: { key: path }, refund-on: [5xx] }
                  - { path: '/failed/**', policy: two, by: { key: path }, refund-on: [5xx] }
                  - { path: /forbidden, policy: two, by: { key: path }, refund-on: [5xx] }
                  - { path: /resolved, policy: two, by: { key: '@tenant' } }
                  - { path: /failing, policy: two, by: { key: '@failing' } }
                  - { path: /required, policy: two, by: { key: header(X-Key) }, absent: deny }
                  - { path: /busy, policy: two, by: { key: path }, status: 503, permits: 2, fields: false }
            """;

    @SuppressWarnings("NullAway.Init")
    private static RunningApplication application;

    @BeforeAll
    static void start() {
        application = RunningApplication.servlet(SecuredApplication.class, PROPERTIES);
    }

    @AfterAll
    static void stop() {
        application.close();
    }

    private static List<Integer> statuses(List<HttpRequest.Builder> requests) {
        return requests.stream().map(application::send).map(HttpResponse::statusCode).toList();
    }

    private static List<Integer> inParallel(int requests, HttpRequest.Builder request) {
        List<CompletableFuture<HttpResponse<Void>>> responses = IntStream.range(0, requests)
                .mapToObj(i -> application
                        .client()
                        .sendAsync(request.copy().build(), HttpResponse.BodyHandlers.discarding()))
                .toList();
        return responses.stream()
                .map(CompletableFuture::join)
                .map(HttpResponse::statusCode)
                .toList();
    }

    @Test
    void parallel_guesses_in_a_form_never_exceed_the_limit_and_logins_cost_nothing() {
        HttpRequest.Builder right = application.login("alice", "secret").header("X-Forwarded-For", "192.0.2.1");
        HttpRequest.Builder wrong = application.login("alice", "guess").header("X-Forwarded-For", "192.0.2.1");
        assertThat(statuses(Collections.nCopies(8, right))).containsOnly(302);
        assertThat(application.remaining("five", "192.0.2.1")).isEqualTo(5);

        assertThat(inParallel(40, wrong)).containsOnly(302, 429).filteredOn(status -> status == 302).hasSize(5);
        assertThat(application.send(right).statusCode()).isEqualTo(429);
    }

    @Test
    void parallel_guesses_by_http_basic_never_exceed_the_limit_and_valid_requests_cost_nothing() {
        HttpRequest.Builder right =
                application.to("/basic/a").header("Authorization", RunningApplication.basic("alice", "secret"));
        HttpRequest.Builder wrong =
                application.to("/basic/a").header("Authorization", RunningApplication.basic("alice", "guess"));
        assertThat(statuses(Collections.nCopies(8, right))).containsOnly(200);
        assertThat(inParallel(40, wrong)).containsOnly(401, 429).filteredOn(status -> status == 401).hasSize(5);
        assertThat(application.send(right).statusCode()).isEqualTo(429);
    }

    @Test
    void parallel_guesses_of_bearer_tokens_never_exceed_the_limit_and_valid_tokens_cost_nothing() {
        HttpRequest.Builder right =
                application.to("/token/a?guess").header("Authorization", "Bearer valid").header("X-Forwarded-For", "192.0.2.3");
        HttpRequest.Builder wrong =
                application.to("/token/a?guess").header("Authorization", "Bearer guess").header("X-Forwarded-For", "192.0.2.3");
        assertThat(statuses(Collections.nCopies(8, right))).containsOnly(200);
        assertThat(inParallel(40, wrong)).containsOnly(401, 429).filteredOn(status -> status == 401).hasSize(5);
        assertThat(application.send(right).statusCode()).isEqualTo(429);
    }

    @Test
    void a_user_counts_by_name_and_an_anonymous_one_by_address() {
        application.send(application.to("/user").header("Authorization", RunningApplication.basic("bob", "secret")));
        application.send(application.to("/user").header("X-Forwarded-For", "192.0.2.4"));
        assertThat(application.remaining("two", "bob")).isEqualTo(1);
        assertThat(application.remaining("two", "absent:192.0.2.4")).isEqualTo(1);
    }

    @Test
    void an_expression_reads_the_token() {
        application.send(application.to("/token/tenant").header("Authorization", "Bearer valid"));
        assertThat(application.remaining("two", "acme")).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/callable", "/fail", "/forward", "/events"})
    void a_request_is_charged_once_however_it_is_dispatched(String path) {
        HttpResponse<String> response = application.get(path);
        assertThat(response.statusCode()).isEqualTo(path.equals("/fail") ? 500 : 200);
        assertThat(response.headers().firstValue("X-RateLimit-Limit")).hasValue("2");
        assertThat(application.remaining("two", path)).isEqualTo(1);
        assertThat(application.remaining("two", "forwarded")).isEqualTo(2);
        assertThat(application.remaining("two", "error")).isEqualTo(2);
    }

    /** Accepts connections. */
    public static final class Socket extends Endpoint {
        @Override
        public void onOpen(Session session, EndpointConfig config) {}
    }

    @Test
    void a_websocket_handshake_is_charged_once() throws Exception {
        ServletContext servlets =
                Objects.requireNonNull(((WebApplicationContext) application.context).getServletContext());
        ((ServerContainer) servlets.getAttribute(ServerContainer.class.getName()))
                .addEndpoint(
                        ServerEndpointConfig.Builder.create(Socket.class, "/socket").build());
        URI http = application.to("/socket").build().uri();
        WebSocket socket = application
                .client()
                .newWebSocketBuilder()
                .buildAsync(URI.create("ws" + http.toString().substring(4)), new WebSocket.Listener() {})
                .get();
        socket.sendText("text", true).get();
        socket.abort();
        assertThat(application.remaining("two", "/socket")).isEqualTo(1);
    }

    @Test
    void the_body_is_left_for_the_controller() {
        HttpResponse<String> response = application.send(application.to("/body?a=b")
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(BodyPublishers.ofString("key=value")));
        assertThat(response.body()).isEqualTo("key=value");
        assertThat(application.remaining("two", "/body")).isEqualTo(1);
    }

    @Test
    void spellings_of_a_path_that_reach_the_same_controller_are_limited() {
        String server = "http://" + application.to("").build().uri().getAuthority();
        assertThat(statuses(List.of("/app/%73pelled", "/%61pp/spelled", "/app/spelled").stream()
                        .map(path -> HttpRequest.newBuilder(URI.create(server + path)))
                        .toList()))
                .containsExactly(200, 200, 429);
    }

    @Test
    void statuses_are_refunded_after_the_response() {
        application.get("/status/200/a");
        application.get("/status/404/a");
        application.get("/status/503/a");
        Awaitility.await().until(() -> application.remaining("two", "/status/404/a") == 2);
        Awaitility.await().until(() -> application.remaining("two", "/status/503/a") == 2);
        assertThat(application.remaining("two", "/status/200/a")).isEqualTo(1);
    }

    @Test
    void an_asynchronous_request_is_refunded_when_it_has_ended() {
        application.get("/async/200");
        application.get("/async/500");
        Awaitility.await().until(() -> application.remaining("two", "/async/500") == 2);
        assertThat(application.remaining("two", "/async/200")).isEqualTo(1);
    }

    @Test
    void an_exception_that_nothing_handles_is_a_server_error() {
        assertThat(application.get("/failed/a").statusCode()).isEqualTo(500);
        Awaitility.await().until(() -> application.remaining("two", "/failed/a") == 2);
    }

    @Test
    void an_exception_that_spring_security_handles_is_no_server_error() {
        assertThat(application.get("/forbidden").statusCode()).isIn(401, 403);
        assertThat(application.remaining("two", "/forbidden")).isEqualTo(1);
    }

    @Test
    void resolvers_of_the_application_may_fail() {
        assertThat(application.get("/resolved").statusCode()).isEqualTo(200);
        assertThat(application.remaining("two", "tenant of /app/resolved")).isEqualTo(1);
        HttpResponse<String> failing =
                application.send(application.to("/failing").header("X-Forwarded-For", "192.0.2.5"));
        assertThat(failing.statusCode()).isEqualTo(200);
        assertThat(application.remaining("two", "absent:192.0.2.5")).isEqualTo(1);
    }

    @Test
    void a_denied_request_has_a_problem_as_its_body_although_a_handler_handles_all_exceptions() {
        statuses(List.of(application.to("/default"), application.to("/default")));
        for (String accept : List.of("*/*", "text/html", "application/json")) {
            HttpResponse<String> denied = application.send(application.to("/default").header("Accept", accept));
            assertThat(denied.statusCode()).isEqualTo(429);
            assertThat(denied.headers().firstValue("Content-Type")).hasValue("application/problem+json");
            assertThat(denied.headers().map()).containsKeys("Retry-After", "RateLimit", "RateLimit-Policy");
            assertThat(denied.body())
                    .contains(
                            "\"type\":\"https://iana.org/assignments/http-problem-types#quota-exceeded\"",
                            "\"status\":429",
                            "\"policy\":\"two\"",
                            "\"violated-policies\":[\"limit\"]");
        }
    }

    @Test
    void a_required_value_is_named_if_it_is_missing() {
        HttpResponse<String> denied = application.get("/required");
        assertThat(denied.statusCode()).isEqualTo(400);
        assertThat(denied.headers().firstValue("Content-Type")).hasValue("application/problem+json");
        assertThat(denied.body()).contains("The request needs a value of key: header field X-Key is missing.");
        assertThat(application
                        .send(application.to("/required").header("X-Key", "a").header("X-Key", "b"))
                        .body())
                .contains("header field X-Key is given 2 times; give it once");
    }

    @Test
    void status_permits_and_fields_are_those_of_the_route() {
        HttpResponse<String> admitted = application.get("/busy");
        HttpResponse<String> denied = application.get("/busy");
        assertThat(admitted.headers().map()).doesNotContainKey("RateLimit");
        assertThat(denied.statusCode()).isEqualTo(503);
        assertThat(denied.headers().map()).containsKey("Retry-After").doesNotContainKey("RateLimit");
    }

    @Test
    void a_page_of_another_origin_can_read_a_denial_and_its_preflight_requests_are_free() {
        HttpRequest.Builder preflight = application.to("/cors/a")
                .method("OPTIONS", BodyPublishers.ofString(""))
                .header("Origin", "https://page.example")
                .header("Access-Control-Request-Method", "GET");
        assertThat(statuses(Collections.nCopies(5, preflight))).containsOnly(200);

        HttpRequest.Builder get = application.to("/cors/a").header("Origin", "https://page.example");
        assertThat(statuses(List.of(get, get))).containsOnly(200);
        HttpResponse<String> denied = application.send(get);
        assertThat(denied.statusCode()).isEqualTo(429);
        assertThat(denied.headers().allValues("Access-Control-Allow-Origin")).containsExactly("https://page.example");
        assertThat(denied.headers().allValues("Access-Control-Allow-Credentials")).containsExactly("true");
        assertThat(String.join(", ", denied.headers().allValues("Access-Control-Expose-Headers")))
                .contains("X-Own", "Retry-After", "RateLimit", "X-RateLimit-Remaining");

        HttpResponse<String> other =
                application.send(application.to("/cors/a").header("Origin", "https://other.example"));
        assertThat(other.statusCode()).isEqualTo(429);
        assertThat(other.headers().map()).doesNotContainKey("Access-Control-Allow-Origin");
    }

    @Test
    void an_annotation_of_a_controller_allows_an_origin_for_denials() {
        HttpRequest.Builder get = application.to("/annotated").header("Origin", "https://shop.example");
        assertThat(statuses(List.of(get, get))).containsOnly(200);
        assertThat(application.send(get).headers().firstValue("Access-Control-Allow-Origin"))
                .hasValue("https://shop.example");
    }
}
