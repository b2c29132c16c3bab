package io.headgate.spring.gateway;

import static io.headgate.spring.gateway.RunningGateway.values;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.cloud.gateway.filter.FilterDefinition;
import org.springframework.cloud.gateway.filter.ratelimit.RateLimiter;
import org.springframework.cloud.gateway.route.RouteLocator;
import org.springframework.cloud.gateway.route.builder.RouteLocatorBuilder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Primary;
import reactor.core.publisher.Mono;

/** A gateway on WebFlux with the first example of the guide, routes in Java, default filters, handlers of denials, and later routes. */
@ExtendWith(OutputCaptureExtension.class)
class ReactiveApplicationTest {

    private static final Upstream UPSTREAM = new Upstream();
    private static RunningGateway gateway;

    @BeforeAll
    static void start() {
        gateway = RunningGateway.start(
                Application.class,
                WebApplicationType.REACTIVE,
                RunningGateway.read("policies.yaml", UPSTREAM),
                RunningGateway.read("guide/reactive.yaml", UPSTREAM),
                """
                stock.uri: http://orders.internal
                spring.cloud.gateway.server.webflux.default-filters:
                  - name: HeadgateRateLimit
                    args: { policy: three, by: { user: header(X-Device) }, skip: request.headers('X-Device').isEmpty() }
                """
                        .replace("http://orders.internal", UPSTREAM.uri()));
    }

    @AfterAll
    static void stop() {
        gateway.close();
        UPSTREAM.close();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({NettyServer.class, Denials.class})
    static class Application {

        @Bean
        RouteLocator stock(
                RouteLocatorBuilder routes,
                HeadgateRateLimitGatewayFilterFactory headgate,
                @Value("${stock.uri}") String uri) {
            return routes.routes()
                    .route("stock", route -> route.path("/stock/{id}")
                            .filters(filters -> filters.filter(
                                    headgate.limit(limit -> limit.policy("one").by("user", "path-variable(id)"))))
                            .uri(uri))
                    .build();
        }

        @Bean
        @Primary
        RateLimiter<?> ownLimiter() {
            return new OwnLimiter();
        }
    }

    /** A limiter of the application's own. */
    static final class OwnLimiter implements RateLimiter<Object> {

        @Override
        public Mono<Response> isAllowed(String routeId, String id) {
            return Mono.just(new Response(true, Map.of()));
        }

        @Override
        public Map<String, Object> getConfig() {
            return Map.of();
        }

        @Override
        public Class<Object> getConfigClass() {
            return Object.class;
        }

        @Override
        public Object newConfig() {
            return new Object();
        }
    }

    @Test
    void the_first_example_limits_users_until_the_application_answers_itself() {
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
        assertThat(values(response, "X-RateLimit-Remaining")).containsExactly("0");
    }

    @Test
    void a_route_in_java_is_limited() {
        assertThat(gateway.get("/stock/1").statusCode()).isEqualTo(200);
        assertThat(gateway.get("/stock/1").body()).isEqualTo("busy: one");
        assertThat(gateway.get("/stock/2").statusCode()).isEqualTo(200);
    }

    @Test
    void default_filters_limit_the_routes_of_properties() {
        for (int i = 0; i < 3; i++) {
            HttpResponse<String> response = gateway.get("/orders/2", "X-User", "bob", "X-Device", "phone");
            assertThat(response.statusCode()).isEqualTo(200);
            assertThat(values(response, "X-RateLimit-Limit")).hasSize(1);
        }
        assertThat(gateway.get("/orders/2", "X-User", "bob", "X-Device", "phone").body())
                .isEqualTo("busy: three");
    }

    @Test
    void a_limiter_of_the_application_takes_precedence() {
        assertThat(gateway.context.getBeansOfType(HeadgateRateLimiter.class)).isEmpty();
    }

    @Test
    void a_later_route_with_a_wrong_filter_is_rejected_and_the_others_remain(CapturedOutput log) throws Exception {
        assertThat(gateway.get("/later/good").statusCode()).isEqualTo(404);

        gateway.addLater("wrong", UPSTREAM, filter(Map.of("policy", "nothing", "by.user", "path")));
        gateway.addLater("unknown", UPSTREAM, filter(Map.of("policy", "one", "by.user", "path", "polcy", "one")));
        gateway.addLater("good", UPSTREAM, filter(Map.of("policy", "one", "by.user", "path")));

        HttpResponse<String> rejected = gateway.get("/later/wrong");
        assertThat(rejected.statusCode()).isEqualTo(503);
        assertThat(values(rejected, "Content-Type")).containsExactly("application/problem+json");
        assertThat(gateway.get("/later/unknown").statusCode()).isEqualTo(503);
        assertThat(gateway.get("/later/good").statusCode()).isEqualTo(200);
        assertThat(gateway.get("/later/good").body()).isEqualTo("busy: one");
        assertThat(gateway.get("/stock/3").statusCode()).isEqualTo(200);
        assertThat(log)
                .contains(
                        "route wrong: HeadgateRateLimit.policy: is nothing, but there is no such policy",
                        "route unknown: HeadgateRateLimit: has no argument polcy; did you mean policy? Allowed: policy, by,");
    }

    private static FilterDefinition filter(Map<String, String> arguments) {
        FilterDefinition filter = new FilterDefinition();
        filter.setName("HeadgateRateLimit");
        filter.setArgs(arguments);
        return filter;
    }
}
