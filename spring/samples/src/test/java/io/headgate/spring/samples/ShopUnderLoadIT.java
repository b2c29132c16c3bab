package io.headgate.spring.samples;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.spring.samples.KeyLimit.SlidingWindow;
import io.netty.handler.codec.http.HttpMethod;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Tests the shop on Spring MVC or WebFlux. */
class ShopUnderLoadIT extends UnderLoadContract {

    private static final Duration WINDOW = Duration.ofSeconds(2);
    private static final SlidingWindow FREE = new SlidingWindow(20, WINDOW);
    private static final SlidingWindow PAID = new SlidingWindow(200, WINDOW);
    private static final SlidingWindow LOGINS = new SlidingWindow(5, Duration.ofMinutes(10));

    @Override
    List<String> properties() {
        String window = ".rules.per-tenant.sliding-window.window=" + WINDOW.toSeconds() + "s";
        return List.of(
                "--shop.token-key=" + Tenants.KEY,
                "--headgate.policies.free" + window,
                "--headgate.policies.paid" + window);
    }

    @Test
    void only_failed_logins_count_and_instances_share_the_count() {
        for (int i = 0; i < 2 * LOGINS.permits(); i++) {
            assertThat(login(i, "alice", "wonderland", "203.0.113.2").statusCode())
                    .isEqualTo(200);
        }
        for (int i = 0; i < LOGINS.permits(); i++) {
            assertThat(login(i, "alice", "guess", "203.0.113.2").statusCode()).isEqualTo(401);
        }
        assertThat(login(0, "alice", "wonderland", "203.0.113.2").statusCode()).isEqualTo(429);
        assertThat(login(1, "alice", "wonderland", "203.0.113.2").statusCode()).isEqualTo(429);
    }

    @Test
    void the_plan_of_the_tenant_of_a_user_is_its_limit() {
        assertThat(limitOf("alice", "wonderland")).isEqualTo(PAID.permits());
        assertThat(limitOf("bob", "builder")).isEqualTo(FREE.permits());
    }

    private long limitOf(String user, String password) {
        String login = login(0, user, password, "203.0.113.3").body();
        String token = String.valueOf(SampleInstance.json(login).get("token"));
        return instance(1)
                .send("GET", "/api/orders", Map.of("Authorization", "Bearer " + token))
                .headers()
                .firstValueAsLong("X-RateLimit-Limit")
                .orElseThrow();
    }

    private HttpResponse<String> login(int instance, String user, String password, String address) {
        return instance(instance).send("POST", "/login", loginFields(user, password, address));
    }

    private static Map<String, String> loginFields(String user, String password, String address) {
        byte[] credentials = (user + ":" + password).getBytes(StandardCharsets.UTF_8);
        return Map.of(
                "Authorization",
                "Basic " + Base64.getEncoder().encodeToString(credentials),
                "X-Forwarded-For",
                address);
    }

    /** Mostly many tenants with the free plan; each key goes to both instances. */
    @Override
    Call call(int number, boolean outage) {
        int instance = number % 2;
        int index = number / 2;
        int kind = index % 16;
        int key = index / 16 % 40;
        return switch (kind) {
            case 0 -> failingLogin("203.0.113." + (100 + key), instance);
            case 1 -> request("acme", 1, instance, false);
            case 2 -> request("tenant" + key % 4, 5, instance, false);
            case 3, 4, 5, 6, 7, 8 ->
                outage ? request("outage" + key % 2, 1, instance, true) : request("tenant" + key, 1, instance, false);
            default -> request("tenant" + key, 1, instance, false);
        };
    }

    private static Call failingLogin(String address, int instance) {
        return new Call(
                HttpMethod.POST,
                "/login",
                loginFields("alice", "guess", address),
                instance,
                1,
                List.of(new KeyLimit("failed-per-address", address, LOGINS)),
                401,
                false);
    }

    private static Call request(String tenant, int permits, int instance, boolean duringOutage) {
        return new Call(
                HttpMethod.GET,
                permits == 1 ? "/api/orders" : "/api/reports/2026",
                Map.of("Authorization", "Bearer " + Tenants.token(tenant)),
                instance,
                permits,
                List.of(new KeyLimit("per-tenant", tenant, tenant.equals("acme") ? PAID : FREE)),
                200,
                duringOutage);
    }
}
