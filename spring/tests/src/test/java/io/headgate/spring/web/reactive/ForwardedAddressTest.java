package io.headgate.spring.web.reactive;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limits.Limit;
import io.headgate.limits.Policy;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.web.server.SecurityWebFilterChain;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Tests which requests on Netty are of the same client. */
class ForwardedAddressTest {

    private static final String TRUSTED = "headgate.web.trusted-proxies=127.0.0.1,::1";

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({SingleThreadNetty.class, ForwardedAddressTest.Pages.class})
    static class Application {

        @Bean
        Policy one() {
            return Policy.of("one", Limit.slidingWindow(1, Duration.ofHours(1)), "ip");
        }

        @Bean
        SecurityWebFilterChain all(ServerHttpSecurity http) {
            return http.authorizeExchange(exchanges -> exchanges.anyExchange().permitAll())
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

    static ConfigurableApplicationContext start(String... properties) {
        List<String> all = new ArrayList<>(List.of(properties));
        all.add("headgate.web.routes[0].policy=one");
        all.add("headgate.web.routes[0].by.ip=client-address");
        all.add("headgate.engine=memory");
        all.add("server.port=0");
        return new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.REACTIVE)
                .properties(all.toArray(String[]::new))
                .run();
    }

    static int status(
            ConfigurableApplicationContext context, String port, String path, String forwardedFor)
            throws IOException, InterruptedException {
        URI uri = URI.create("http://localhost:" + context.getEnvironment().getProperty(port) + path);
        return HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(uri)
                                .header("X-Forwarded-For", forwardedFor)
                                .build(),
                        BodyHandlers.discarding())
                .statusCode();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "server.forward-headers-strategy=framework",
                "server.forward-headers-strategy=native",
                "spring.main.cloud-platform=kubernetes"
            })
    void the_client_is_the_last_untrusted_entry_and_not_the_first(String strategy)
            throws IOException, InterruptedException {
        try (ConfigurableApplicationContext context = start(strategy, TRUSTED)) {
            assertThat(status(context, "local.server.port", "/", "198.51.100.1, 192.0.2.9"))
                    .isEqualTo(200);
            assertThat(status(context, "local.server.port", "/", "198.51.100.2, 192.0.2.9"))
                    .isEqualTo(429);
            assertThat(status(context, "local.server.port", "/", "198.51.100.3"))
                    .isEqualTo(200);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"framework", "native"})
    void without_trusted_proxies_the_client_is_the_peer(String strategy) throws IOException, InterruptedException {
        try (ConfigurableApplicationContext context = start("server.forward-headers-strategy=" + strategy)) {
            assertThat(status(context, "local.server.port", "/", "198.51.100.1"))
                    .isEqualTo(200);
            assertThat(status(context, "local.server.port", "/", "198.51.100.2"))
                    .isEqualTo(429);
        }
    }
}
