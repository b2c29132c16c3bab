package io.headgate.spring.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.servlet.config.annotation.CorsRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/** A gateway on WebMVC, whose routes are in YAML. */
class MvcGatewayTest extends GatewayContract {

    private static final Upstream UPSTREAM = new Upstream();
    private static RunningGateway gateway;

    @BeforeAll
    static void start() {
        gateway = RunningGateway.start(
                Application.class,
                WebApplicationType.SERVLET,
                RunningGateway.read("policies.yaml", UPSTREAM),
                RunningGateway.read("mvc.yaml", UPSTREAM));
    }

    @AfterAll
    static void stop() {
        gateway.close();
        UPSTREAM.close();
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
    static class Application implements WebMvcConfigurer {

        @Bean
        String suffix() {
            return "-suffix";
        }

        @Override
        public void addCorsMappings(CorsRegistry registry) {
            registry.addMapping("/**").allowedOrigins("https://shop.example").allowedMethods("GET");
        }
    }

    @Test
    void permits_are_refunded_by_the_status_of_the_upstream() {
        for (int i = 0; i < 3; i++) {
            assertThat(gateway.get("/refunded", "X-Status", "404").statusCode()).isEqualTo(404);
        }
        for (int i = 0; i < 3; i++) {
            assertThat(gateway.get("/refunded").statusCode()).isEqualTo(200);
        }
        assertThat(gateway.get("/refunded").statusCode()).isEqualTo(429);
    }
}
