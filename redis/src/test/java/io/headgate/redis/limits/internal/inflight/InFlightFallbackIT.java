package io.headgate.redis.limits.internal.inflight;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.Fallback;
import io.headgate.limits.Health;
import io.headgate.limits.Hold;
import io.headgate.limits.HoldTicket;
import io.headgate.limits.HoldTickets;
import io.headgate.limits.InFlight;
import io.headgate.limits.InFlightLimiter;
import io.headgate.limits.InFlightPolicy;
import io.headgate.limits.InFlightRule;
import io.headgate.limits.LimitListener;
import io.headgate.limits.LimiterException;
import io.headgate.limits.PermitRequest;
import io.headgate.redis.RedisSettings;
import io.headgate.redis.limits.Engines;
import io.headgate.redis.limits.RedisLimitEngine;
import io.headgate.testkit.Await;
import io.headgate.testkit.Leftovers;
import io.headgate.testkit.RedisProbe;
import io.headgate.testkit.RedisServer;
import io.headgate.testkit.faults.FaultProxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** In-flight limits during an outage of Redis, and after it. */
@Timeout(120)
class InFlightFallbackIT {

    private static final RedisServer REDIS = RedisServer.startOwn();
    private static final Duration LONG = Duration.ofSeconds(60);

    /** Enough for a reply on a busy machine. */
    private static final Duration BUDGET = Duration.ofMillis(250);

    private static final Duration LEASE = Duration.ofSeconds(3);
    private static final Attributes ALICE = Attributes.of(Attributes.USER, "alice");

    private final RedisProbe probe = RedisProbe.of(REDIS.url());
    private final FaultProxy proxy = FaultProxy.before(REDIS.url());
    /** The engine under test, which connects through the proxy. */
    private final RedisLimitEngine proxied = RedisLimitEngine.builder(
                    RedisSettings.of(proxy.url()).withTimeout(Duration.ofSeconds(2)))
            .fallback(Fallback.local().within(BUDGET))
            .build();

    /** An engine that bypasses the proxy, with a timeout that is never reached. */
    private final RedisLimitEngine direct = Engines.builder(
                    Engines.settings(REDIS.url()).withTimeout(Duration.ofSeconds(10)))
            .build();

    @AfterAll
    static void stop() {
        REDIS.close();
    }

    @BeforeEach
    void empty() {
        probe.flushAll();
    }

    @AfterEach
    void close() {
        proxy.resume();
        proxied.close();
        direct.close();
        proxy.close();
        Leftovers.in(REDIS.url(), "*").requireNone();
        probe.close();
    }

    private static InFlightPolicy.Builder exports(long permits) {
        return InFlightPolicy.named("exports").rule("global", permits).lease(LEASE);
    }

    private InFlightLimiter proxied(InFlightPolicy.Builder policy) {
        InFlightLimiter limiter = proxied.inFlight(policy.build());
        // The first request loads scripts and classes, which may take longer than a budget.
        Await.until(
                "an answer in time",
                LONG,
                () -> limiter.peek(PermitRequest.global()).basis() == Decision.Basis.COUNTED);
        Await.until("no other outage", LONG, () -> proxied.health() == Health.HEALTHY);
        return limiter;
    }

    private InFlightLimiter direct(InFlightPolicy.Builder policy) {
        return direct.inFlight(policy.build());
    }

    private long heldInRedis() {
        return direct(exports(1)).peek(PermitRequest.global()).rule("global").held();
    }

    /** Starts an outage, and makes requests until the engine is degraded. */
    private void startOutage() {
        proxy.blackHole();
        InFlightLimiter other = proxied.inFlight("other", 1);
        Await.until("degraded", LONG, () -> {
            other.tryAcquire("somebody").close();
            return proxied.health() == Health.DEGRADED;
        });
    }

    private void endOutage() {
        proxy.resume();
        awaitHealthy();
    }

    private void awaitHealthy() {
        Await.until("healthy", LONG, () -> proxied.health() == Health.HEALTHY);
    }

    private static <T> T await(CompletionStage<T> answer) throws Exception {
        return answer.toCompletableFuture().get(LONG.toSeconds(), TimeUnit.SECONDS);
    }

    private static List<Hold> acquireHolds(InFlightLimiter limiter, int holds) {
        return IntStream.range(0, holds)
                .mapToObj(i -> limiter.tryAcquire(PermitRequest.global()))
                .toList();
    }

