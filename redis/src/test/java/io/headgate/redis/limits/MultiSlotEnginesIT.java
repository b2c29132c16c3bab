package io.headgate.redis.limits;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.Fallback;
import io.headgate.limits.Limit;
import io.headgate.limits.Limiter;
import io.headgate.limits.PermitRequest;
import io.headgate.limits.Policy;
import io.headgate.limits.RequestId;
import io.headgate.limits.Rule;
import io.headgate.limits.TokenBucket;
import io.headgate.testkit.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Engines that decide each rule by a separate call, as on a Cluster, with leases, waits, fallbacks and request ids. */
class MultiSlotEnginesIT {

    @RegisterExtension
    final OwnRedis redis = new OwnRedis();

    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration LONG = Duration.ofSeconds(20);
    private static final int REQUESTS = 3000;

    private static final Policy POLICY = Policy.named("p")
            .rule("global", Limit.slidingWindow(600, HOUR))
            .rule("per-user", Limit.fixedWindow(90, HOUR).fromFirstRequest(), Attributes.USER)
            .rule("per-ip", Limit.tokenBucket(200, 1, Duration.ofDays(1)), Attributes.IP)
            .rule("both", Limit.slidingWindow(50, HOUR), Attributes.USER, Attributes.IP)
            .build();

    private static Attributes who(int user, int ip) {
        return Attributes.of(Attributes.USER, "user-" + user).with(Attributes.IP, "192.0.2." + ip);
    }

    private record Admitted(Attributes who, long permits) {}

    /** Every seventh request has an id and is sent twice concurrently; it counts once. */
    @RepeatedTest(3)
    void under_concurrency_no_rule_exceeds_its_limit_and_each_counts_the_admitted_permits() {
        Random random = new Random();
        try (RedisLimitEngine one = engine().build();
                RedisLimitEngine other = engine().maxCachedDenials(0).build()) {
            List<Limiter> limiters = List.of(one.limiter(POLICY), other.limiter(POLICY));
            Map<Object, Admitted> admitted = new ConcurrentHashMap<>();
            List<CompletableFuture<?>> pending = new ArrayList<>();
            for (int i = 0; i < REQUESTS; i++) {
                Attributes who = who(random.nextInt(9), random.nextInt(5));
                long permits = 1L + random.nextInt(3);
                boolean hasId = i % 7 == 0;
                Object request = hasId ? RequestId.of("request " + i) : i;
                for (int times = hasId ? 2 : 1; times > 0; times--) {
                    Limiter limiter = limiters.get(random.nextInt(2));
                    pending.add((request instanceof RequestId id
                                    ? limiter.async()
                                            .tryAcquire(PermitRequest.of(who)
                                                    .withPermits(permits)
                                                    .withId(id))
                                    : limiter.async()
                                            .tryAcquire(PermitRequest.of(who).withPermits(permits)))
                            .thenAccept(decision -> {
                                if (decision.allowed()) {
                                    admitted.put(request, new Admitted(who, permits));
                                }
                            })
                            .toCompletableFuture());
                }
                if (i % 200 == 0) {
                    pending.get(pending.size() - 1).join();
                }
            }
            CompletableFuture.allOf(pending.toArray(CompletableFuture[]::new)).join();
            awaitNoneInFlight(one, other);
            assertThat(admitted).hasSizeGreaterThan(50);
            for (int user = 0; user < 9; user++) {
                for (int ip = 0; ip < 5; ip++) {
                    assertCounted(
                            limiters.get(0).peek(PermitRequest.of(who(user, ip))),
                            who(user, ip),
                            List.copyOf(admitted.values()));
                }
            }
        }
    }

    private static void assertCounted(Decision counts, Attributes who, List<Admitted> admitted) {
        for (var state : counts.rules()) {
            Rule rule = state.rule();
            long permits = admitted.stream()
                    .filter(one -> one.who().idsOf(rule).equals(who.idsOf(rule)))
                    .mapToLong(Admitted::permits)
                    .sum();
            assertThat(permits).as("%s for %s", rule.name(), who).isLessThanOrEqualTo(state.limit());
            // A bucket refunds fewer permits than were charged, since it may have refilled some since: here a part of a
            // permit.
            assertThat(state.limit() - state.remaining())
                    .as("%s for %s", rule.name(), who)
                    .isBetween(permits, rule.limit() instanceof TokenBucket ? permits + 1 : permits);
        }
    }

    private static void awaitNoneInFlight(RedisLimitEngine... engines) {
        for (RedisLimitEngine engine : engines) {
            Await.until("nothing in flight", LONG, () -> engine.callsInFlight() == 0);
        }
    }

    private static final Policy TWO = Policy.named("two")
            .rule("global", Limit.slidingWindow(2, HOUR))
            .rule("per-user", Limit.fixedWindow(1, HOUR).fromFirstRequest(), Attributes.USER)
            .build();

    private static Attributes user(String name) {
        return Attributes.of(Attributes.USER, name);
    }

    @Test
    void a_waiting_caller_is_woken_by_the_refund_of_the_charge_that_denied_it() {
        try (RedisLimitEngine limits = engine(redis.proxy.url()).build()) {
            Limiter limiter = limits.limiter(TWO);
            assertThat(limiter.tryAcquire(PermitRequest.of(user("bob"))).allowed())
                    .isTrue();
            assertThat(limits.limiter(TWO).peek(PermitRequest.of(user("bob"))).denied())
                    .isTrue();
            redis.proxy.holdReplies();
            var bob = limiter.async().tryAcquire(PermitRequest.of(user("bob"))).toCompletableFuture();
            var alice = limiter.async()
                    .acquire(PermitRequest.of(user("alice")), Duration.ofHours(2))
                    .toCompletableFuture();
            redis.proxy.releaseReplies();
            assertThat(bob.join().deniedBy()).contains("per-user");
            assertThat(alice.join().allowed()).isTrue();
        }
    }

