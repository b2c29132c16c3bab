package io.headgate.spring.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.config.ConfigException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.SocketTimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** Wrong filters in properties fail the start, which lists all problems. */
class StartFailureTest {

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(NettyServer.class)
    static class Reactive {}

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Mvc {}

    @ParameterizedTest
    @EnumSource(names = {"REACTIVE", "SERVLET"})
    void wrong_filters_fail_the_start(WebApplicationType type) {
        boolean reactive = type == WebApplicationType.REACTIVE;
        String routes =
                """
                headgate:
                  engine: memory
                  policies: { one: { rules: { r: { by: user, fixed-window: { permits: 1, window: 1h } } } } }
                spring.cloud.gateway.server.SERVER.routes:
                  - { id: a, uri: "http://a", predicates: [ Path=/a ], filters: [ HeadgateRateLimit=nothing ] }
                  - { id: b, uri: "http://a", predicates: [ Path=/b ], filters: [ HeadgateRateLimit=one ] }
                  - { id: e, uri: "http://a", predicates: [ Path=/e ], filters: [ "HeadgateRateLimit=one, path" ] }
                  - id: c
                    uri: http://c
                    predicates: [ Path=/c ]
                    filters:
                      - name: HeadgateRateLimit
                        args: { policy: one, permits: 2, by: { user: "#{principal..name}" }, refund-on: [ authenticated ], status: 200 }
                  - id: d
                    uri: http://c
                    predicates: [ Path=/d ]
                    filters:
                      - { name: HeadgateRateLimit, args: { policy: one, path: /d, statsu: 400 } }
                      - { name: HeadgateRateLimit, args: { policy: one, by: { user: path }, status: none, absent: skip, fields: maybe } }
                      - { name: HeadgateRateLimit, args: { policy: one, by: { user: path }, absent: denny } }
                """
                        .replace("SERVER", reactive ? "webflux" : "webmvc");

        assertThatThrownBy(() -> RunningGateway.start(reactive ? Reactive.class : Mvc.class, type, routes)
                        .close())
                .rootCause()
                .isInstanceOf(ConfigException.class)
                .hasMessageContainingAll(
                        "route a: HeadgateRateLimit.policy: is nothing, but there is no such policy; there are [one]",
                        "route b: HeadgateRateLimit.by: needs a value of user, by which policy one counts",
                        "route e: HeadgateRateLimit: has one argument without a name, the policy; write the others below args",
                        "route c: HeadgateRateLimit.by.user: ",
                        "route c: HeadgateRateLimit.permits: must be at most 1, but was 2; rule r of policy one has this limit,",
                        "route c: HeadgateRateLimit.refund-on: must have statuses only",
                        "route c: HeadgateRateLimit.status: must be from 400 to 599, but was 200",
                        "route d: HeadgateRateLimit: has no argument path. Allowed: policy, by, permits,",
                        "route d: HeadgateRateLimit: has no argument statsu; did you mean status? Allowed: ",
                        "route d: HeadgateRateLimit.status: must be a whole number of at most 2147483647, was none",
                        "route d: HeadgateRateLimit.absent: must be client-address, skip-rule or deny, was skip\n",
                        "route d: HeadgateRateLimit.fields: must be true or false, was maybe",
                        "route d: HeadgateRateLimit.absent: must be client-address, skip-rule or deny, was denny;"
                                + " did you mean deny?");
    }

