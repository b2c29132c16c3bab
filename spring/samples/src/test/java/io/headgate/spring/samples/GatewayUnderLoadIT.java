package io.headgate.spring.samples;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.spring.samples.KeyLimit.SlidingWindow;
import io.headgate.spring.samples.KeyLimit.TokenBucket;
import io.netty.handler.codec.http.HttpMethod;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests the gateway. */
class GatewayUnderLoadIT extends UnderLoadContract {

    private static final Duration WINDOW = Duration.ofSeconds(2);
    private static final SlidingWindow FREE = new SlidingWindow(20, WINDOW);
    private static final SlidingWindow PAID = new SlidingWindow(200, WINDOW);
    private static final TokenBucket FREE_ADDRESS = new TokenBucket(50, 2);
    private static final TokenBucket PAID_ADDRESS = new TokenBucket(500, 20);
    private static final TokenBucket SEARCH = new TokenBucket(20, 2);

    private final Upstream upstream = new Upstream();
    private int callsBefore;

    @Override
    List<String> properties() {
        String window = ".rules.per-tenant.sliding-window.window=" + WINDOW.toSeconds() + "s";
        return List.of(
                "--shop.uri=" + upstream.uri(),
                "--headgate.policies.free" + window,
                "--headgate.policies.paid" + window);
    }

    @BeforeEach
    void countCalls() {
        callsBefore = upstream.calls();
    }

    @AfterAll
    void stopUpstream() {
        upstream.close();
    }

    @Test
    void the_plan_of_a_tenant_is_its_limit() {
        assertThat(number(api(0, "/api/orders", "acme", "203.0.113.2"), "X-RateLimit-Limit"))
                .isEqualTo(PAID.permits());
        assertThat(number(api(1, "/api/orders", "initech", "203.0.113.2"), "X-RateLimit-Limit"))
                .isEqualTo(FREE.permits());
    }

    @Test
    void errors_of_the_upstream_are_refunded() {
        for (int i = 0; i < 3 * FREE.permits(); i++) {
            assertThat(api(i, "/api/broken", "unlucky", "203.0.113.3").statusCode())
                    .isEqualTo(503);
        }
    }

    @Test
    void a_request_without_a_key_has_the_free_plan_and_may_not_search() {
        HttpResponse<String> response =
                instance(0).send("GET", "/api/orders", Map.of("X-Forwarded-For", "203.0.113.4"));

        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(number(response, "X-RateLimit-Limit")).isEqualTo(FREE.permits());
        assertThat(instance(0).send("GET", "/search", Map.of()).statusCode()).isEqualTo(403);
    }

    private HttpResponse<String> api(int instance, String path, String tenant, String address) {
        return instance(instance).send("GET", path, fields(tenant, address));
    }

    private static long number(HttpResponse<?> response, String field) {
        return response.headers().firstValueAsLong(field).orElseThrow();
    }

    /** Many tenants with the free plan, a tenant who has paid, and a client that invents keys; each key goes to both instances. */
    @Override
    Call call(int number, boolean outage) {
        int instance = number % 2;
        int index = number / 2;
        int kind = index % 16;
        int key = index / 16 % 40;
        return switch (kind) {
            case 0 -> api("acme", "198.51.100.1", 1, instance, false);
            case 1 -> api("tenant" + key % 4, "203.0.113." + (100 + key % 4), 5, instance, false);
            case 2, 3 -> api("invented" + number, "198.51.100.2", 1, instance, false);
            case 4 -> search("tenant" + key % 2, instance, false);
            case 5, 6 ->
                outage
                        ? api("invented" + number, "198.51.100.3", 1, instance, true)
                        : search("tenant" + key % 2, instance, false);
            case 7, 8 ->
                outage
                        ? search("outage" + key % 2, instance, true)
                        : api("tenant" + key, "203.0.113." + (100 + key), 1, instance, false);
            case 9, 10, 11 ->
                outage
                        ? api("outage" + key % 2, "203.0.113." + (200 + key % 2), 1, instance, true)
                        : api("tenant" + key, "203.0.113." + (100 + key), 1, instance, false);
            default -> api("tenant" + key, "203.0.113." + (100 + key), 1, instance, false);
        };
    }

    private static Call api(String tenant, String address, int permits, int instance, boolean duringOutage) {
        boolean paid = tenant.equals("acme");
        return new Call(
                HttpMethod.GET,
                permits == 1 ? "/api/orders" : "/api/reports/2026",
                fields(tenant, address),
                instance,
                permits,
                List.of(
                        new KeyLimit("per-tenant", tenant, paid ? PAID : FREE),
                        new KeyLimit("per-address", address, paid ? PAID_ADDRESS : FREE_ADDRESS)),
                200,
                duringOutage);
    }

    private static Call search(String tenant, int instance, boolean duringOutage) {
        return new Call(
                HttpMethod.GET,
                "/search",
                fields(tenant, "203.0.113.5"),
                instance,
                1,
                List.of(new KeyLimit(KeyLimit.REQUEST_RATE_LIMITER, tenant, SEARCH)),
                200,
                duringOutage);
    }

    private static Map<String, String> fields(String tenant, String address) {
        return Map.of("X-Api-Key", tenant, "X-Forwarded-For", address);
    }

    /** Denied requests never reach the upstream, and no other is sent twice. */
    @Override
    void checkAll(List<Outcome> outcomes) {
        assertThat(upstream.calls() - callsBefore)
                .isEqualTo(outcomes.stream().filter(Outcome::admitted).count());
    }
}
