package io.headgate.spring.web.servlet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.limits.Limit;
import io.headgate.limits.LimitEngine;
import io.headgate.limits.Policy;
import io.headgate.spring.web.LimitExceededException;
import io.headgate.spring.web.RunningApplication;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.http.ResponseEntity;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.cors.CorsConfiguration;
import org.springframework.web.cors.UrlBasedCorsConfigurationSource;
import org.springframework.web.filter.CorsFilter;
import org.springframework.web.servlet.ModelAndView;

/** Tests routes in an application that handles denials itself, has a filter for CORS, and lets all matching routes decide. */
class PlainApplicationTest {

    private static final String PROPERTIES =
            """
            headgate.web:
              match: all
              reset: epoch
              routes:
                - { path: '/**', policy: total, by: { path: path } }
                - { path: '/twice/**', policy: twice, by: { path: path } }
            """;

    @SuppressWarnings("NullAway.Init")
    private static RunningApplication application;

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({Pages.class, Denials.class})
    static class PlainApplication {

        @Bean
        Policy total() {
            return Policy.of("total", Limit.slidingWindow(2, Duration.ofHours(1)), "path");
        }

        @Bean
        Policy twice() {
            return Policy.of("twice", Limit.slidingWindow(1, Duration.ofHours(1)), "path");
        }

        @Bean
        SecurityFilterChain all(HttpSecurity http) throws Exception {
            return http.authorizeHttpRequests(requests -> requests.anyRequest().permitAll())
                    .build();
        }

        @Bean
        FilterRegistrationBean<CorsFilter> cors() {
            CorsConfiguration configuration = new CorsConfiguration();
            configuration.addAllowedOrigin("https://page.example");
            UrlBasedCorsConfigurationSource source = new UrlBasedCorsConfigurationSource();
            source.registerCorsConfiguration("/cors/**", configuration);
            return new FilterRegistrationBean<>(new CorsFilter(source));
        }
    }

    @RestController
    static class Pages {

        @GetMapping("/once/forward")
        ModelAndView forward() {
            return new ModelAndView("forward:/once/forwarded");
        }

        @GetMapping("/once/callable")
        Callable<String> callable() {
            return () -> "page";
        }

        @GetMapping("/once/missing")
        ResponseEntity<String> missing(HttpServletResponse response) throws IOException {
            response.sendError(404);
            return ResponseEntity.notFound().build();
        }

        @GetMapping("/**")
        String page() {
            return "page";
        }
    }

    @RestControllerAdvice
    static class Denials {

        @ExceptionHandler
        ResponseEntity<String> denied(LimitExceededException e) {
            return ResponseEntity.status(503)
                    .headers(e.getHeaders())
                    .body("busy: " + e.decision().policyName() + " of " + e.decisions().size());
        }

        @ExceptionHandler
        ResponseEntity<String> all(Exception e) {
            return ResponseEntity.internalServerError().body("handled");
        }
    }

    @BeforeAll
    static void start() {
        application = RunningApplication.servlet(PlainApplication.class, PROPERTIES);
    }

    @AfterAll
    static void stop() {
        application.close();
    }

    @Test
    void the_application_writes_the_response_of_a_denial() {
        assertThat(application.get("/twice/a").statusCode()).isEqualTo(200);
        HttpResponse<String> denied = application.get("/twice/a");
        assertThat(denied.statusCode()).isEqualTo(503);
        assertThat(denied.body()).isEqualTo("busy: twice of 2");
        assertThat(denied.headers().map()).containsKey("Retry-After");
        assertThat(denied.headers().allValues("RateLimit")).singleElement().asString().contains("total:", "twice:");
    }

    @Test
    void a_request_that_one_route_denies_keeps_no_permit_of_another() {
        application.get("/twice/b");
        application.get("/twice/b");
        assertThat(application.remaining("total", "/twice/b")).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/once/forward", "/once/callable", "/once/missing"})
    void a_request_is_charged_once_if_all_routes_decide(String path) {
        application.get(path);
        assertThat(application.remaining("total", path)).isEqualTo(1);
        assertThat(application.remaining("total", "/once/forwarded")).isEqualTo(2);
        assertThat(application.remaining("total", "/error")).isEqualTo(2);
    }

    @Test
    void the_reset_is_a_time() {
        long now = System.currentTimeMillis() / 1000;
        assertThat(application
                        .get("/reset")
                        .headers()
                        .firstValueAsLong("X-RateLimit-Reset")
                        .orElseThrow())
                .isBetween(now + 3500, now + 3700);
    }

    @Test
    void the_filter_of_the_application_allows_an_origin_for_denials() {
        HttpRequest.Builder get = application.to("/cors/a").header("Origin", "https://page.example");
        application.send(get);
        application.send(get);
        HttpResponse<String> denied = application.send(get);
        assertThat(denied.statusCode()).isEqualTo(503);
        assertThat(denied.headers().allValues("Access-Control-Allow-Origin")).containsExactly("https://page.example");
        assertThat(denied.headers().firstValue("Access-Control-Expose-Headers").orElse(""))
                .contains("Retry-After");
        HttpResponse<String> other =
                application.send(application.to("/cors/a").header("Origin", "https://other.example"));
        assertThat(other.statusCode()).isEqualTo(503);
        assertThat(other.body()).startsWith("busy");
        assertThat(other.headers().map()).doesNotContainKey("Access-Control-Allow-Origin");
    }

    @Test
    void only_filters_that_routes_need_are_registered() {
        assertThat(application
                        .context
                        .getBean("headgateFilterBeforeAuthentication", FilterRegistrationBean.class)
                        .isEnabled())
                .isFalse();
        FilterRegistrationBean<?> after = application.context.getBean(
                "headgateFilterAfterAuthentication", FilterRegistrationBean.class);
        assertThat(after.isEnabled()).isTrue();
        assertThat(after.getOrder()).isEqualTo(-99);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
            routes: [{policy: usr}]                        | headgate.web.routes[0].policy: is usr, but there is no such policy
            routes: [{policy: total, by: {path: path}, until: 1}] | headgate.web.routes[0].until
            routs: []                                      | headgate.web.routs
            """)
    void an_error_in_the_properties_fails_the_start(String web, String problem) {
        assertThatThrownBy(() -> RunningApplication.servlet(PlainApplication.class, "headgate.web: {" + web + "}")
                        .close())
                .hasStackTraceContaining("ConfigException: " + problem);
    }

    @Test
    void requests_are_handled_after_the_engine_has_failed() {
        RunningApplication other = RunningApplication.servlet(PlainApplication.class, PROPERTIES);
        try (other) {
            other.context.getBean(LimitEngine.class).close();
            assertThat(List.of(other.get("/a"), other.get("/twice/a")))
                    .extracting(HttpResponse::statusCode)
                    .containsOnly(200);
        }
    }
}
