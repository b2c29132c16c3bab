package io.headgate.spring.samples;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.testkit.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Tests two processes of the sample application that share a Redis. */
class SampleUnderLoadIT {

    private static final int FREE = 20;
    private static final int PAID = 200;
    private static final int LOGINS = 5;
    private static final Duration WINDOW = Duration.ofSeconds(2);
    private static final Duration LOGIN_WINDOW = Duration.ofMinutes(10);
    private static final int RESPONSES = 2000;

    private static RedisServer redis;
    private static List<ShopInstance> shops;

    @BeforeAll
    static void start() {
        // What Redis has confirmed survives that it is killed.
        redis = RedisServer.startOwn("--appendonly", "yes");
        String window = ".rules.per-tenant.sliding-window.window=" + WINDOW.toSeconds() + "s";
        shops = ShopInstance.start(
                2,
                "--spring.data.redis.url=" + redis.url(),
                "--shop.token-key=" + Tenants.KEY,
                "--headgate.web.trusted-proxies=127.0.0.0/8",
                "--headgate.policies.free" + window,
                "--headgate.policies.paid" + window,
                "--headgate.redis.expected-instances=2",
                // A machine that is busy with other tests does not make fallbacks decide.
                "--headgate.redis.timeout=20s",
                "--headgate.redis.budget=20s");
    }

    @AfterAll
    static void stop() {
        shops.forEach(ShopInstance::close);
        redis.close();
    }

    @Test
    void only_failed_logins_count_and_instances_share_the_count() {
        for (int i = 0; i < 2 * LOGINS; i++) {
            assertThat(shops.get(i % 2)
                            .login("alice", "wonderland", "203.0.113.2")
                            .statusCode())
                    .isEqualTo(200);
        }
        for (int i = 0; i < LOGINS; i++) {
            assertThat(shops.get(i % 2).login("alice", "guess", "203.0.113.2").statusCode())
                    .isEqualTo(401);
        }
        assertThat(shops.get(0).login("alice", "wonderland", "203.0.113.2").statusCode())
                .isEqualTo(429);
        assertThat(shops.get(1).login("alice", "wonderland", "203.0.113.2").statusCode())
                .isEqualTo(429);
    }

    @Test
    void the_plan_of_the_tenant_of_a_user_is_its_limit() {
        assertThat(limitOf("alice", "wonderland")).isEqualTo(PAID);
        assertThat(limitOf("bob", "builder")).isEqualTo(FREE);
    }

    private static long limitOf(String user, String password) {
        String login = shops.get(0).login(user, password, "203.0.113.3").body();
        String token = String.valueOf(ShopInstance.json(login).get("token"));
        return shops.get(1)
                .get("/api/orders", token)
                .headers()
                .firstValueAsLong("X-RateLimit-Limit")
                .orElseThrow();
    }

    @Test
    void counts_are_exact_under_load_and_bounded_while_redis_is_down() throws InterruptedException, ExecutionException {
        AtomicBoolean outage = new AtomicBoolean();
        try (Load load = new Load(shops, number -> call(number, outage.get()), SampleUnderLoadIT::limit)) {
            load.awaitResponses(2 * RESPONSES);
            assertThat(load.connections()).isGreaterThanOrEqualTo(Load.CONNECTIONS);

            long killed = System.nanoTime();
            redis.kill();
            load.await("fallbacks to decide", () -> shops.stream()
                    .allMatch(shop -> shop.state().equals("degraded")));
            outage.set(true);
            load.awaitResponses(RESPONSES);
            outage.set(false);
            load.awaitResponsesOfOutage();
            redis.restart();
            load.await("Redis to decide", () -> shops.stream()
                    .allMatch(shop -> shop.state().equals("healthy")));
            long recovered = System.nanoTime();
            load.awaitResponses(RESPONSES);

            Map<String, List<Outcome>> byKey = load.stop().stream()
                    .collect(Collectors.groupingBy(outcome -> outcome.call().key()));
            byKey.values().forEach(outcomes -> check(outcomes, killed, recovered));
            assertThat(byKey.values()).anySatisfy(SampleUnderLoadIT::assertBothInstancesAdmitted);
        }
    }

    /** The bounds are those of the guide about failures of Redis. */
    private static void check(List<Outcome> outcomes, long killed, long recovered) {
        Call any = outcomes.get(0).call();
        WindowChecks all = new WindowChecks(outcomes, windowNanos(any));
        long limit = limit(any);
        long start = outcomes.stream().mapToLong(Outcome::sent).min().orElseThrow();
        long end = outcomes.stream().mapToLong(Outcome::received).max().orElseThrow() + 1;
        if (any.duringOutage()) {
            all.assertAtMost(limit, start, end);
            for (int instance = 0; instance < shops.size(); instance++) {
                int number = instance;
                List<Outcome> ofInstance = outcomes.stream()
                        .filter(outcome -> outcome.call().instance() == number)
                        .toList();
                new WindowChecks(ofInstance, windowNanos(any)).assertDenialsWereDue(limit / shops.size(), end);
            }
        } else {
            all.assertAtMost(limit, start, killed);
            all.assertDenialsWereDue(limit, killed);
            all.assertAtMost(2 * limit, start, end);
            all.assertAtMost(limit, recovered, end);
        }
    }

    private static void assertBothInstancesAdmitted(List<Outcome> outcomes) {
        assertThat(outcomes.stream().filter(Outcome::admitted).map(outcome -> outcome.call()
                        .instance()))
                .contains(0, 1);
    }

    /** The load: mostly many tenants with the free plan; each key goes to both instances. */
    private static Call call(int number, boolean outage) {
        int instance = number % 2;
        int index = number / 2;
        int kind = index % 16;
        int key = index / 16 % 40;
        return switch (kind) {
            case 0 -> new Call("203.0.113." + (100 + key), true, 1, instance, false);
            case 1 -> new Call("acme", false, 1, instance, false);
            case 2 -> new Call("tenant" + key, false, 5, instance, false);
            case 3, 4, 5, 6, 7, 8 ->
                outage
                        ? new Call("outage" + key, false, 1, instance, true)
                        : new Call("tenant" + key, false, 1, instance, false);
            default -> new Call("tenant" + key, false, 1, instance, false);
        };
    }

    private static long limit(Call call) {
        if (call.login()) {
            return LOGINS;
        }
        return call.key().equals("acme") ? PAID : FREE;
    }

    private static long windowNanos(Call call) {
        return (call.login() ? LOGIN_WINDOW : WINDOW).toNanos();
    }
}
