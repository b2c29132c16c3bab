package io.headgate.spring.gateway;

import static io.headgate.spring.gateway.HeadgateFilterFunctions.rateLimit;
import static io.headgate.spring.gateway.RunningGateway.values;
import static org.assertj.core.api.Assertions.assertThat;
import static org.springframework.cloud.gateway.server.mvc.filter.BeforeFilterFunctions.uri;
import static org.springframework.cloud.gateway.server.mvc.handler.GatewayRouterFunctions.route;
import static org.springframework.cloud.gateway.server.mvc.handler.HandlerFunctions.http;

import java.net.http.HttpResponse;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.ServerResponse;

/** A gateway on WebMVC with the example of the guide, routes in Java, and handlers of denials. */
@ExtendWith(OutputCaptureExtension.class)
class MvcApplicationTest {

    private static final Upstream UPSTREAM = new Upstream();
    private static RunningGateway gateway;

    @BeforeAll
    static void start() {
        gateway = RunningGateway.start(
                Application.class,
                WebApplicationType.SERVLET,
                RunningGateway.read("policies.yaml", UPSTREAM),
                RunningGateway.read("guide/mvc.yaml", UPSTREAM),
                "stock.uri: " + UPSTREAM.uri());
    }

    @AfterAll
    static void stop() {
        gateway.close();
        UPSTREAM.close();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Denials.class)
    static class Application {

        @Bean
        RouterFunction<ServerResponse> stock(@Value("${stock.uri}") String upstream) {
            return route("stock")
                    .GET("/stock/{id}", http())
                    .before(uri(upstream))
                    .filter(rateLimit(limit -> limit.policy("one").by("user", "path-variable(id)")))
                    .build();
        }

        @Bean
        RouterFunction<ServerResponse> local() {
            return route("local")
                    .GET("/local", request -> ServerResponse.ok().body("local"))
                    .filter(rateLimit(limit -> limit.policy("one").by("user", "path-pattern")))
                    .build();
        }

        @Bean
        RouterFunction<ServerResponse> wrong(@Value("${stock.uri}") String upstream) {
            return route("wrong")
                    .GET("/wrong", http())
                    .before(uri(upstream))
                    .filter(rateLimit(limit -> limit.policy("nothing")))
                    .build();
        }
    }

    @Test
    void the_example_limits_users_until_the_application_answers_itself() {
        HttpResponse<String> response = gateway.get("/orders/1", "X-User", "alice");
        assertThat(values(response, "RateLimit-Policy"))
                .first()
                .asString()
                .contains("\"per-user\";q=100", "\"per-ip\";q=500");
        for (int i = 0; response.statusCode() == 200 && i < 100; i++) {
            response = gateway.get("/orders/1", "X-User", "alice");
        }

        assertThat(response.statusCode()).isEqualTo(503);
        assertThat(response.body()).isEqualTo("busy: api");
        assertThat(values(response, "Retry-After")).hasSize(1);
    }

    @Test
    void a_route_in_java_is_limited() {
        assertThat(gateway.get("/stock/1").statusCode()).isEqualTo(200);
        assertThat(gateway.get("/stock/1").body()).isEqualTo("busy: one");
        assertThat(gateway.get("/stock/2").statusCode()).isEqualTo(200);
    }

    @Test
    void a_handler_without_an_upstream_is_limited() {
        HttpResponse<String> response = gateway.get("/local");

        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(values(response, "X-RateLimit-Remaining")).containsExactly("0");
        assertThat(gateway.get("/local").body()).isEqualTo("busy: one");
    }

    @Test
    void a_route_in_java_with_wrong_settings_is_rejected(CapturedOutput log) {
        assertThat(gateway.get("/wrong").statusCode()).isEqualTo(503);
        assertThat(UPSTREAM.calls("/wrong")).isZero();
        assertThat(log).contains("HeadgateRateLimit.policy: is nothing, but there is no such policy");
    }
}
