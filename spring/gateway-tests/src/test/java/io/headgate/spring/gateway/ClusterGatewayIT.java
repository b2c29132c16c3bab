package io.headgate.spring.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.testkit.Await;
import io.headgate.testkit.RedisCluster;
import io.headgate.testkit.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.cloud.gateway.filter.ratelimit.KeyResolver;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.data.redis.core.StringRedisTemplate;
import reactor.core.publisher.Mono;

/** Two gateways on a real Cluster count the concurrent requests of their routes exactly, by both filters. */
@Timeout(240)
class ClusterGatewayIT {

    private static final int PERMITS = 12;
    private static final int PERMITS_OF_ALL = 50;
    private static final int REQUESTS = 30;
    private static final List<String> USERS =
            IntStream.range(0, 9).mapToObj(i -> "user" + i).toList();
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private static final Upstream UPSTREAM = new Upstream();
    private static final ExecutorService CLIENTS = Executors.newFixedThreadPool(24);

    private static RedisCluster cluster;
    private static List<RunningGateway> gateways;

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(NettyServer.class)
    static class Application {

        @Bean
        KeyResolver userKey() {
            return exchange -> Mono.justOrEmpty(exchange.getRequest().getHeaders().getFirst("X-User"));
        }
    }

    @BeforeAll
    static void start() {
        // No replica takes over, and so no count is lost, if a node is slow.
        cluster = RedisCluster.start("--cluster-node-timeout", "600000");
        gateways = List.of(startGateway(), startGateway());
    }

    private static RunningGateway startGateway() {
        return RunningGateway.start(
                Application.class,
                WebApplicationType.REACTIVE,
                RunningGateway.read("cluster.yaml", UPSTREAM),
                "spring.data.redis.cluster.nodes: "
                        + cluster.nodes().stream()
                                .map(node -> "127.0.0.1:" + node.port())
                                .collect(Collectors.joining(",")));
    }

    @AfterAll
    static void stop() {
        CLIENTS.shutdownNow();
        gateways.forEach(RunningGateway::close);
        cluster.close();
        UPSTREAM.close();
    }

    /**
     * Sends requests concurrently to both gateways, those of one user after those of another, so that both the users and all together reach
     * their limits. Returns how many of each user's were admitted.
     */
    private static Map<String, Integer> admitted(String path, List<String> users, int requests) throws Exception {
        List<Callable<String>> calls = new ArrayList<>();
        for (String user : users) {
            for (int i = 0; i < requests; i++) {
                RunningGateway gateway = gateways.get(i % gateways.size());
                calls.add(() -> isAdmitted(gateway, path, user) ? user : "");
            }
        }
        Map<String, Integer> counts = new TreeMap<>();
        for (Future<String> call : CLIENTS.invokeAll(calls)) {
            String user = call.get();
            if (!user.isEmpty()) {
                counts.merge(user, 1, Integer::sum);
            }
        }
        return counts;
    }

    private static boolean isAdmitted(RunningGateway gateway, String path, String user) {
        int status = gateway.get(path, "X-User", user).statusCode();
        assertThat(status).isIn(200, 429);
        return status == 200;
    }

    private static int sum(Map<String, Integer> counts) {
        return counts.values().stream().mapToInt(Integer::intValue).sum();
    }

    private static Set<String> keys(String pattern) {
        return Objects.requireNonNull(
                gateways.get(0).context.getBean(StringRedisTemplate.class).keys(pattern));
    }

    private static Set<String> keys(String route, String user) {
        return keys("c:*" + (route.equals("filter") ? ":twelve:" : ":gateway.limiter:") + "*:" + user);
    }

    @ParameterizedTest
    @ValueSource(strings = {"filter", "limiter"})
    void each_user_has_exactly_the_permits_of_the_limit(String route) throws Exception {
        Map<String, Integer> admitted = admitted("/" + route, USERS, REQUESTS);

        assertThat(admitted).hasSameSizeAs(USERS).allSatisfy((user, count) -> assertThat(count)
                .as(user)
                .isEqualTo(PERMITS));
        assertThat(UPSTREAM.calls("/" + route)).isEqualTo(USERS.size() * PERMITS);
        Set<String> keys = keys(route, "user[0-9]");
        assertThat(keys).hasSameSizeAs(USERS);
        assertThat(keys.stream().map(cluster::masterOf)).containsAll(cluster.masters());
    }

    @ParameterizedTest
    @ValueSource(strings = {"filter", "limiter"})
    void counts_continue_when_a_slot_moves_and_a_replica_takes_over(String route) throws Exception {
        List<String> user = List.of("moving");
        int third = PERMITS / 3;
        assertThat(sum(admitted("/" + route, user, third))).isEqualTo(third);
        Set<String> keys = keys(route, "moving");
        assertThat(keys).hasSize(1);
        int slot = cluster.slotOf(keys.iterator().next());
        RedisServer before = cluster.masterOf(slot);

        cluster.moveSlot(slot, cluster.masters().stream().filter(node -> node != before).findFirst().orElseThrow());
        assertThat(cluster.masterOf(slot)).isNotSameAs(before);
        assertThat(sum(admitted("/" + route, user, third))).isEqualTo(third);

        cluster.failOver(slot);
        assertThat(sum(admitted("/" + route, user, REQUESTS))).isEqualTo(PERMITS - 2 * third);
    }

    @Test
    void all_rules_of_a_colocated_policy_are_counted_exactly() throws Exception {
        Map<String, Integer> admitted = admitted("/colocated", USERS, REQUESTS);

        assertThat(admitted.values()).allMatch(count -> count <= PERMITS);
        assertThat(sum(admitted)).isEqualTo(PERMITS_OF_ALL);
        assertThat(UPSTREAM.calls("/colocated")).isEqualTo(PERMITS_OF_ALL);
        Set<String> keys = keys("c:*colocated*:*");
        assertThat(keys).hasSizeGreaterThan(PERMITS_OF_ALL / PERMITS);
        assertThat(keys.stream().map(cluster::slotOf).distinct()).hasSize(1);
    }

    /** While a denied request waits for its refunds, others may be denied, too; then they are admitted. */
    @Test
    void rules_in_different_slots_admit_no_more_and_in_the_end_no_less() throws Exception {
        Map<String, Integer> admitted = admitted("/spread", USERS, REQUESTS);

        assertThat(sum(admitted)).isLessThanOrEqualTo(PERMITS_OF_ALL);
        Await.until("all permits to be used", PATIENCE, () -> {
            for (String user : USERS) {
                admitted.merge(user, isAdmitted(gateways.get(0), "/spread", user) ? 1 : 0, Integer::sum);
            }
            return sum(admitted) >= PERMITS_OF_ALL;
        });
        assertThat(sum(admitted)).isEqualTo(PERMITS_OF_ALL);
        assertThat(sum(admitted("/spread", USERS, 3))).isZero();
        assertThat(admitted.values()).allMatch(count -> count <= PERMITS);
        assertThat(UPSTREAM.calls("/spread")).isEqualTo(PERMITS_OF_ALL);
    }
}
