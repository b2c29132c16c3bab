package io.headgate.spring.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.cloud.gateway.filter.ratelimit.RedisRateLimiter;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** A gateway starts with settings that are mostly a mistake, and its log names them. */
@ExtendWith(OutputCaptureExtension.class)
class RouteWarningsTest {

    private static final String PERIODS =
            """
            headgate.engine: memory
            spring.cloud.gateway.server.webflux:
              default-filters:
                - name: RequestRateLimiter
                  args: { redis-rate-limiter.replenish-rate: 1, redis-rate-limiter.replenish-period: 1h }
              routes:
                - id: search
                  uri: http://a
                  predicates: [ Path=/search ]
                  filters:
                    - name: RequestRateLimiter
                      args:
                        redis-rate-limiter.replenishRate: 10
                        redis-rate-limiter.replenishPeriod: 1m
                        redis-rate-limiter.burstCapacity: 10
                - id: stock
                  uri: http://a
                  predicates: [ Path=/stock ]
                  filters: [ { name: RequestRateLimiter, args: { redis-rate-limiter.replenishRate: 1 } } ]
            """;

    private static final String CHARGED_TWICE = "so that a request that matches both is charged twice";

    @ParameterizedTest
    @EnumSource(names = {"REACTIVE", "SERVLET"})
    void a_policy_in_a_route_of_the_properties_and_in_a_filter_is_charged_twice(
            WebApplicationType type, CapturedOutput log) {
        start(
                type,
                """
                headgate:
                  engine: memory
                  policies:
                    one: { rules: { r: { fixed-window: { permits: 9, window: 1h } } } }
                    two: { rules: { r: { fixed-window: { permits: 9, window: 1h } } } }
                    three: { rules: { r: { fixed-window: { permits: 9, window: 1h } } } }
                  web.routes:
                    - { path: [ "/reports/**", "/Orders/**" ], policy: one }
                    - { path: "/{page}/about", policy: one }
                    - { path: "/admin/**", policy: two }
                    - { policy: three }
                spring.cloud.gateway.server.SERVER.routes:
                  - { id: orders, uri: "http://a", predicates: [ "Path=/orders/{id}" ], filters: [ HeadgateRateLimit=one ] }
                  - { id: stock, uri: "http://a", predicates: [ "Path=/stock" ], filters: [ HeadgateRateLimit=two ] }
                  - { id: free, uri: "http://a", predicates: [ "Path=/free" ], filters: [ HeadgateRateLimit=none ] }
                  - { id: any, uri: "http://a", predicates: [ "Method=GET" ], filters: [ HeadgateRateLimit=three ] }
                """);

        assertThat(log.getOut().lines().filter(line -> line.contains(CHARGED_TWICE)))
                .satisfiesExactly(
                        line -> assertThat(line)
                                .contains("route orders: HeadgateRateLimit.policy: is one, as in headgate.web.routes[0]"
                                        + " and headgate.web.routes[1], " + CHARGED_TWICE),
                        line -> assertThat(line)
                                .contains("route any: HeadgateRateLimit.policy: is three, as in headgate.web.routes[3],"));
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(NettyServer.class)
    static class WithLimiter {

        @Bean
        RedisRateLimiter own() {
            return new RedisRateLimiter(1, 1);
        }
    }

    @Test
    void a_limiter_of_the_application_ignores_the_period_of_headgate(CapturedOutput log) {
        RunningGateway.start(WithLimiter.class, WebApplicationType.REACTIVE, PERIODS).close();

        assertThat(log)
                .contains(
                        "route search: redis-rate-limiter.replenishPeriod: only the limiter of Headgate has it",
                        "default-filters: redis-rate-limiter.replenish-period: only the limiter of Headgate has it")
                .doesNotContain("route stock: redis-rate-limiter");
    }

    @Test
    void without_headgate_its_period_is_ignored(CapturedOutput log) {
        RunningGateway.start(
                        StartFailureTest.Reactive.class,
                        WebApplicationType.REACTIVE,
                        PERIODS,
                        "headgate.enabled: false")
                .close();

        assertThat(log).contains("route search: redis-rate-limiter.replenishPeriod: only the limiter of Headgate has it");
    }

    @Test
    void the_limiter_of_headgate_has_periods(CapturedOutput log) {
        RunningGateway.start(StartFailureTest.Reactive.class, WebApplicationType.REACTIVE, PERIODS)
                .close();

        assertThat(log).doesNotContain("only the limiter of Headgate has it");
    }

    private static void start(WebApplicationType type, String properties) {
        boolean reactive = type == WebApplicationType.REACTIVE;
        RunningGateway.start(
                        reactive ? StartFailureTest.Reactive.class : StartFailureTest.Mvc.class,
                        type,
                        properties.replace("SERVER", reactive ? "webflux" : "webmvc"))
                .close();
    }
}
