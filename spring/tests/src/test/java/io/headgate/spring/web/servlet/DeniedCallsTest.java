package io.headgate.spring.web.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limits.InFlightPolicy;
import io.headgate.limits.Limit;
import io.headgate.limits.Policy;
import io.headgate.spring.annotation.InFlight;
import io.headgate.spring.annotation.RateLimited;
import io.headgate.spring.web.LimitExceededException;
import io.headgate.spring.web.RunningApplication;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.http.ResponseEntity;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.bind.annotation.CrossOrigin;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.RouterFunctions;
import org.springframework.web.servlet.function.ServerResponse;

/** Tests the responses of denied calls in a servlet application that handles all exceptions. */
class DeniedCallsTest {

    @SuppressWarnings("NullAway.Init")
    private static RunningApplication application;

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({Messages.class, Pages.class, OwnPages.class, AllErrors.class})
    static class Application {

        @Bean
        Policy one() {
            return Policy.of("one", Limit.slidingWindow(1, Duration.ofHours(1)), "key");
        }

        @Bean
        Policy routes() {
            return Policy.of("routes", Limit.slidingWindow(9, Duration.ofHours(1)));
        }

        @Bean
        InFlightPolicy none() {
            return InFlightPolicy.of("none", 0);
        }

        @Bean
        SecurityFilterChain all(HttpSecurity http) throws Exception {
            return http.authorizeHttpRequests(requests -> requests.anyRequest().permitAll())
                    .build();
        }

        @Bean
        RouterFunction<ServerResponse> functions(Messages messages) {
            return RouterFunctions.route()
                    .GET(
                            "/function/{key}",
                            request -> ServerResponse.ok().body(messages.send(request.pathVariable("key"))))
                    .build();
        }
    }

    static class Messages {

        @RateLimited(policy = "one", by = "key: #key")
        String send(String key) {
            return "sent";
        }

        @RateLimited(policy = "one", by = "key: #key")
        CompletableFuture<String> sendLater(String key) {
            return CompletableFuture.completedFuture("sent");
        }

        @InFlight(policy = "none")
        String never() {
            return "sent";
        }
    }

    @RestController
    static class Pages {

        private final Messages messages;

        Pages(Messages messages) {
            this.messages = messages;
        }

        @CrossOrigin("https://page.example")
        @GetMapping({"/send/{key}", "/route/{key}"})
        String send(@PathVariable String key) {
            return messages.send(key);
        }

        @GetMapping("/later/{key}")
        CompletableFuture<String> later(@PathVariable String key) {
            return messages.sendLater(key);
        }

        @GetMapping("/never")
        String never() {
            return messages.never();
        }

        @RateLimited(policy = "one", by = "key: #key")
        @GetMapping("/controller/{key}")
        String controller(@PathVariable String key) {
            return "sent";
        }
    }

    @RestController
    static class OwnPages {

        private final Messages messages;

        OwnPages(Messages messages) {
            this.messages = messages;
        }

        @GetMapping({"/own/{key}", "/route/own/{key}"})
        String send(@PathVariable String key) {
            return messages.send(key);
        }

        @ExceptionHandler
        ResponseEntity<String> denied(LimitExceededException e) {
            return ResponseEntity.status(503).headers(e.getHeaders()).body("busy");
        }
    }

    @RestControllerAdvice
    static class AllErrors {

        @ExceptionHandler
        ResponseEntity<String> handle(Exception e) {
            return ResponseEntity.internalServerError().body("handled");
        }
    }

    @BeforeAll
    static void start() {
        application = RunningApplication.servlet(
                Application.class, "headgate.web.routes: [{ path: '/route/**', policy: routes }]");
    }

    @AfterAll
    static void stop() {
        application.close();
    }

    private static HttpResponse<String> denied(String path) {
        assertThat(application.get(path).statusCode()).isEqualTo(200);
        return application.get(path);
    }

    private static void assertProblem(HttpResponse<String> response) {
        assertThat(response.statusCode()).isEqualTo(429);
        assertThat(response.headers().allValues("Content-Type")).containsExactly("application/problem+json");
        assertThat(response.headers().allValues("Retry-After")).hasSize(1);
        assertThat(response.headers().allValues("X-RateLimit-Limit")).containsExactly("1");
        assertThat(response.headers().allValues("RateLimit")).singleElement().asString().contains("limit");
        assertThat(response.body())
                .contains("\"policy\":\"one\"", "\"violated-policies\":[\"limit\"]", "\"status\":429");
    }

    @Test
    void a_denied_call_of_a_controller_or_a_service_has_the_response_of_a_denied_request() {
        assertProblem(denied("/send/a"));
        assertProblem(denied("/controller/b"));
        assertProblem(denied("/later/c"));
        assertProblem(denied("/function/d"));
    }

    @Test
    void its_fields_replace_those_of_a_route_that_admitted_the_request() {
        assertThat(application.get("/route/e").headers().allValues("X-RateLimit-Limit"))
                .containsExactly("9");
        assertProblem(application.get("/route/e"));
    }

    @Test
    void the_fields_that_a_handler_sends_replace_those_of_a_route() {
        HttpResponse<String> denied = denied("/route/own/h");
        assertThat(denied.statusCode()).isEqualTo(503);
        assertThat(denied.headers().allValues("X-RateLimit-Limit")).containsExactly("1");
        assertThat(denied.headers().allValues("RateLimit")).hasSize(1);
    }

    @Test
    void a_denial_of_the_second_phase_replaces_the_fields_of_the_first_one() {
        try (RunningApplication both = RunningApplication.servlet(
                Application.class,
                """
                headgate.web:
                  match: all
                  routes:
                    - { path: "/both/**", policy: routes, before-authentication: true }
                    - { path: "/both/**", policy: one, by: { key: path } }
                """)) {
            assertThat(both.get("/both/i").headers().allValues("RateLimit")).hasSize(1);
            HttpResponse<String> denied = both.get("/both/i");
            assertThat(denied.statusCode()).isEqualTo(429);
            assertThat(denied.headers().allValues("RateLimit")).hasSize(1);
            assertThat(denied.headers().allValues("X-RateLimit-Limit")).containsExactly("1");
            assertThat(denied.headers().allValues("Retry-After")).hasSize(1);
        }
    }

    @Test
    void a_denied_call_in_flight_has_no_time_to_retry() {
        HttpResponse<String> denied = application.get("/never");
        assertThat(denied.statusCode()).isEqualTo(429);
        assertThat(denied.body()).contains("\"policy\":\"none\"");
        assertThat(denied.headers().map()).doesNotContainKey("Retry-After");
    }

    @Test
    void a_handler_of_the_controller_comes_first() {
        HttpResponse<String> denied = denied("/own/f");
        assertThat(denied.statusCode()).isEqualTo(503);
        assertThat(denied.body()).isEqualTo("busy");
        assertThat(denied.headers().map()).containsKey("Retry-After");
    }

    @Test
    void pages_of_other_origins_may_read_the_fields() {
        application.get("/send/g");
        HttpResponse<String> denied =
                application.send(application.to("/send/g").header("Origin", "https://page.example"));
        assertThat(denied.headers().allValues("Access-Control-Allow-Origin")).containsExactly("https://page.example");
        assertThat(denied.headers().firstValue("Access-Control-Expose-Headers").orElse(""))
                .contains("Retry-After");
    }
}
