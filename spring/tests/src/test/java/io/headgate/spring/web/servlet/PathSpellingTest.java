package io.headgate.spring.web.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limits.Limit;
import io.headgate.limits.Policy;
import io.headgate.spring.web.RunningApplication;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.firewall.FirewalledRequest;
import org.springframework.security.web.firewall.HttpFirewall;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.filter.UrlHandlerFilter;
import org.springframework.web.servlet.config.annotation.PathMatchConfigurer;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import org.springframework.web.util.pattern.PathPatternParser;

/** Tests that no spelling of a path evades a route, in an application whose firewall rejects none. */
class PathSpellingTest {

    private static final String PROPERTIES =
            """
            headgate.web:
              routes:
                - { path: '/public/**', policy: none }
                - { path: [/plain, /slash/pay, /login], policy: one, by: { path: path-pattern } }
            """;

    @SuppressWarnings("NullAway.Init")
    private static RunningApplication application;

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Pages.class)
    static class SpelledApplication implements WebMvcConfigurer {

        @Bean
        Policy one() {
            return Policy.of("one", Limit.slidingWindow(1, Duration.ofHours(1)), "path");
        }

        @Bean
        SecurityFilterChain all(HttpSecurity http) throws Exception {
            return http.authorizeHttpRequests(requests -> requests.anyRequest().permitAll())
                    .build();
        }

        @Bean
        HttpFirewall open() {
            return new OpenFirewall();
        }

        @Bean
        ServletRegistrationBean<HttpServlet> plain() {
            return new ServletRegistrationBean<>(new PlainServlet(), "/plain");
        }

        @Bean
        FilterRegistrationBean<UrlHandlerFilter> slashes() {
            return new FilterRegistrationBean<>(
                    UrlHandlerFilter.trailingSlashHandler("/slash/**").wrapRequest().build());
        }

        @Override
        public void configurePathMatch(PathMatchConfigurer paths) {
            PathPatternParser parser = new PathPatternParser();
            parser.setCaseSensitive(false);
            paths.setPatternParser(parser);
        }
    }

    static final class OpenFirewall implements HttpFirewall {

        @Override
        public FirewalledRequest getFirewalledRequest(HttpServletRequest request) {
            return new FirewalledRequest(request) {
                @Override
                public void reset() {}
            };
        }

        @Override
        public HttpServletResponse getFirewalledResponse(HttpServletResponse response) {
            return response;
        }
    }

    static final class PlainServlet extends HttpServlet {

        private static final long serialVersionUID = 1;

        @Override
        protected void doGet(HttpServletRequest request, HttpServletResponse response) {
            response.setStatus(200);
        }
    }

    @RestController
    static class Pages {

        @GetMapping({"/slash/pay", "/login"})
        String page() {
            return "page";
        }
    }

    @BeforeAll
    static void start() {
        application = RunningApplication.servlet(SpelledApplication.class, PROPERTIES);
        assertThat(application.get("/plain").statusCode()).isEqualTo(200);
        assertThat(application.get("/slash/pay").statusCode()).isEqualTo(200);
        assertThat(application.get("/login").statusCode()).isEqualTo(200);
    }

    @AfterAll
    static void stop() {
        application.close();
    }

    @ParameterizedTest
    @CsvSource({
        "/plain",
        "//plain",
        "/x/../plain",
        "/x/..;/plain",
        "/x/%2e%2e/plain",
        "/;x/plain",
        "/public/../plain",
        "/plain;a=b",
        "/slash/pay/",
        "/slash/pay;a=b/",
        "/login",
        "/LOGIN",
        "/public/..;/login"
    })
    void a_spelling_of_a_limited_path_is_limited(String path) {
        assertThat(application.get(path).statusCode()).isEqualTo(429);
    }
}
