package io.headgate.redis.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.limits.AsyncLimiter;
import io.headgate.limits.Attributes;
import io.headgate.limits.Colocation;
import io.headgate.limits.Decision;
import io.headgate.limits.Health;
import io.headgate.limits.Limit;
import io.headgate.limits.Limiter;
import io.headgate.limits.LimiterException;
import io.headgate.limits.PermitRequest;
import io.headgate.limits.Policy;
import io.headgate.limits.RequestId;
import io.headgate.limits.Rule;
import io.headgate.limits.bans.BanRule;
import io.headgate.limits.combined.CombinedDecision;
import io.headgate.limits.combined.CombinedRequest;
import io.headgate.redis.RedisSettings;
import io.headgate.testkit.Await;
import io.headgate.testkit.RedisCluster;
import io.headgate.testkit.RedisProbe;
import io.headgate.testkit.RedisServer;
import io.headgate.testkit.SlotMove;
import io.headgate.testkit.TlsFiles;
import io.headgate.testkit.TlsRedis;
import io.headgate.testkit.conditions.ServerVersionSensitive;
import io.headgate.testkit.faults.FaultProxy;
import io.lettuce.core.cluster.RedisClusterClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Limits on a real Cluster: exact over several engines, also while slots move. */
@Timeout(300)
class ClusterLimitsIT {

    private static final Duration LONG = Duration.ofSeconds(60);
    private static final Duration HOUR = Duration.ofHours(1);

    private static RedisCluster cluster;

    private final ExecutorService threads = Executors.newCachedThreadPool();

