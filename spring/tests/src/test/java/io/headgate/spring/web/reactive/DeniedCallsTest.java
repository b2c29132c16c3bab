package io.headgate.spring.web.reactive;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limits.InFlightPolicy;
import io.headgate.limits.Limit;
import io.headgate.limits.Policy;
import io.headgate.spring.annotation.InFlight;
import io.headgate.spring.annotation.RateLimited;
import io.headgate.spring.web.LimitExceededException;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.http.ResponseEntity;
import org.springframework.security.web.server.MatcherSecurityWebFilterChain;
import org.springframework.security.web.server.SecurityWebFilterChain;
import org.springframework.security.web.server.util.matcher.ServerWebExchangeMatcher;
import org.springframework.web.bind.annotation.CrossOrigin;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.RouterFunctions;
import org.springframework.web.reactive.function.server.ServerResponse;
import org.springframework.web.server.WebFilter;
import reactor.core.publisher.Mono;

/** Tests the responses of denied calls in WebFlux applications that handle all exceptions. */
class DeniedCallsTest {

    private static final String[] ROUTES = {"headgate.web.routes[0].path=/route/**", "headgate.web.routes[0].policy=routes"
    };

    private final HttpClient client = HttpClient.newHttpClient();

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({Messages.class, Pages.class, AllErrors.class})
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

        /** Stays on the event loop, which the filters of Spring Security may leave. */
        @Bean
        SecurityWebFilterChain all() {
            WebFilter none = (exchange, chain) -> chain.filter(exchange);
            return new MatcherSecurityWebFilterChain(
                    exchange -> ServerWebExchangeMatcher.MatchResult.match(), List.of(none));
        }

        @Bean
        RouterFunction<ServerResponse> functions(Messages messages) {
            return RouterFunctions.route()
                    .GET(
                            "/function/{key}",
                            request -> messages.sendLater(request.pathVariable("key"))
                                    .flatMap(sent -> ServerResponse.ok().bodyValue(sent)))
                    .build();
        }
    }

    static class Messages {

        @RateLimited(policy = "one", by = "key: #key")
        String send(String key) {
            return "sent";
        }

        @RateLimited(policy = "one", by = "key: #key")
        Mono<String> sendLater(String key) {
            return Mono.just("sent");
        }

        @InFlight(policy = "none")
        Mono<String> never() {
            return Mono.just("sent");
        }
    }

    @RestController
    static class Pages {

        private final Messages messages;

        Pages(Messages messages) {
            this.messages = messages;
        }

        @GetMapping("/send/{key}")
        Mono<String> send(@PathVariable String key) {
            return Mono.fromCallable(() -> messages.send(key));
        }

        @CrossOrigin("https://page.example")
        @GetMapping({"/later/{key}", "/route/{key}"})
        Mono<String> later(@PathVariable String key) {
            return messages.sendLater(key);
        }

        @GetMapping("/never")
        Mono<String> never() {
            return messages.never();
        }
    }

    @RestControllerAdvice
    static class AllErrors {

        @ExceptionHandler
        ResponseEntity<String> handle(Exception e) {
            return ResponseEntity.internalServerError().body("handled");
        }
    }

    @RestControllerAdvice
    static class Denials {

        @ExceptionHandler
        ResponseEntity<String> denied(LimitExceededException e) {
            return ResponseEntity.status(503).headers(e.getHeaders()).body("busy");
        }
    }

    private static ConfigurableApplicationContext start(Class<?>... applications) {
        return new SpringApplicationBuilder(applications)
                .web(WebApplicationType.REACTIVE)
                .properties("server.port=0", "headgate.engine=memory", "spring.main.banner-mode=off")
                .properties(ROUTES)
                .run();
    }

    private HttpResponse<String> get(ConfigurableApplicationContext application, String path) {
        String home = "http://localhost:" + application.getEnvironment().getProperty("local.server.port");
        try {
            return client.send(
                    HttpRequest.newBuilder(URI.create(home + path))
                            .header("Origin", "https://page.example")
                            .build(),
                    BodyHandlers.ofString());
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private HttpResponse<String> denied(ConfigurableApplicationContext application, String path) {
        assertThat(get(application, path).statusCode()).isEqualTo(200);
        return get(application, path);
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
    void a_denied_call_has_the_response_of_a_denied_request() {
        try (ConfigurableApplicationContext application = start(Application.class)) {
            HttpResponse<String> ofController = denied(application, "/later/a");
            assertProblem(ofController);
            assertProblem(denied(application, "/function/c"));
            HttpResponse<String> ofRoute = denied(application, "/route/d");
            assertProblem(ofRoute);
            assertThat(ofRoute.headers().allValues("Access-Control-Allow-Origin"))
                    .containsExactly("https://page.example");
            assertThat(ofRoute.headers().firstValue("Access-Control-Expose-Headers").orElse(""))
                    .contains("Retry-After");
            HttpResponse<String> inFlight = get(application, "/never");
            assertThat(inFlight.statusCode()).isEqualTo(429);
            assertThat(inFlight.body()).contains("\"policy\":\"none\"");
            assertThat(inFlight.headers().map()).doesNotContainKey("Retry-After");
        }
    }

    @Test
    void the_application_may_write_the_response() {
        try (ConfigurableApplicationContext application = start(Denials.class, Application.class)) {
            HttpResponse<String> denied = denied(application, "/later/a");
            assertThat(denied.statusCode()).isEqualTo(503);
            assertThat(denied.body()).isEqualTo("busy");
            assertThat(denied.headers().map()).containsKey("Retry-After");

            HttpResponse<String> ofRoute = denied(application, "/route/b");
            assertThat(ofRoute.headers().allValues("X-RateLimit-Limit")).containsExactly("1");
            assertThat(ofRoute.headers().allValues("RateLimit")).hasSize(1);
        }
    }
}
