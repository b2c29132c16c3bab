package io.headgate.spring.samples;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.spring.samples.KeyLimit.SlidingWindow;
import io.headgate.testkit.Await;
import io.headgate.testkit.RedisServer;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;

/** Tests the gateway on WebMVC. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class MvcGatewayIT {

    private static final Duration PATIENCE = Duration.ofMinutes(1);

    /** No permit returns while a test runs. */
    private static final SlidingWindow TENANT = new SlidingWindow(20, Duration.ofHours(1));

    private static final int REPORT = 5;

    private final RedisServer redis = RedisServer.startOwn("--appendonly", "yes");
    private final Upstream upstream = new Upstream();
    private SampleInstance gateway;

    @BeforeAll
    void start() {
        gateway = SampleInstance.start(
                        1,
                        List.of(
                                "--shop.uri=" + upstream.uri(),
                                "--headgate.policies.api.rules.per-tenant.sliding-window.window=1h",
                                "--spring.data.redis.url=" + redis.url(),
                                // A machine that is busy with other tests does not make fallbacks decide.
                                "--headgate.redis.timeout=20s",
                                "--headgate.redis.budget=20s"))
                .get(0);
    }

    @AfterAll
    void stop() {
        gateway.close();
        upstream.close();
        redis.close();
    }

    @Test
    void a_tenant_has_the_same_permits_on_the_route_in_yaml_and_the_route_in_java() {
        int callsBefore = upstream.calls();
        for (int i = 0; i < TENANT.permits() - REPORT; i++) {
            assertThat(isAdmitted("/api/orders", "acme", 1)).isTrue();
        }
        assertThat(isAdmitted("/reports/2026", "acme", REPORT)).isTrue();

        assertThat(isAdmitted("/api/orders", "acme", 1)).isFalse();
        assertThat(isAdmitted("/reports/2026", "acme", REPORT)).isFalse();
        assertThat(upstream.calls() - callsBefore).isEqualTo(TENANT.permits() - REPORT + 1);
        assertThat(isAdmitted("/api/orders", "initech", 1)).isTrue();
    }

    @Test
    void errors_of_the_upstream_are_refunded() {
        for (int i = 0; i < 2 * TENANT.permits(); i++) {
            assertThat(gateway.send("GET", "/api/broken", fields("unlucky")).statusCode())
                    .isEqualTo(503);
        }
    }

    @Test
    void a_request_without_a_key_is_limited_by_its_address() {
        assertThat(gateway.send("GET", "/api/orders", Map.of()).headers().firstValue("X-RateLimit-Remaining"))
                .hasValue(Long.toString(TENANT.permits() - 1));
    }

    @Test
    @Order(Integer.MAX_VALUE)
    void fallbacks_decide_while_redis_is_down_and_then_its_counts_continue() {
        for (int i = 0; i < TENANT.permits(); i++) {
            isAdmitted("/api/orders", "before", 1);
        }

        redis.kill();
        awaitState("degraded");
        assertThat(admittedOf(2 * TENANT.permits(), "meanwhile")).isEqualTo(TENANT.permits());

        redis.restart();
        awaitState("healthy");
        assertThat(isAdmitted("/api/orders", "before", 1)).isFalse();
        assertThat(admittedOf(TENANT.permits() + 1, "afterwards")).isEqualTo(TENANT.permits());
    }

    /** Each poll also sends a request, and none of them fails. */
    private void awaitState(String state) {
        Await.until(state, PATIENCE, () -> {
            isAdmitted("/api/orders", "unimportant", 1);
            return gateway.state().equals(state);
        });
    }

    private long admittedOf(long requests, String tenant) {
        long admitted = 0;
        for (long i = 0; i < requests; i++) {
            admitted += isAdmitted("/api/orders", tenant, 1) ? 1 : 0;
        }
        return admitted;
    }

    /** Sends a request, and checks that its response is that of an admitted or a denied request. */
    private boolean isAdmitted(String path, String tenant, int permits) {
        Call call = new Call(
                HttpMethod.GET,
                path,
                fields(tenant),
                0,
                permits,
                List.of(new KeyLimit("per-tenant", tenant, TENANT)),
                200,
                false);
        HttpResponse<String> response = gateway.send("GET", path, call.fields());
        HttpHeaders headers = new DefaultHttpHeaders();
        response.headers().map().forEach((name, values) -> {
            // Those of HTTP/2 begin with :status, which is no field.
            if (!name.startsWith(":")) {
                headers.add(name, values);
            }
        });
        return Responses.deniedBy(call, response.statusCode(), headers, response.body())
                .isEmpty();
    }

    private static Map<String, String> fields(String tenant) {
        return Map.of("X-Api-Key", tenant);
    }
}