    @BeforeAll
    static void start() {
        // So that a slow machine does not cause a failover.
        cluster = RedisCluster.start("--cluster-node-timeout", "20000");
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

    private static RedisLimitEngine limits() {
        return Engines.builder(cluster.url() + "?timeout=20s").build();
    }

    @Test
    void with_every_colocation_overrides_apply_and_each_concurrent_request_is_decided_by_its_own_limit() {
        try (RedisLimitEngine limits = limits()) {
            for (Colocation colocation : Colocation.values()) {
                Limiter limiter = limits.limiter(Policy.named("overrides-" + colocation)
                        .colocate(colocation)
                        .rule("per-user", Limit.slidingWindow(5, HOUR), Attributes.USER)
                        .override("per-user", Attributes.of("plan", "gold"), Limit.slidingWindow(10, HOUR))
                        .build());
                Map<Long, List<CompletableFuture<Decision>>> byLimit = new HashMap<>();
                for (int i = 0; i < 400; i++) {
                    Attributes user = Attributes.of("user", "user-" + i % 20);
                    boolean gold = i % 2 == 0;
                    byLimit.computeIfAbsent(gold ? 10L : 5L, any -> new ArrayList<>())
                            .add(limiter.async()
                                    .tryAcquire(PermitRequest.of(gold ? user.with("plan", "gold") : user))
                                    .toCompletableFuture());
                }
                byLimit.forEach((limit, decisions) -> {
                    assertThat(decisions).allMatch(one -> one.join().limit() == limit);
                    assertThat(decisions.stream().filter(one -> one.join().allowed()))
                            .hasSize((int) (10 * limit));
                });
                Decision refundable = limiter.tryAcquire(
                        PermitRequest.of(Attributes.of("user", "bob").with("plan", "gold"))
                                .withPermits(9));
                assertThat(limiter.refund("bob", refundable)).isEqualTo(9);
            }
        }
    }

    @Test
    void a_rule_bans_in_any_slot_after_exactly_that_many_denials() {
        try (RedisLimitEngine limits = limits();
                RedisLimitEngine other = limits()) {
            for (Colocation colocation : Colocation.values()) {
                Policy policy = Policy.named("bans-" + colocation)
                        .colocate(colocation)
                        .rule("global", Limit.slidingWindow(1000, HOUR))
                        .rule(Rule.of("per-user", Limit.tokenBucket(1, 1, HOUR), Attributes.USER)
                                .banning(BanRule.after(5, HOUR).lasting(HOUR)))
                        .build();
                for (int user = 0; user < 20; user++) {
                    String id = "user-" + user;
                    List<Decision.Basis> bases = Stream.of(limits, other, limits, other, limits, other, limits)
                            .map(engine -> engine.limiter(policy).tryAcquire(id).basis())
                            .toList();
                    assertThat(bases.subList(0, 5)).as(id).containsOnly(Decision.Basis.COUNTED);
                    assertThat(bases.subList(5, 7)).as(id).containsOnly(Decision.Basis.BANNED);
                    assertThat(limits.limiter(policy).reset(id)).isTrue();
                }
            }
        }
    }

    @Test
    void several_policies_charge_all_or_none_in_any_slots() {
        try (RedisLimitEngine limits = limits()) {
            Limiter spread = limits.limiter(Policy.named("combined-spread")
                    .rule("a", Limit.fixedWindow(100, HOUR), Attributes.USER)
                    .rule("b", Limit.tokenBucket(100, 1, HOUR), Attributes.USER)
                    .build());
            Limiter colocated = limits.limiter(Policy.named("combined-colocated")
                    .colocate(Colocation.POLICY)
                    .rule("a", Limit.slidingWindow(2, HOUR), Attributes.USER)
                    .rule("b", Limit.slidingCounter(100, HOUR), Attributes.USER)
                    .build());
            for (int i = 0; i < 10; i++) {
                String user = "user-" + i;
                CombinedRequest request = CombinedRequest.of(
                                spread, PermitRequest.of(user).withPermits(3))
                        .and(colocated, user);
                CombinedDecision first = limits.tryAcquire(request);
                assertThat(limits.tryAcquire(request).allowed()).isTrue();
                CombinedDecision denied = limits.tryAcquire(request);
                assertThat(denied.decisive().policyName()).isEqualTo("combined-colocated");
                assertThat(denied.decisions().get(0).rules()).allMatch(rule -> rule.remaining() == 94);
                assertThat(spread.peek(user).rules()).allMatch(rule -> rule.remaining() == 94);
                assertThat(colocated.peek(user).decisive().orElseThrow().remaining())
                        .isZero();
                assertThat(limits.refund(request, first)).isEqualTo(3);
                assertThat(limits.tryAcquire(request).allowed()).isTrue();
            }
        }
    }

    @Test
    void parts_whose_keys_are_in_one_slot_are_decided_by_one_call() {
        try (RedisLimitEngine limits = limits()) {
            Limiter colocated = limits.limiter(Policy.named("combined-one-slot")
                    .colocate(Colocation.POLICY)
                    .rule("a", Limit.slidingWindow(2, HOUR), Attributes.USER)
                    .rule("b", Limit.slidingWindow(9, HOUR), Attributes.USER)
                    .build());
            CombinedRequest request = CombinedRequest.of(colocated, "alice").and(colocated, "bob");
            assertThat(limits.tryAcquire(request).allowed()).isTrue();
            long before = scriptCalls();
            CombinedDecision second = limits.tryAcquire(request);
            assertThat(scriptCalls() - before).isEqualTo(1);
            assertThat(second.decisions().get(0).decidedAt())
                    .isEqualTo(second.decisions().get(1).decidedAt());
        }
    }

    private static long scriptCalls() {
        long calls = 0;
        for (RedisServer master : cluster.masters()) {
            try (RedisProbe probe = RedisProbe.of(master.url())) {
                calls += probe.commandCalls().getOrDefault("EVALSHA", 0L);
            }
        }
        return calls;
    }

    /** The record of a refund is in the slot of the refunded key; otherwise Redis would reject the script. */
    @Test
    void a_decision_is_refunded_once_in_any_slots() {
        List<Policy> policies = List.of(
                Policy.named("refund-one")
                        .rule("a", Limit.fixedWindow(100, HOUR), Attributes.USER)
                        .build(),
                Policy.named("refund-spread")
                        .rule("a", Limit.fixedWindow(100, HOUR), Attributes.USER)
                        .rule("b", Limit.tokenBucket(100, 1, HOUR), Attributes.USER)
                        .build(),
                Policy.named("refund-colocated")
                        .colocate(Colocation.POLICY)
                        .rule("a", Limit.fixedWindow(100, HOUR), Attributes.USER)
                        .rule("b", Limit.tokenBucket(100, 1, HOUR), Attributes.USER)
                        .build());
        try (RedisLimitEngine one = limits();
                RedisLimitEngine other = limits()) {
            for (Policy policy : policies) {
                for (int i = 0; i < 10; i++) {
                    Attributes who = Attributes.of(Attributes.USER, "user-" + i);
                    Decision decision =
                            one.limiter(policy).tryAcquire(PermitRequest.of(who).withPermits(3));
                    one.limiter(policy).tryAcquire(PermitRequest.of(who).withPermits(3));
                    assertThat(other.limiter(policy).refund(who, decision)).isEqualTo(3);
                    assertThat(one.limiter(policy).refund(who, decision)).isZero();
                    assertThat(one.limiter(policy).peek(PermitRequest.of(who)).rules())
                            .allMatch(rule -> rule.remaining() == 97);
                }
            }
        }
    }

    @Test
    void a_limit_of_many_keys_is_exact_over_several_engines_and_all_masters() throws Exception {
        try (RedisLimitEngine one = limits();
                RedisLimitEngine other = limits()) {
            assertThat(one.description()).isEqualTo(cluster.url());
            List<Limiter> limiters = new ArrayList<>();
            for (RedisLimitEngine engine : List.of(one, other)) {
                limiters.add(engine.limiter("many", Limit.slidingWindow(10, HOUR)));
            }
            AtomicLong allowed = new AtomicLong();
            List<Future<?>> tasks = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                Limiter limiter = limiters.get(i % 2);
                tasks.add(threads.submit(() -> {
                    for (int request = 0; request < 1_000; request++) {
                        if (limiter.tryAcquire("user" + request % 100).allowed()) {
                            allowed.incrementAndGet();
                        }
                    }
                }));
            }
            for (Future<?> each : tasks) {
                each.get();
            }
            assertThat(allowed).hasValue(1_000);
            for (RedisServer master : cluster.masters()) {
                try (RedisProbe probe = RedisProbe.of(master.url())) {
                    assertThat(probe.commandCalls().get("EVALSHA")).isGreaterThan(10L);
                }
            }
            assertThat(one.callsInFlight()).isZero();
            assertThat(one.requestsInFlight()).isZero();
        }
    }

