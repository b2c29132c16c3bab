package io.headgate.redis.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.limits.AsyncLimiter;
import io.headgate.limits.Attributes;
import io.headgate.limits.Colocation;
import io.headgate.limits.Decision;
import io.headgate.limits.Limit;
import io.headgate.limits.Limiter;
import io.headgate.limits.LimiterException;
import io.headgate.limits.Policy;
import io.headgate.limits.RequestId;
import io.headgate.testkit.Await;
import io.headgate.testkit.RedisCluster;
import io.headgate.testkit.RedisProbe;
import io.headgate.testkit.RedisServer;
import io.headgate.testkit.SlotMove;
import io.lettuce.core.cluster.RedisClusterClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Limits on a real Cluster: exact over several engines, also while slots move. */
@Timeout(120)
class ClusterLimitsIT {

    private static final Duration LONG = Duration.ofSeconds(20);
    private static final Duration HOUR = Duration.ofHours(1);

    private static RedisCluster cluster;

    private final ExecutorService threads = Executors.newCachedThreadPool();

    @BeforeAll
    static void start() {
        cluster = RedisCluster.start();
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    @AfterEach
    void end() throws InterruptedException {
        threads.shutdown();
        assertThat(threads.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
    }

    private static RedisLimits limits() {
        return Engines.builder().url(cluster.url() + "?timeout=20s").timeout(LONG).build();
    }

    @Test
    void a_limit_of_many_keys_is_exact_over_several_engines_and_all_masters() throws Exception {
        try (RedisLimits one = limits();
                RedisLimits other = limits()) {
            assertThat(one.description()).isEqualTo(cluster.url());
            List<Limiter> limiters = new ArrayList<>();
            for (RedisLimits engine : List.of(one, other)) {
                limiters.add(engine.limiter("many", Limit.slidingWindow(10, HOUR)));
            }
            AtomicLong allowed = new AtomicLong();
            List<Future<?>> asking = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                Limiter limiter = limiters.get(i % 2);
                asking.add(threads.submit(() -> {
                    for (int request = 0; request < 1_000; request++) {
                        if (limiter.tryAcquire("user" + request % 100).allowed()) {
                            allowed.incrementAndGet();
                        }
                    }
                }));
            }
            for (Future<?> each : asking) {
                each.get();
            }
            assertThat(allowed).hasValue(1_000);
            for (RedisServer master : cluster.masters()) {
                try (RedisProbe probe = RedisProbe.of(master.url())) {
                    assertThat(probe.commandCalls().get("EVALSHA")).isGreaterThan(10L);
                }
            }
            assertThat(one.callsUnderWay()).isZero();
            assertThat(one.requestsUnderWay()).isZero();
        }
    }

    @Test
    void requests_of_many_slots_at_once_are_each_decided_and_those_of_one_key_in_their_order() {
        try (RedisLimits limits = limits()) {
            AsyncLimiter limiter =
                    limits.limiter("at-once", Limit.slidingWindow(50, HOUR)).async();
            List<CompletableFuture<Decision>> decisions = new ArrayList<>();
            for (int i = 0; i < 6_000; i++) {
                decisions.add(limiter.tryAcquire("user" + i % 100).toCompletableFuture());
            }
            for (int i = 0; i < decisions.size(); i++) {
                assertThat(decisions.get(i).join().allowed())
                        .as("request %s", i)
                        .isEqualTo(i < 5_000);
            }
        }
    }

    @Test
    void a_policy_of_several_rules_in_one_slot_charges_all_or_none_and_refunds() {
        try (RedisLimits limits = limits()) {
            Policy policy = Policy.named("both")
                    .colocate(Colocation.POLICY)
                    .rule("per-user", Limit.slidingWindow(5, HOUR), "user")
                    .rule("per-team", Limit.tokenBucket(8, 8, HOUR), "team")
                    .build();
            Limiter limiter = limits.limiter(policy);
            Attributes alice = Attributes.of(Map.of("user", "alice", "team", "red"));
            Attributes bob = Attributes.of(Map.of("user", "bob", "team", "red"));
            Decision five = limiter.tryAcquire(alice, 5);
            assertThat(five.allowed()).isTrue();
            assertThat(limiter.tryAcquire(bob, 4).allowed()).isFalse();
            assertThat(limiter.tryAcquire(bob, 3).allowed()).isTrue();
            assertThat(limiter.tryAcquire(alice, 1, RequestId.of("same")).allowed())
                    .isFalse();
            limiter.refund(alice, five);
            assertThat(limiter.tryAcquire(bob, 2).allowed()).isTrue();
        }
    }

    @Test
    void a_policy_whose_keys_are_in_several_slots_is_refused_when_it_is_made() {
        try (RedisLimits limits = limits()) {
            assertThatThrownBy(() -> limits.limiter(Policy.named("spread")
                            .rule("per-user", Limit.slidingWindow(5, HOUR), "user")
                            .rule("per-team", Limit.slidingWindow(5, HOUR), "team")
                            .build()))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("give policy \"spread\" colocation POLICY");
        }
    }

    @Test
    void a_plain_url_of_a_node_says_which_url_to_give() {
        RedisServer other = cluster.masters().stream()
                .filter(master -> !master.equals(cluster.masterOf("hg:sw:plain:limit:alice")))
                .findFirst()
                .orElseThrow();
        try (RedisLimits limits = Engines.builder().url(other.url()).build()) {
            assertThatThrownBy(() -> limits.limiter("plain", Limit.slidingWindow(5, HOUR))
                            .tryAcquire("alice"))
                    .isInstanceOf(LimiterException.class)
                    .hasMessageContaining("MOVED")
                    .hasMessageContaining("give redis-cluster://host:port instead");
        }
        try (RedisServer single = RedisServer.startOwn()) {
            assertThatThrownBy(() -> RedisLimits.connect(single.url().replace("redis:", "redis-cluster:")))
                    .isInstanceOf(LimiterException.class)
                    .hasMessageContaining("this is no Cluster: give redis://host:port");
        }
    }

    @Test
    void an_applications_own_client_of_the_cluster_serves_and_stays_open() {
        RedisClusterClient own =
                RedisClusterClient.create(cluster.masters().get(0).url());
        try {
            try (RedisLimits limits =
                    Engines.builder().client(own).timeout(LONG).build()) {
                Limiter limiter = limits.limiter("own", Limit.slidingWindow(5, HOUR));
                for (int i = 0; i < 30; i++) {
                    assertThat(limiter.tryAcquire("user" + i).allowed()).isTrue();
                }
            }
            assertThat(own.connect().sync().ping()).isEqualTo("PONG");
        } finally {
            own.shutdown(Duration.ZERO, Duration.ofSeconds(2));
        }
    }

    @Test
    void while_a_slot_moves_under_traffic_no_request_fails_and_the_limit_holds() throws Exception {
        String key = "hg:sw:moving:limit:alice";
        int slot = cluster.slotOf(key);
        RedisServer from = cluster.masterOf(slot);
        RedisServer to = cluster.masters().stream()
                .filter(master -> !master.equals(from))
                .findFirst()
                .orElseThrow();
        try (RedisLimits one = limits();
                RedisLimits other = limits()) {
            AtomicBoolean stopped = new AtomicBoolean();
            AtomicLong allowed = new AtomicLong();
            AtomicLong asked = new AtomicLong();
            List<Future<?>> asking = new ArrayList<>();
            for (RedisLimits engine : List.of(one, other, one, other)) {
                Limiter limiter = engine.limiter("moving", Limit.slidingWindow(1_000_000, HOUR));
                asking.add(threads.submit(() -> {
                    while (!stopped.get()) {
                        allowed.addAndGet(limiter.tryAcquire("alice").allowed() ? 1 : 0);
                        asked.incrementAndGet();
                    }
                }));
            }
            for (RedisServer target : List.of(to, from, to)) {
                awaitMore(asked);
                SlotMove move = cluster.beginMove(slot, target);
                awaitMore(asked);
                move.moveKeys(1_000);
                // By ASK only.
                awaitMore(asked);
                move.finish();
                awaitMore(asked);
            }
            stopped.set(true);
            for (Future<?> each : asking) {
                each.get();
            }
            Decision last =
                    one.limiter("moving", Limit.slidingWindow(1_000_000, HOUR)).tryAcquire("alice");
            assertThat(1_000_000 - last.remaining()).isEqualTo(allowed.get() + 1);
            assertThat(allowed).hasValue(asked.get());
        }
    }

    private static void awaitMore(AtomicLong asked) {
        long before = asked.get();
        Await.until("more requests", LONG, () -> asked.get() > before + 50);
    }
}