    @ParameterizedTest
    @EnumSource(names = {"REACTIVE", "SERVLET"})
    void filters_are_checked_before_the_engine_connects(WebApplicationType type) throws IOException {
        boolean reactive = type == WebApplicationType.REACTIVE;
        String limiter = "\n  - { id: b, uri: \"http://a\", predicates: [ Path=/b ], filters: [ { name: RequestRateLimiter,"
                + " args: { redis-rate-limiter.replenishRate: 0 } } ] }";
        try (ServerSocket redis = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            String routes =
                    """
                    spring.data.redis.url: redis://localhost:PORT
                    spring.cloud.gateway.server.SERVER.routes:
                      - { id: a, uri: "http://a", predicates: [ Path=/a ], filters: [ HeadgateRateLimit=nothing ] }
                    """
                            .replace("PORT", String.valueOf(redis.getLocalPort()))
                            .replace("SERVER", reactive ? "webflux" : "webmvc");
            assertThatThrownBy(() -> RunningGateway.start(
                                    reactive ? Reactive.class : Mvc.class,
                                    type,
                                    reactive ? routes.stripTrailing() + limiter : routes)
                            .close())
                    .rootCause()
                    .isInstanceOf(ConfigException.class)
                    .hasMessageContainingAll(
                            "route a: HeadgateRateLimit.policy: is nothing, but there is no policy with rate limits",
                            reactive ? "route b: redis-rate-limiter: replenishRate must be between 1 and" : "");

            redis.setSoTimeout(1);
            assertThatThrownBy(redis::accept).isInstanceOf(SocketTimeoutException.class);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"REACTIVE", "SERVLET"})
    void filters_pass_requests_if_headgate_is_switched_off(WebApplicationType type) {
        boolean reactive = type == WebApplicationType.REACTIVE;
        try (Upstream upstream = new Upstream();
                RunningGateway gateway = RunningGateway.start(
                        reactive ? Reactive.class : Mvc.class,
                        type,
                        """
                        headgate.enabled: false
                        spring.cloud.gateway.server.SERVER.routes:
                          - id: a
                            uri: UPSTREAM
                            predicates: [ Path=/a ]
                            filters: [ { name: HeadgateRateLimit, args: { policy: one, by: { user: path } } } ]
                        """
                                .replace("SERVER", reactive ? "webflux" : "webmvc")
                                .replace("UPSTREAM", upstream.uri()))) {
            assertThat(gateway.get("/a").statusCode()).isEqualTo(200);
        }
    }

    @Test
    void wrong_arguments_of_the_rate_limiter_fail_the_start() {
        assertThatThrownBy(() -> RunningGateway.start(
                                Reactive.class,
                                WebApplicationType.REACTIVE,
                                """
                                headgate.engine: memory
                                spring.cloud.gateway.server.webflux.routes:
                                  - id: a
                                    uri: http://a
                                    predicates: [ Path=/a ]
                                    filters:
                                      - { name: RequestRateLimiter, args: { redis-rate-limiter.replenishRate: 0 } }
                                  - id: b
                                    uri: http://a
                                    predicates: [ Path=/b ]
                                    filters:
                                      - { name: RequestRateLimiter, args: { redis-rate-limiter.replenish-rate: 1, redis-rate-limiter.period: 1m } }
                                  - id: d
                                    uri: http://a
                                    predicates: [ Path=/d ]
                                    filters:
                                      - { name: RequestRateLimiter, args: { redis-rate-limiter.replenishRate: many, redis-rate-limiter.replenishPeriod: soon, redis-rate-limiter.requestedToken: 1 } }
                                  - id: c
                                    uri: http://a
                                    predicates: [ Path=/c ]
                                    filters:
                                      - { name: RequestRateLimiter, args: { redis-rate-limiter.replenishRate: 5, redis-rate-limiter.requestedTokens: 5 } }
                                      - { name: RequestRateLimiter, args: { redis-rate-limiter.burstCapacity: 0, redis-rate-limiter.requestedTokens: 5 } }
                                """)
                        .close())
                .rootCause()
                .isInstanceOf(ConfigException.class)
                .hasMessage("route a: redis-rate-limiter: replenishRate must be between 1 and 1000000000, but was 0\n"
                        + "route b: redis-rate-limiter: has no argument period. Allowed: replenishRate, replenishPeriod, burstCapacity, requestedTokens\n"
                        + "route d: redis-rate-limiter: has no argument requestedToken; did you mean requestedTokens? Allowed:"
                        + " replenishRate, replenishPeriod, burstCapacity, requestedTokens\n"
                        + "route d: redis-rate-limiter.replenish-period: must be a duration such as 500ms, 10s or 5m, was soon\n"
                        + "route d: redis-rate-limiter.replenish-rate: must be a whole number, was many\n"
                        + "route c: redis-rate-limiter.requestedTokens: must be at most 1, the burstCapacity, which"
                        + " otherwise denies all requests, but was 5");
    }
}