    @Test
    void concurrent_requests_to_many_slots_are_decided_in_order_for_each_key() {
        try (RedisLimitEngine limits = limits()) {
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
        try (RedisLimitEngine limits = limits()) {
            Policy policy = Policy.named("both")
                    .colocate(Colocation.POLICY)
                    .rule("per-user", Limit.slidingWindow(5, HOUR), "user")
                    .rule("per-team", Limit.tokenBucket(8, 8, HOUR), "team")
                    .build();
            Limiter limiter = limits.limiter(policy);
            Attributes alice = Attributes.of(Map.of("user", "alice", "team", "red"));
            Attributes bob = Attributes.of(Map.of("user", "bob", "team", "red"));
            Decision five = limiter.tryAcquire(PermitRequest.of(alice).withPermits(5));
            assertThat(five.allowed()).isTrue();
            assertThat(limiter.tryAcquire(PermitRequest.of(bob).withPermits(4)).allowed())
                    .isFalse();
            assertThat(limiter.tryAcquire(PermitRequest.of(bob).withPermits(3)).allowed())
                    .isTrue();
            // The record of the id is in the same slot, too; otherwise Redis would reject the call.
            assertThat(limiter.tryAcquire(PermitRequest.of(alice).withId(RequestId.of("same")))
                            .allowed())
                    .isFalse();
            limiter.refund(alice, five);
            assertThat(limiter.tryAcquire(PermitRequest.of(bob).withPermits(2)).allowed())
                    .isTrue();
        }
    }

    @Test
    void a_policy_whose_keys_are_in_several_slots_charges_all_or_refunds() {
        Policy spread = Policy.named("spread")
                .rule("per-user", Limit.slidingWindow(5, HOUR), "user")
                .rule("per-team", Limit.tokenBucket(8, 8, HOUR), "team")
                .build();
        assertThat(cluster.masterOf("hg:sw:spread:per-user:alice"))
                .isNotEqualTo(cluster.masterOf("hg:tb:spread:per-team:green"));
        try (RedisLimitEngine limits = limits()) {
            Limiter limiter = limits.limiter(spread);
            Attributes alice = Attributes.of(Map.of("user", "alice", "team", "green"));
            Attributes bob = Attributes.of(Map.of("user", "bob", "team", "green"));
            RequestId id = RequestId.of("same");
            Decision five =
                    limiter.tryAcquire(PermitRequest.of(alice).withPermits(5).withId(id));
            assertThat(five.allowed()).isTrue();
            assertThat(limiter.tryAcquire(PermitRequest.of(alice).withPermits(5).withId(id))
                            .allowed())
                    .isTrue();
            assertThat(limiter.tryAcquire(PermitRequest.of(bob).withPermits(4)).deniedBy())
                    .hasValue("per-team");
            // The charge to bob's own rule is refunded, so all of its permits are available.
            Await.until(
                    "the refund",
                    LONG,
                    () -> limiter.peek(PermitRequest.of(bob)).rules().get(0).remaining() == 5);
            assertThat(limiter.tryAcquire(PermitRequest.of(bob).withPermits(3)).allowed())
                    .isTrue();
            assertThat(limiter.refund(alice, five)).isEqualTo(5);
            assertThat(limiter.tryAcquire(PermitRequest.of(bob).withPermits(2)).allowed())
                    .isTrue();
        }
    }

    @Test
    @ServerVersionSensitive
    void a_call_of_several_keys_waits_until_its_slot_has_moved() {
        Policy policy = Policy.named("moving")
                .colocate(Colocation.POLICY)
                .rule("per-user", Limit.slidingWindow(5, HOUR), "user")
                .rule("per-team", Limit.slidingWindow(8, HOUR), "team")
                .build();
        int slot = cluster.slotOf("hg:sw:{moving}:per-user:alice");
        RedisServer from = cluster.masterOf(slot);
        RedisServer to = anotherMaster(from);
        try (RedisLimitEngine limits = limits();
                RedisProbe target = RedisProbe.of(to.url())) {
            Limiter limiter = limits.limiter(policy);
            SlotMove move = cluster.beginMove(slot, to);
            long before = tryAgainReplies(target);
            CompletableFuture<Decision> decision = limiter.async()
                    .tryAcquire(PermitRequest.of(Attributes.of(Map.of("user", "alice", "team", "red"))))
                    .toCompletableFuture();
            // More such replies than the redirects that a call may follow.
            Await.until("calls that have to wait", LONG, () -> tryAgainReplies(target) - before > 8);
            move.finish();
            assertThat(decision.join().allowed()).isTrue();
        }
    }

    private static long tryAgainReplies(RedisProbe probe) {
        String count = probe.info("errorstats").getOrDefault("errorstat_TRYAGAIN", "count=0");
        return Long.parseLong(count.substring("count=".length()));
    }

    @Test
    void rules_in_several_slots_never_admit_too_much_and_refund_the_reservations_of_denied_requests() {
        Policy spread = Policy.named("spread-crowd")
                .rule("per-user", Limit.slidingWindow(30, HOUR), "user")
                .rule("per-team", Limit.slidingWindow(100, HOUR), "team")
                .build();
        try (RedisLimitEngine one = limits();
                RedisLimitEngine other = limits()) {
            List<Limiter> limiters = List.of(one.limiter(spread), other.limiter(spread));
            List<CompletableFuture<Decision>> decisions = new ArrayList<>();
            for (int i = 0; i < 1_000; i++) {
                Attributes member = Attributes.of(Map.of("user", "user" + i % 10, "team", "red"));
                decisions.add(limiters.get(i / 10 % 2)
                        .async()
                        .tryAcquire(PermitRequest.of(member))
                        .toCompletableFuture());
            }
            long[] ofUser = new long[10];
            for (int i = 0; i < decisions.size(); i++) {
                ofUser[i % 10] += decisions.get(i).join().charged();
            }
            assertThat(LongStream.of(ofUser).sum()).isBetween(1L, 100L);
            for (int i = 0; i < ofUser.length; i++) {
                Attributes member = Attributes.of(Map.of("user", "user" + i, "team", "red"));
                long remaining = 30 - ofUser[i];
                Await.until(
                        "the refunds to user " + i,
                        LONG,
                        () -> limiters.get(0)
                                        .peek(PermitRequest.of(member))
                                        .rules()
                                        .get(0)
                                        .remaining()
                                == remaining);
            }
        }
    }

    @Test
    void a_url_of_the_wrong_kind_fails_with_the_url_to_use() {
        RedisServer other = anotherMaster(cluster.masterOf("hg:sw:plain:limit:alice"));
        try (RedisLimitEngine limits = Engines.builder(other.url()).build()) {
            assertThatThrownBy(() -> limits.limiter("plain", Limit.slidingWindow(5, HOUR))
                            .tryAcquire("alice"))
                    .isInstanceOf(LimiterException.class)
                    .hasMessageContaining("MOVED")
                    .hasMessageContaining("give redis-cluster://host:port instead");
        }
        try (RedisServer single = RedisServer.startOwn()) {
            assertThatThrownBy(() -> RedisLimitEngine.connect(single.url().replace("redis:", "redis-cluster:")))
                    .isInstanceOf(LimiterException.class)
                    .hasMessageContaining("this Redis is not a Cluster: use redis://host:port");
        }
    }

    @Test
    void an_engine_that_starts_without_its_cluster_uses_it_when_it_is_reachable() {
        try (FaultProxy proxy = FaultProxy.before(cluster.masterOf(0).url())) {
            proxy.refuseConnections();
            String url = proxy.url().replace("redis:", "redis-cluster:");
            try (RedisLimitEngine engine =
                    RedisLimitEngine.connect(RedisSettings.of(url).withTimeout(LONG))) {
                Limiter limiter = engine.limiter("late", Limit.slidingWindow(5, HOUR));
                assertThat(engine.health()).isEqualTo(Health.DEGRADED);
                assertThat(limiter.tryAcquire("alice").basis()).isEqualTo(Decision.Basis.LOCAL_SHARE);
                proxy.resume();
                Await.until("healthy", LONG, () -> engine.health() == Health.HEALTHY);
                Await.until("charged", LONG, () -> limiter.peek("alice").remaining() == 4);
            }
            proxy.refuseConnections();
            assertThatThrownBy(() -> Engines.builder(url).build())
                    .isInstanceOf(LimiterException.class)
                    .hasMessageContaining("can't connect");
        }
    }

    @Test
    void the_cluster_client_of_the_application_is_used_and_stays_open() {
        RedisClusterClient own =
                RedisClusterClient.create(cluster.masters().get(0).url());
        try {
            try (RedisLimitEngine limits =
                    Engines.builder(RedisSettings.of(own).withTimeout(LONG)).build()) {
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
    @ServerVersionSensitive
    void the_documented_rights_are_enough_and_a_missing_right_is_reported() throws Exception {
        String line = Files.readString(Path.of("../docs/connecting.md"))
                .lines()
                .map(String::trim)
                .filter(text -> text.startsWith("ACL SETUSER headgate "))
                .findFirst()
                .orElseThrow()
                // Only newer versions have these commands.
                .replace(" +client|setinfo", "")
                .replace(" +waitaof", "");
        String url = cluster.url().replace("//", "//headgate:password@") + "?timeout=20s";
        onAllNodes((line + " +asking +cluster|slots").split(" "));
        try (RedisLimitEngine limits = Engines.builder(url).build()) {
            Limiter limiter = limits.limiter("rights", Limit.slidingWindow(1_000, HOUR));
            String key = "hg:sw:rights:limit:alice";
            RedisServer from = cluster.masterOf(key);
            SlotMove move = cluster.beginMove(cluster.slotOf(key), anotherMaster(from));
            assertThat(limiter.tryAcquire("alice").allowed()).isTrue();
            move.finish();
            assertThat(limiter.tryAcquire("alice").remaining()).isEqualTo(998);
        }
        onAllNodes("ACL", "SETUSER", "headgate", "-cluster");
        assertThatThrownBy(() -> Engines.builder(url).build())
                .isInstanceOf(LimiterException.class)
                .hasMessageContaining("NOPERM")
                .hasMessageNotContaining("password@");
    }

    private static void onAllNodes(String... command) {
        for (RedisServer node : cluster.nodes()) {
            try (RedisProbe probe = RedisProbe.of(node.url())) {
                probe.command(command);
            }
        }
    }

    private static RedisServer anotherMaster(RedisServer one) {
        return cluster.masters().stream()
                .filter(master -> !master.equals(one))
                .findFirst()
                .orElseThrow();
    }

    @Test
    @ServerVersionSensitive
    void over_tls_the_nodes_are_reached_at_their_tls_ports(@TempDir Path folder) {
        TlsFiles files = TlsFiles.in(folder);
        try (TlsRedis node = TlsRedis.start(
                        files,
                        files.identity("server", "127.0.0.1"),
                        "--cluster-enabled",
                        "yes",
                        "--tls-cluster",
                        "yes");
                RedisProbe probe = RedisProbe.of(node.server().url())) {
            // Redis 6.2 has no ADDSLOTSRANGE.
            probe.command(Stream.concat(
                            Stream.of("CLUSTER", "ADDSLOTS"),
                            IntStream.range(0, RedisCluster.SLOTS).mapToObj(String::valueOf))
                    .toArray(String[]::new));
            Await.until("it to serve", LONG, () -> String.valueOf(probe.command("CLUSTER", "INFO"))
                    .contains("cluster_state:ok"));
            String url = node.tlsUrl().replace("rediss://", "rediss-cluster://");
            try (RedisLimitEngine limits = Engines.builder(
                            Engines.settings(url + "?timeout=20s").withTrustedCertificates(files.authority()))
                    .build()) {
                assertThat(limits.description()).isEqualTo(url);
                assertThat(limits.limiter("tls", Limit.slidingWindow(5, HOUR))
                                .tryAcquire("alice")
                                .allowed())
                        .isTrue();
            }
            assertThatThrownBy(() -> RedisLimitEngine.connect(url)).isInstanceOf(LimiterException.class);
        }
    }

    @Test
    @ServerVersionSensitive
    void while_a_slot_moves_under_traffic_no_request_fails_and_each_is_charged_once() throws Exception {
        String key = "hg:sw:moving:limit:alice";
        int slot = cluster.slotOf(key);
        RedisServer from = cluster.masterOf(slot);
        RedisServer to = anotherMaster(from);
        try (RedisLimitEngine one = limits();
                RedisLimitEngine other = limits()) {
            AtomicBoolean stopped = new AtomicBoolean();
            AtomicLong allowed = new AtomicLong();
            AtomicLong requestCount = new AtomicLong();
            List<Future<?>> tasks = new ArrayList<>();
            for (RedisLimitEngine engine : List.of(one, other, one, other)) {
                Limiter limiter = engine.limiter("moving", Limit.slidingWindow(1_000_000, HOUR));
                tasks.add(threads.submit(() -> {
                    while (!stopped.get()) {
                        allowed.addAndGet(limiter.tryAcquire("alice").allowed() ? 1 : 0);
                        requestCount.incrementAndGet();
                    }
                }));
            }
            for (RedisServer target : List.of(to, from, to)) {
                awaitMore(requestCount);
                SlotMove move = cluster.beginMove(slot, target);
                awaitMore(requestCount);
                move.moveKeys(1_000);
                // Now only an ASK redirect leads to the key.
                awaitMore(requestCount);
                move.finish();
                awaitMore(requestCount);
            }
            stopped.set(true);
            for (Future<?> each : tasks) {
                each.get();
            }
            Decision last =
                    one.limiter("moving", Limit.slidingWindow(1_000_000, HOUR)).tryAcquire("alice");
            assertThat(1_000_000 - last.remaining()).isEqualTo(allowed.get() + 1);
            assertThat(allowed).hasValue(requestCount.get());
        }
    }

    @Test
    void while_a_master_hangs_every_request_is_decided_and_redis_is_used_again_when_it_answers() {
        int permits = 1_000;
        String key = "hangs:sw:hanging:limit:user2";
        try (RedisLimitEngine limits = RedisLimitEngine.connect(RedisSettings.of(cluster.url() + "?timeout=20s")
                .withKeyPrefix("hangs")
                .withTimeout(Duration.ofMillis(500)))) {
            Limiter limiter = limits.limiter("hanging", Limit.slidingWindow(permits, HOUR));
            Map<String, Long> allowed = new HashMap<>();
            Set<Decision.Basis> bases = EnumSet.noneOf(Decision.Basis.class);
            RedisServer master = cluster.masterOf(key);
            master.pause();
            try {
                for (int i = 0; i < 200; i++) {
                    String user = "user" + i % 20;
                    Decision decision = limiter.tryAcquire(user);
                    bases.add(decision.basis());
                    allowed.merge(user, decision.allowed() ? 1L : 0, Long::sum);
                }
                while (limits.health() != Health.DEGRADED) {
                    allowed.merge("user2", limiter.tryAcquire("user2").allowed() ? 1L : 0, Long::sum);
                }
            } finally {
                master.resume();
            }
            assertThat(bases).contains(Decision.Basis.LOCAL_SHARE);
            // It made more requests than the other users.
            allowed.remove("user2");
            assertThat(allowed.values()).containsOnly(10L);
            Await.until("healthy", LONG, () -> limits.health() == Health.HEALTHY);
            List<Object> probed = new ArrayList<>();
            for (RedisServer each : cluster.masters()) {
                try (RedisProbe probe = RedisProbe.of(each.url())) {
                    probed.addAll((List<?>) Objects.requireNonNull(probe.command("KEYS", "hangs:probe*")));
                }
            }
            // The engine probes another master, too, if that one has replied late.
            assertThat(probed).anyMatch(one -> cluster.masterOf((String) one).equals(master));
            // A request whose reply came after its timeout may be charged twice, but none is lost.
            allowed.forEach((user, charged) -> Await.until(
                    "all of " + user, LONG, () -> permits - limiter.peek(user).remaining() >= charged));
        }
    }

    private static void awaitMore(AtomicLong requestCount) {
        long before = requestCount.get();
        Await.until("more requests", LONG, () -> requestCount.get() > before + 50);
    }
}