    @Test
    void waiting_callers_do_not_wake_each_other_endlessly_by_refunds_of_their_reservations() {
        Policy many = Policy.named("many")
                .rule("global", Limit.slidingWindow(100, HOUR))
                .rule("per-user", Limit.fixedWindow(1, HOUR).fromFirstRequest(), Attributes.USER)
                .build();
        try (RedisLimitEngine limits =
                engine(redis.proxy.url()).maxCachedDenials(0).build()) {
            Limiter limiter = limits.limiter(many);
            IntStream.range(0, 20).forEach(i -> limiter.tryAcquire(PermitRequest.of(user("user-" + i))));
            long before = redis.proxy.commandsSeen("EVALSHA");
            List<CompletableFuture<Decision>> waiting = IntStream.range(0, 20)
                    .mapToObj(i -> limiter.async()
                            .acquire(PermitRequest.of(user("user-" + i)), Duration.ofHours(2))
                            .toCompletableFuture())
                    .toList();
            awaitNoneInFlight(limits);
            // For each request two calls to reserve and one to refund, perhaps repeated once.
            assertThat(redis.proxy.commandsSeen("EVALSHA") - before).isBetween(60L, 120L);
            waiting.forEach(one -> one.cancel(false));
        }
    }

    @Test
    void a_late_admission_is_refunded_when_its_caller_has_received_a_denial() {
        Policy plain = Policy.named("closed")
                .rule("global", Limit.slidingWindow(100, HOUR))
                .rule("per-user", Limit.fixedWindow(5, HOUR).fromFirstRequest(), Attributes.USER)
                .build();
        Policy closed = Policy.named("closed")
                .rule(plain.rule("global"))
                .rule(plain.rule("per-user"))
                .fallback(Fallback.closed().within(Duration.ofMillis(50)))
                .build();
        try (RedisLimitEngine limits = engine(redis.proxy.url()).build();
                RedisLimitEngine direct = engine().build()) {
            Limiter limiter = limits.limiter(closed);
            Limiter counts = direct.limiter(plain);
            counts.tryAcquire(PermitRequest.of(user("alice")));
            // The first calls may take longer than the time budget.
            for (Decision.Basis basis = null; basis != Decision.Basis.COUNTED; ) {
                basis = limiter.tryAcquire(PermitRequest.of(user("bob"))).basis();
                limiter.resetRule("per-user", user("bob"));
            }
            redis.proxy.holdReplies();
            // Both are sent before one fails: after some failures the engine stops calling Redis.
            var late = limiter.async().tryAcquire(PermitRequest.of(user("alice")));
            var lateWithId =
                    limiter.async().tryAcquire(PermitRequest.of(user("alice")).withId(RequestId.of("late")));
            assertThat(late.toCompletableFuture().join().basis()).isEqualTo(Decision.Basis.CLOSED);
            assertThat(lateWithId.toCompletableFuture().join().basis()).isEqualTo(Decision.Basis.CLOSED);
            Await.until("both charged", LONG, () -> usedByAlice(counts) == 3);
            redis.proxy.releaseReplies();
            Await.until("both refunded", LONG, () -> usedByAlice(counts) == 1);
            assertThat(counts.tryAcquire(PermitRequest.of(user("alice")).withId(RequestId.of("late")))
                            .allowed())
                    .isTrue();
            assertThat(usedByAlice(counts)).isEqualTo(2);
        }
    }

    /** The permits of alice that the rule per-user counts. */
    private static long usedByAlice(Limiter limiter) {
        return 5 - limiter.peek(PermitRequest.of(user("alice"))).rules().get(1).remaining();
    }

    @Test
    void a_lease_of_several_rules_is_charged_to_all_and_refunded_to_all() {
        Policy leased = Policy.named("leased")
                .rule("global", Limit.slidingWindow(10_000, HOUR))
                .rule("per-user", Limit.tokenBucket(5_000, 1, HOUR), Attributes.USER)
                .leased(Duration.ofSeconds(30))
                .build();
        long spent = 0;
        try (RedisLimitEngine limits = engine().build()) {
            Limiter limiter = limits.limiter(leased);
            boolean isLeased = false;
            while (!isLeased) {
                Decision decision = limiter.tryAcquire(PermitRequest.of(user("alice")));
                assertThat(decision.allowed()).isTrue();
                spent++;
                isLeased = decision.basis() == Decision.Basis.LEASED;
            }
        }
        try (RedisLimitEngine limits = engine().build()) {
            Decision counts = limits.limiter(leased).peek(PermitRequest.of(user("alice")));
            assertThat(10_000 - counts.rules().get(0).remaining()).isEqualTo(spent);
            // The bucket refunds fewer permits than were leased, since it may have refilled some since: here up to two.
            assertThat(5_000 - counts.rules().get(1).remaining()).isBetween(spent, spent + 2);
        }
    }

    @Test
    void the_record_of_a_request_id_is_in_the_slot_of_the_only_rule() {
        try (RedisLimitEngine limits = engine().build()) {
            Policy one = Policy.named("one")
                    .rule("per-user", Limit.fixedWindow(5, HOUR), Attributes.USER)
                    .build();
            limits.limiter(one).tryAcquire(PermitRequest.of(user("a")).withId(RequestId.of("x")));
            assertThat(redis.probe.command("EXISTS", "hg:id:{hg:fw:one:per-user:a}:x"))
                    .isEqualTo(1L);
        }
    }

    private RedisLimitEngine.Builder engine() {
        return engine(redis.url());
    }

    private static RedisLimitEngine.Builder engine(String url) {
        return Engines.builder(url).oneSlotACall();
    }
}