    private void awaitExpiryInRedis() {
        Await.until("its lease to end in Redis", LONG, () -> heldInRedis() == 0);
    }

    @Test
    void an_instance_grants_its_local_share_less_its_earlier_holds() {
        InFlightLimiter limiter = proxied(exports(7));
        Hold before = limiter.tryAcquire(PermitRequest.global());
        try (RedisLimitEngine other = RedisLimitEngine.connect(REDIS.url())) {
            other.inFlight(exports(7).build());
            Await.until("the other instance to be counted", LONG, () -> proxied.instances() == 2);
            startOutage();
        }
        List<Hold> inOutage = acquireHolds(limiter, 3);
        assertThat(inOutage).extracting(Hold::allowed).containsExactly(true, true, false);
        InFlight denied = inOutage.get(2).inFlight();
        assertThat(inOutage.get(2).deniedBy()).contains(limiter.policy().rule("global"));
        assertThat(denied.basis()).isEqualTo(Decision.Basis.LOCAL_SHARE);
        assertThat(denied.rule("global").held()).isEqualTo(7);
        assertThat(limiter.peek(PermitRequest.global()).free()).isZero();
        assertThat(before.release()).isTrue();
        assertThat(limiter.peek(PermitRequest.global()).free()).isEqualTo(1);
        assertThat(limiter.tryAcquire(PermitRequest.global()).allowed()).isTrue();
    }

    @Test
    void listeners_receive_the_elapsed_time_if_redis_was_called_and_zero_otherwise() {
        AtomicLong elapsedNanos = new AtomicLong();
        InFlightLimiter limiter = proxied(exports(7));
        proxied.addListener(new LimitListener() {
            @Override
            public void onHold(InFlightPolicy policy, Attributes attributes, long permits, Hold hold, long elapsed) {
                elapsedNanos.set(elapsed);
            }
        });
        startOutage();
        assertThat(limiter.tryAcquire(PermitRequest.global()).allowed()).isTrue();
        assertThat(elapsedNanos).hasValue(0);
        endOutage();
        assertThat(limiter.tryAcquire(PermitRequest.global()).allowed()).isTrue();
        assertThat(elapsedNanos).hasPositiveValue();
        proxy.holdReplies();
        assertThat(limiter.tryAcquire(PermitRequest.global()).inFlight().basis())
                .isEqualTo(Decision.Basis.LOCAL_SHARE);
        assertThat(elapsedNanos).hasValueGreaterThan(BUDGET.toNanos() / 2);
    }

    @Test
    void holds_survive_their_lease_in_an_outage_and_are_restored_in_redis_afterwards() {
        InFlightLimiter limiter = proxied(exports(5));
        Hold before = limiter.tryAcquire(PermitRequest.global());
        startOutage();
        Hold inOutage = limiter.tryAcquire(PermitRequest.global().withPermits(3));
        awaitExpiryInRedis();
        assertThat(before.isLost()).isFalse();
        assertThat(inOutage.isLost()).isFalse();
        endOutage();
        assertThat(heldInRedis()).isEqualTo(4);
        assertThat(limiter.tryAcquire(PermitRequest.global().withPermits(2)).denied())
                .isTrue();
        assertThat(before.release()).isTrue();
        assertThat(inOutage.release()).isTrue();
        Await.until("its permits to be free in Redis", LONG, () -> heldInRedis() == 0);
    }

    @Test
    void a_hold_that_was_acquired_in_an_outage_is_renewed_afterwards() {
        InFlightLimiter limiter = proxied(exports(2));
        startOutage();
        Hold inOutage = limiter.tryAcquire(PermitRequest.global());
        endOutage();
        long before = proxy.commandsSeen("EVALSHA");
        long start = System.nanoTime();
        Await.until("two leases to pass", LONG, () -> {
            assertThat(heldInRedis()).isEqualTo(1);
            return System.nanoTime() - start > 2 * LEASE.toNanos();
        });
        assertThat(proxy.commandsSeen("EVALSHA")).isGreaterThan(before);
        assertThat(inOutage.release()).isTrue();
    }

