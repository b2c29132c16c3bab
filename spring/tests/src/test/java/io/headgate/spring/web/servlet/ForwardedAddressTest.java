package io.headgate.spring.web.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limits.Limit;
import io.headgate.limits.Policy;
import io.headgate.spring.web.RunningApplication;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Tests the client's address while Spring replaces the peer's address by the first entry of a forwarding field. */
class ForwardedAddressTest {

    private static final String FRAMEWORK =
            """
            server.forward-headers-strategy: framework
            headgate.web:
              routes:
                - { path: '/early/**', policy: one, by: { ip: client-address }, before-authentication: true }
                - { policy: one, by: { ip: client-address } }
            """;

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Pages.class)
    static class Application {

        @Bean
        Policy one() {
            return Policy.of("one", Limit.slidingWindow(1, Duration.ofHours(1)), "ip");
        }

        @Bean
        SecurityFilterChain all(HttpSecurity http) throws Exception {
            return http.authorizeHttpRequests(requests -> requests.anyRequest().permitAll())
                    .build();
        }
    }

    @RestController
    static class Pages {

        @GetMapping("/**")
        String page() {
            return "page";
        }
    }

    @Test
    void the_client_is_the_last_untrusted_entry_and_not_the_first() {
        try (RunningApplication application = RunningApplication.servlet(
                Application.class, FRAMEWORK + "  trusted-proxies: [127.0.0.1, '::1']")) {
            assertThat(status(application, "/", "198.51.100.1, 192.0.2.9")).isEqualTo(200);
            assertThat(status(application, "/", "198.51.100.2, 192.0.2.9")).isEqualTo(429);
            assertThat(status(application, "/early", "198.51.100.3, 192.0.2.9")).isEqualTo(429);
            assertThat(status(application, "/early", "198.51.100.3")).isEqualTo(200);
        }
    }

    @Test
    void without_trusted_proxies_the_client_is_the_peer() {
        try (RunningApplication application = RunningApplication.servlet(Application.class, FRAMEWORK)) {
            assertThat(status(application, "/", "198.51.100.1")).isEqualTo(200);
            assertThat(status(application, "/", "198.51.100.2")).isEqualTo(429);
        }
    }

    private static int status(RunningApplication application, String path, String forwardedFor) {
        return application
                .send(application.to(path).header("X-Forwarded-For", forwardedFor))
                .statusCode();
    }
}
