package io.headgate.spring.gateway;

import static io.headgate.spring.gateway.RunningGateway.values;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** A gateway on WebFlux, whose routes are in YAML. */
class ReactiveGatewayTest extends GatewayContract {

    private static final Upstream UPSTREAM = new Upstream();
    private static RunningGateway gateway;

    @BeforeAll
    static void start() {
        gateway = RunningGateway.start(
                Application.class,
                WebApplicationType.REACTIVE,
                yaml("policies.yaml"),
                yaml("reactive.yaml"));
    }

    @AfterAll
    static void stop() {
        gateway.close();
        UPSTREAM.close();
    }

    private static String yaml(String resource) {
        return RunningGateway.read(resource, UPSTREAM);
    }

    @Override
    RunningGateway gateway() {
        return gateway;
    }

    @Override
    Upstream upstream() {
        return UPSTREAM;
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(NettyServer.class)
    static class Application {

        @Bean
        String suffix() {
            return "-suffix";
        }
    }

    @Test
    void permits_are_refunded_by_the_status_of_the_upstream_at_each_attempt() {
        HttpResponse<String> failed = gateway.get("/refunded", "X-Status", "503");

        assertThat(failed.statusCode()).isEqualTo(503);
        assertThat(UPSTREAM.calls("/refunded")).isEqualTo(6);
        assertThat(gateway.get("/refunded", "X-Status", "404").statusCode()).isEqualTo(404);
        for (int i = 0; i < 3; i++) {
            assertThat(gateway.get("/refunded").statusCode()).isEqualTo(200);
        }
        assertThat(gateway.get("/refunded").statusCode()).isEqualTo(429);
    }

    @Test
    void a_retry_in_front_waits_for_permits() {
        for (int i = 0; i < 4; i++) {
            HttpResponse<String> response = gateway.get("/waiting");

            assertThat(response.statusCode()).isEqualTo(200);
            assertThat(values(response, "Retry-After")).isEmpty();
        }
    }

    @Test
    void a_filter_refunds_what_a_later_one_denies_if_it_refunds_that_status() {
        HttpResponse<String> admitted = gateway.get("/both");
        assertThat(admitted.statusCode()).isEqualTo(200);
        assertThat(values(admitted, "X-RateLimit-Limit")).containsExactly("1");
        for (int i = 0; i < 5; i++) {
            HttpResponse<String> denied = gateway.get("/both");
            assertThat(denied.statusCode()).isEqualTo(429);
            assertThat(denied.body()).contains("\"policy\":\"one\"");
        }
    }
}