    @Test
    void after_an_outage_with_too_many_holds_nothing_is_granted_until_enough_are_released() {
        InFlightLimiter limiter = proxied(exports(1));
        Hold mine = limiter.tryAcquire(PermitRequest.global());
        startOutage();
        awaitExpiryInRedis();
        Hold theirs = direct(exports(1)).tryAcquire(PermitRequest.global());
        assertThat(theirs.allowed()).isTrue();
        endOutage();
        assertThat(heldInRedis()).isEqualTo(2);
        assertThat(mine.release()).isTrue();
        assertThat(limiter.tryAcquire(PermitRequest.global()).denied()).isTrue();
        assertThat(theirs.release()).isTrue();
        assertThat(limiter.tryAcquire(PermitRequest.global()).allowed()).isTrue();
    }

    @Test
    void holds_are_restored_in_a_redis_that_lost_its_data_in_an_outage() {
        // The hold is not renewed in this time, so only the outage causes the report to Redis.
        InFlightLimiter limiter = proxied(exports(2).lease(Duration.ofHours(1)));
        Hold before = limiter.tryAcquire(PermitRequest.global());
        startOutage();
        probe.flushAll();
        endOutage();
        assertThat(heldInRedis()).isEqualTo(1);
        assertThat(before.release()).isTrue();
        assertThat(heldInRedis()).isZero();
    }

    @Test
    void a_release_during_an_outage_is_local_immediately_and_reaches_redis_afterwards() {
        InFlightLimiter limiter = proxied(exports(1).lease(Duration.ofHours(1)));
        Hold before = limiter.tryAcquire(PermitRequest.global());
        startOutage();
        assertThat(before.release()).isTrue();
        assertThat(before.release()).isTrue();
        assertThat(limiter.tryAcquire(PermitRequest.global()).release()).isTrue();
        assertThat(heldInRedis()).isEqualTo(1);
        endOutage();
        Await.until("its permit to be free in Redis", LONG, () -> heldInRedis() == 0);
    }

    @Test
    void a_waiter_receives_a_hold_that_is_released_during_an_outage() throws Exception {
        InFlightLimiter limiter = proxied(exports(1));
        Hold before = limiter.tryAcquire(PermitRequest.global());
        startOutage();
        CompletionStage<Hold> waiting = limiter.async().acquire(PermitRequest.global(), Duration.ofMinutes(1));
        before.close();
        Hold served = await(waiting);
        assertThat(served.allowed()).isTrue();
        assertThat(served.inFlight().basis()).isEqualTo(Decision.Basis.LOCAL_SHARE);
    }

    @Test
    void an_open_policy_grants_holds_above_its_limit_and_reports_them_to_redis() {
        InFlightLimiter limiter = proxied(exports(1).fallback(Fallback.open().within(BUDGET)));
        startOutage();
        List<Hold> holds = acquireHolds(limiter, 3);
        assertThat(holds).allMatch(Hold::allowed);
        assertThat(holds.get(2).inFlight().basis()).isEqualTo(Decision.Basis.OPEN);
        assertThat(limiter.peek(PermitRequest.global()).rule("global").held()).isEqualTo(3);
        endOutage();
        assertThat(heldInRedis()).isEqualTo(3);
    }

    @Test
    void a_closed_policy_denies_and_its_holds_are_lost_with_their_leases() {
        InFlightLimiter limiter = proxied(exports(3).fallback(Fallback.closed().within(BUDGET)));
        Hold before = limiter.tryAcquire(PermitRequest.global());
        startOutage();
        Hold denied = limiter.tryAcquire(PermitRequest.global());
        assertThat(denied.denied()).isTrue();
        assertThat(denied.deniedBy()).map(InFlightRule::name).contains("global");
        assertThat(denied.inFlight().basis()).isEqualTo(Decision.Basis.CLOSED);
        assertThat(limiter.peek(PermitRequest.global()).free()).isZero();
        Await.until("it to be lost", LONG, before::isLost);
        endOutage();
        assertThat(limiter.tryAcquire(PermitRequest.global()).allowed()).isTrue();
    }

    @Test
    void a_hold_keeps_the_fallback_of_the_policy_that_granted_it() {
        InFlightLimiter limiter = proxied(exports(3));
        Hold first = limiter.tryAcquire(PermitRequest.global());
        limiter.update(exports(3).fallback(Fallback.closed().within(BUDGET)).build());
        Hold second = limiter.tryAcquire(PermitRequest.global());
        startOutage();
        Await.until("the second to be lost", LONG, second::isLost);
        assertThat(first.isLost()).isFalse();
        endOutage();
        assertThat(heldInRedis()).isEqualTo(1);
        assertThat(first.release()).isTrue();
    }

