package io.headgate.spring.gateway;

import static io.headgate.spring.gateway.RunningGateway.values;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.testkit.RedisServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.cloud.gateway.filter.FilterDefinition;
import org.springframework.cloud.gateway.filter.factory.RequestRateLimiterGatewayFilterFactory;
import org.springframework.cloud.gateway.filter.ratelimit.KeyResolver;
import org.springframework.cloud.gateway.filter.ratelimit.RedisRateLimiter;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.data.redis.core.StringRedisTemplate;
import reactor.core.publisher.Mono;

/** A gateway on the Redis of the application: the gateway's own filter {@code RequestRateLimiter}, and that of Headgate. */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class RateLimiterIT {

    private static final Upstream UPSTREAM = new Upstream();
    private static RedisServer redis;
    private static RunningGateway gateway;

    @BeforeAll
    static void start() {
        redis = RedisServer.startOwn();
        gateway = RunningGateway.start(
                Application.class,
                WebApplicationType.REACTIVE,
                RunningGateway.read("rate-limiter.yaml", UPSTREAM),
                "spring.data.redis.url: " + redis.url());
    }

    @AfterAll
    static void stop() {
        gateway.close();
        redis.close();
        UPSTREAM.close();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(NettyServer.class)
    static class Application {

        @Bean
        KeyResolver userKey() {
            return exchange -> Mono.justOrEmpty(exchange.getRequest().getHeaders().getFirst("X-User"));
        }
    }

    @Test
    void the_limiter_takes_the_place_of_that_of_the_gateway() {
        assertThat(gateway.context.getBeansOfType(RedisRateLimiter.class)).isEmpty();
        assertThat(gateway.context.getBean("redisRateLimiter")).isInstanceOf(HeadgateRateLimiter.class);
        assertThat(gateway.context
                        .getBean(RequestRateLimiterGatewayFilterFactory.class)
                        .getDefaultRateLimiter())
                .isInstanceOf(HeadgateRateLimiter.class);
    }

    @Test
    void a_rate_per_minute_has_a_retry_after_of_its_own() {
        for (int i = 4; i >= 0; i--) {
            HttpResponse<String> response = gateway.get("/search", "X-User", "alice");
            assertThat(response.statusCode()).isEqualTo(200);
            assertThat(values(response, "X-RateLimit-Remaining")).containsExactly(Integer.toString(i));
            assertThat(values(response, "X-RateLimit-Replenish-Rate")).containsExactly("30");
            assertThat(values(response, "X-Burst")).containsExactly("5");
            assertThat(values(response, "X-RateLimit-Requested-Tokens")).containsExactly("1");
            assertThat(values(response, "Retry-After")).isEmpty();
        }
        HttpResponse<String> denied = gateway.get("/search", "X-User", "alice");

        assertThat(denied.statusCode()).isEqualTo(429);
        assertThat(values(denied, "Retry-After")).first().isIn("1", "2");
        assertThat(gateway.get("/search", "X-User", "bob").statusCode()).isEqualTo(200);
        assertThat(gateway.get("/search").statusCode()).isEqualTo(403);
    }

    @Test
    void an_existing_route_runs_unchanged() {
        assertThat(gateway.get("/existing", "X-User", "alice").statusCode()).isEqualTo(200);
        assertThat(gateway.get("/existing", "X-User", "alice").statusCode()).isEqualTo(200);
        HttpResponse<String> denied = gateway.get("/existing", "X-User", "alice");

        assertThat(denied.statusCode()).isEqualTo(429);
        assertThat(values(denied, "X-RateLimit-Requested-Tokens")).containsExactly("3000");
    }

    @Test
    void limits_may_be_in_the_properties_of_the_gateways_limiter() {
        assertThat(gateway.get("/configured", "X-User", "alice").statusCode()).isEqualTo(200);
        assertThat(gateway.get("/configured", "X-User", "alice").statusCode()).isEqualTo(200);
        assertThat(gateway.get("/configured", "X-User", "alice").statusCode()).isEqualTo(429);
    }

    @Test
    void a_capacity_of_0_and_missing_arguments_deny_all_requests() {
        assertThat(gateway.get("/closed", "X-User", "alice").statusCode()).isEqualTo(429);
        assertThat(gateway.get("/unconfigured", "X-User", "alice").statusCode()).isEqualTo(429);
        assertThat(gateway.get("/search", "X-User", "carol").statusCode()).isEqualTo(200);
    }

    @Test
    void a_later_route_with_wrong_arguments_denies_all_requests() throws Exception {
        FilterDefinition filter = new FilterDefinition();
        filter.setName("RequestRateLimiter");
        filter.setArgs(Map.of("redis-rate-limiter.replenishRate", "-1", "keyResolver", "#{@userKey}"));

        gateway.addLater("wrong", UPSTREAM, filter);

        assertThat(gateway.get("/later/wrong", "X-User", "alice").statusCode()).isEqualTo(429);
        assertThat(gateway.get("/search", "X-User", "frank").statusCode()).isEqualTo(200);
    }

    @Test
    void each_user_of_a_route_has_one_key() {
        gateway.get("/search", "X-User", "dora");

        assertThat(gateway.context.getBean(StringRedisTemplate.class).keys("*gateway.search*dora*"))
                .hasSize(1);
    }

    @Test
    void routes_have_different_policies() {
        Set<String> names = new HashSet<>();
        for (String route : new String[] {"a", "a b", "a_b", "a/b", "x".repeat(40), "x".repeat(41), "x".repeat(42)}) {
            names.add(HeadgateRateLimiter.policyName(route));
        }
        assertThat(names).hasSize(7).allMatch(name -> name.matches("[A-Za-z0-9][A-Za-z0-9._-]{0,63}"));
    }

    @Test
    void the_filter_of_headgate_counts_in_redis() {
        for (int i = 4; i >= 0; i--) {
            HttpResponse<String> response = gateway.get("/filter", "X-User", "alice");
            assertThat(response.statusCode()).isEqualTo(200);
            assertThat(values(response, "X-RateLimit-Remaining")).containsExactly(Integer.toString(i));
        }
        assertThat(gateway.get("/filter", "X-User", "alice").statusCode()).isEqualTo(429);
        assertThat(UPSTREAM.calls("/filter")).isEqualTo(5);
    }

    /** Defect in Reactor Netty (#4361): it reads no more from a connection after such a denial. */
    @Test
    void a_connection_remains_usable_after_a_pipelined_request_was_denied() throws IOException {
        for (int i = 0; i < 8; i++) {
            gateway.get("/search", "X-User", "paula");
        }
        String denied = "GET /search HTTP/1.1\r\nHost: x\r\nX-User: paula\r\n\r\n";
        try (Socket connection = new Socket("localhost", gateway.port())) {
            connection.setSoTimeout(30_000);
            connection
                    .getOutputStream()
                    .write(("GET /search HTTP/1.1\r\nHost: x\r\nX-User: paul\r\n\r\n" + denied).getBytes(US_ASCII));
            assertThat(statusLine(connection)).isEqualTo("HTTP/1.1 200 OK");
            assertThat(statusLine(connection)).isEqualTo("HTTP/1.1 429 Too Many Requests");

            connection.getOutputStream().write(denied.getBytes(US_ASCII));
            assertThat(statusLine(connection)).isEqualTo("HTTP/1.1 429 Too Many Requests");
        }
    }

    /** Reads a response, and returns its first line. */
    private static String statusLine(Socket connection) throws IOException {
        InputStream in = connection.getInputStream();
        StringBuilder head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            int next = in.read();
            assertThat(next).as("a byte after " + head).isNotNegative();
            head.append((char) next);
        }
        Matcher length = Pattern.compile("(?i)content-length: (\\d+)").matcher(head);
        in.readNBytes(length.find() ? Integer.parseInt(length.group(1)) : 0);
        return head.substring(0, head.indexOf("\r\n"));
    }

    @Test
    @Order(Integer.MAX_VALUE)
    void without_redis_the_fallback_decides() {
        redis.kill();

        for (String path : new String[] {"/search", "/filter"}) {
            Set<Integer> statuses = new HashSet<>();
            for (int i = 0; i < 30; i++) {
                statuses.add(gateway.get(path, "X-User", "emil").statusCode());
            }
            assertThat(statuses).containsExactlyInAnyOrder(200, 429);
        }
    }
}