    @Test
    void without_a_fallback_calls_fail() {
        InFlightLimiter limiter = proxied(exports(3).fallback(Fallback.none()));
        startOutage();
        assertThatThrownBy(() -> limiter.tryAcquire(PermitRequest.global())).isInstanceOf(LimiterException.class);
        assertThatThrownBy(() -> limiter.peek(PermitRequest.global())).isInstanceOf(LimiterException.class);
    }

    @Test
    void a_hold_that_redis_also_granted_late_counts_once() {
        InFlightLimiter limiter = proxied(exports(3));
        proxy.holdReplies();
        Hold hold = limiter.tryAcquire(PermitRequest.global());
        assertThat(hold.allowed()).isTrue();
        assertThat(hold.inFlight().basis()).isEqualTo(Decision.Basis.LOCAL_SHARE);
        proxy.resume();
        awaitHealthy();
        assertThat(heldInRedis()).isEqualTo(1);
        assertThat(hold.release()).isTrue();
        assertThat(heldInRedis()).isZero();
    }

    @Test
    void a_hold_that_redis_granted_too_late_is_released() {
        InFlightLimiter limiter = proxied(
                exports(3).lease(Duration.ofHours(1)).fallback(Fallback.closed().within(BUDGET)));
        proxy.holdReplies();
        long before = proxy.commandsSeen("EVALSHA");
        assertThat(limiter.tryAcquire(PermitRequest.global()).denied()).isTrue();
        Await.until("the acquire", LONG, () -> proxy.commandsSeen("EVALSHA") > before);
        proxy.resume();
        awaitHealthy();
        Await.until("the release", LONG, () -> heldInRedis() == 0);
    }

    @Test
    void a_hold_whose_reply_was_lost_is_released() {
        InFlightLimiter limiter = proxied(
                exports(3).lease(Duration.ofHours(1)).fallback(Fallback.closed().within(BUDGET)));
        proxy.dropReplies();
        long before = proxy.commandsSeen("EVALSHA");
        assertThat(limiter.tryAcquire(PermitRequest.global()).denied()).isTrue();
        Await.until("the acquire", LONG, () -> proxy.commandsSeen("EVALSHA") > before);
        Await.until("the release", LONG, () -> heldInRedis() == 0);
        proxy.cutAll();
    }

    @Test
    void a_hold_whose_request_was_lost_is_stored_in_redis_without_an_outage() {
        InFlightLimiter limiter = proxied(exports(3));
        proxy.dropRequests();
        Hold hold = limiter.tryAcquire(PermitRequest.global());
        assertThat(hold.allowed()).isTrue();
        assertThat(proxied.health().callsRedis()).isTrue();
        proxy.cutAll();
        proxy.resume();
        Await.until("Redis to store it", LONG, () -> heldInRedis() == 1);
        assertThat(hold.release()).isTrue();
    }

    @Test
    void a_ticket_is_renewed_by_any_process_and_counts_in_the_share_of_that_process() throws Exception {
        InFlightPolicy.Builder policy =
                InFlightPolicy.named("exports").rule("global", 2).rule("per-user", 2, Attributes.USER);
        HoldTicket ticket = await(
                        direct(policy).async().tickets().tryAcquire(PermitRequest.of(ALICE), Duration.ofMinutes(1)))
                .ticket()
                .orElseThrow();
        InFlightLimiter limiter = proxied.inFlight(policy.build());
        HoldTickets tickets = limiter.async().tickets();
        startOutage();
        assertThat(limiter.peek(PermitRequest.of(ALICE)).rule("global").held()).isZero();
        assertThat(await(tickets.renew(ticket, ALICE, Duration.ofHours(1)))).isTrue();
        assertThat(limiter.peek(PermitRequest.of(ALICE)).rule("global").held()).isEqualTo(1);
        assertThat(limiter.tryAcquire(PermitRequest.of(ALICE).withPermits(2)).denied())
                .isTrue();
        endOutage();
        assertThat(direct(policy)
                        .peek(PermitRequest.of(ALICE))
                        .rule("per-user")
                        .nextExpiry()
                        .orElseThrow())
                .isGreaterThan(Duration.ofMinutes(30));
        assertThat(await(tickets.release(ticket, ALICE))).isTrue();
    }

    @Test
    void a_ticket_that_was_released_elsewhere_is_not_restored() throws Exception {
        InFlightLimiter limiter = proxied(exports(2));
        HoldTicket ticket = await(limiter.async().tickets().tryAcquire(PermitRequest.global(), Duration.ofHours(1)))
                .ticket()
                .orElseThrow();
        assertThat(await(direct(exports(2)).async().tickets().release(ticket, Attributes.none())))
                .isTrue();
        startOutage();
        endOutage();
        assertThat(limiter.tryAcquire(PermitRequest.global().withPermits(2)).allowed())
                .isTrue();
    }

    @Test
    void a_renewal_in_an_outage_does_not_shorten_a_lease_renewed_elsewhere() throws Exception {
        InFlightLimiter limiter = proxied(exports(2));
        HoldTickets tickets = limiter.async().tickets();
        HoldTicket ticket = await(tickets.tryAcquire(PermitRequest.global(), Duration.ofMinutes(1)))
                .ticket()
                .orElseThrow();
        HoldTickets theirs = direct(exports(2)).async().tickets();
        assertThat(await(theirs.renew(ticket, Attributes.none(), Duration.ofHours(1))))
                .isTrue();
        startOutage();
        assertThat(await(tickets.renew(ticket, Attributes.none(), Duration.ofMinutes(1))))
                .isTrue();
        endOutage();
        Duration left = direct(exports(2))
                .peek(PermitRequest.global())
                .rule("global")
                .nextExpiry()
                .orElseThrow();
        assertThat(left).isGreaterThan(Duration.ofMinutes(30));
        assertThat(await(theirs.release(ticket, Attributes.none()))).isTrue();
    }

    @Test
    void the_renewal_of_a_released_ticket_in_an_outage_stores_nothing_in_redis() throws Exception {
        InFlightPolicy.Builder policy = exports(2);
        HoldTickets theirs = direct(policy).async().tickets();
        HoldTicket ticket =
                await(theirs.tryAcquire(PermitRequest.global(), LEASE)).ticket().orElseThrow();
        assertThat(await(theirs.release(ticket, Attributes.none()))).isTrue();
        InFlightLimiter limiter = proxied(policy);
        HoldTickets tickets = limiter.async().tickets();
        startOutage();
        assertThat(await(tickets.renew(ticket, Attributes.none(), LEASE))).isTrue();
        endOutage();
        Await.until(
                "it to be removed",
                LONG,
                () -> heldInRedis() == 0
                        && limiter.peek(PermitRequest.global()).rule("global").held() == 0);
        assertThat(await(tickets.renew(ticket, Attributes.none(), LEASE))).isFalse();
    }

    @Test
    void a_ticket_that_was_acquired_in_an_outage_is_valid_afterwards() throws Exception {
        InFlightLimiter limiter = proxied(exports(2));
        startOutage();
        HoldTicket ticket = await(limiter.async().tickets().tryAcquire(PermitRequest.global(), Duration.ofMinutes(1)))
                .ticket()
                .orElseThrow();
        endOutage();
        HoldTickets theirs = direct(exports(2)).async().tickets();
        assertThat(await(theirs.renew(ticket, Attributes.none(), Duration.ofMinutes(2))))
                .isTrue();
        assertThat(await(theirs.release(ticket, Attributes.none()))).isTrue();
        assertThat(heldInRedis()).isZero();
    }

    @Test
    void listeners_of_lost_holds_are_not_notified_of_an_outage() {
        InFlightLimiter limiter = proxied(exports(1).lease(Duration.ofSeconds(1)));
        CompletableFuture<Void> lost = new CompletableFuture<>();
        Hold hold = limiter.tryAcquire(PermitRequest.global());
        hold.onLost(() -> lost.complete(null));
        startOutage();
        awaitExpiryInRedis();
        endOutage();
        assertThat(hold.release()).isTrue();
        assertThat(lost).isNotDone();
    }

    @Test
    void an_interrupted_caller_receives_a_hold_and_stays_interrupted() {
        InFlightLimiter limiter = proxied(exports(2));
        for (Runnable trouble : List.<Runnable>of(() -> {}, proxy::holdReplies)) {
            trouble.run();
            Thread.currentThread().interrupt();
            try (Hold hold = limiter.tryAcquire(PermitRequest.global())) {
                assertThat(Thread.interrupted()).isTrue();
                assertThat(hold.allowed()).isTrue();
                Thread.currentThread().interrupt();
                assertThat(limiter.peek(PermitRequest.global()).rule("global").held())
                        .isEqualTo(1);
                assertThat(Thread.interrupted()).isTrue();
            }
        }
    }
}
