package io.headgate.redis.limits.internal.inflight;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.limits.Attributes;
import io.headgate.limits.Hold;
import io.headgate.limits.HoldTicket;
import io.headgate.limits.HoldTickets;
import io.headgate.limits.InFlightLimiter;
import io.headgate.limits.InFlightPolicy;
import io.headgate.limits.LimiterException;
import io.headgate.limits.PermitRequest;
import io.headgate.redis.limits.Engines;
import io.headgate.redis.limits.RedisLimitEngine;
import io.headgate.testkit.Await;
import io.headgate.testkit.Leftovers;
import io.headgate.testkit.RedisProbe;
import io.headgate.testkit.RedisServer;
import io.headgate.testkit.faults.FaultProxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** In-flight limits on a real Redis are shared by engines, and survive failures. */
@Timeout(60)
class RedisInFlightIT {

    private static final RedisServer REDIS = RedisServer.startOwn();
    private static final Duration LONG = Duration.ofSeconds(20);
    private static final Attributes ALICE = Attributes.of(Attributes.USER, "alice");
    private static final Attributes BOB = Attributes.of(Attributes.USER, "bob");

    private final RedisProbe probe = RedisProbe.of(REDIS.url());
    private final FaultProxy proxy = FaultProxy.before(REDIS.url());
    private final RedisLimitEngine proxied = connect(proxy.url());
    private final RedisLimitEngine direct = connect(REDIS.url());

    private static RedisLimitEngine connect(String url) {
        return Engines.builder(Engines.settings(url).withTimeout(Duration.ofSeconds(10)))
                .build();
    }

    private static InFlightPolicy oneRule(long permits, Duration lease) {
        return InFlightPolicy.named("exports")
                .rule("limit", permits, Attributes.KEY)
                .lease(lease)
                .build();
    }

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
        proxied.close();
        direct.close();
        proxy.close();
        Leftovers.in(REDIS.url(), "*").requireNone();
        probe.close();
    }

    @Test
    void engines_share_the_held_permits() {
        InFlightLimiter one = proxied.inFlight("exports", 2);
        InFlightLimiter other = direct.inFlight("exports", 2);
        Hold first = one.tryAcquire("a");
        Hold second = other.tryAcquire("a");
        assertThat(List.of(first, second)).allMatch(Hold::allowed);
        assertThat(one.tryAcquire("a").deniedBy()).isPresent();
        assertThat(other.peek("a").rule("limit").held()).isEqualTo(2);
        assertThat(second.release()).isTrue();
        assertThat(one.tryAcquire("a").allowed()).isTrue();
    }

    @Test
    void a_ticket_is_valid_in_any_engine_and_after_its_own_engine_is_closed() {
        InFlightPolicy policy = InFlightPolicy.named("exports")
                .rule("global", 2)
                .rule("per-user", 1, Attributes.USER)
                .atMost(Duration.ofMinutes(1))
                .build();
        HoldTicket ticket = proxied.inFlight(policy)
                .async()
                .tickets()
                .tryAcquire(PermitRequest.of(ALICE), Duration.ofSeconds(30))
                .toCompletableFuture()
                .join()
                .ticket()
                .orElseThrow();
        proxied.close();
        InFlightLimiter other = direct.inFlight(policy);
        HoldTickets tickets = other.async().tickets();
        assertThat(other.tryAcquire(PermitRequest.of(ALICE)).denied()).isTrue();
        assertThat(tickets.renew(ticket, ALICE, Duration.ofHours(1))
                        .toCompletableFuture()
                        .join())
                .isTrue();
        assertThat(other.peek(PermitRequest.of(ALICE))
                        .rule("per-user")
                        .nextExpiry()
                        .orElseThrow())
                .isBetween(Duration.ofSeconds(31), Duration.ofMinutes(1));
        assertThat(tickets.release(ticket, ALICE).toCompletableFuture().join()).isTrue();
        assertThat(tickets.renew(ticket, ALICE, Duration.ofHours(1))
                        .toCompletableFuture()
                        .join())
                .isFalse();
        assertThat(other.tryAcquire(PermitRequest.of(ALICE)).allowed()).isTrue();
    }

    @Test
    void a_decision_about_several_rules_is_one_call_and_takes_permits_of_all_or_none() {
        InFlightLimiter several = proxied.inFlight(InFlightPolicy.named("several")
                .rule("global", 3)
                .rule("per-user", 2, Attributes.USER)
                .build());
        several.peek(PermitRequest.of(ALICE));
        long before = proxy.commandsSeen("EVALSHA");
        assertThat(several.tryAcquire(PermitRequest.of(ALICE).withPermits(2)).allowed())
                .isTrue();
        assertThat(several.tryAcquire(PermitRequest.of(BOB).withPermits(2)).deniedBy())
                .hasValue(several.policy().rule("global"));
        assertThat(several.tryAcquire(PermitRequest.of(ALICE)).deniedBy())
                .hasValue(several.policy().rule("per-user"));
        assertThat(proxy.commandsSeen("EVALSHA") - before).isEqualTo(3);
        assertThat(probe.command("ZCARD", "hg:if:{several}:global:")).isEqualTo(2L);
        assertThat(probe.command("ZCARD", "hg:if:{several}:per-user:alice")).isEqualTo(2L);
        assertThat(probe.command("EXISTS", "hg:if:{several}:per-user:bob")).isEqualTo(0L);
    }

    @Test
    void a_key_outlives_its_leases_by_at_least_a_minute_and_is_gone_when_nothing_is_held() {
        Hold hold = proxied.inFlight(oneRule(2, Duration.ofSeconds(30))).tryAcquire("a");
        long millis = (Long) Objects.requireNonNull(probe.command("PTTL", "hg:if:{exports}:limit:a"));
        assertThat(millis).isBetween(90_000L, 170_000L);
        assertThat(hold.release()).isTrue();
        assertThat(probe.command("EXISTS", "hg:if:{exports}:limit:a")).isEqualTo(0L);
    }

    @Test
    void a_shorter_lease_of_one_instance_does_not_end_the_key_of_a_longer_one() {
        assertThat(proxied.inFlight(oneRule(2, Duration.ofHours(1)))
                        .tryAcquire("a")
                        .allowed())
                .isTrue();
        assertThat(direct.inFlight(oneRule(2, Duration.ofSeconds(1)))
                        .tryAcquire("a")
                        .allowed())
                .isTrue();
        long millis = (Long) Objects.requireNonNull(probe.command("PTTL", "hg:if:{exports}:limit:a"));
        assertThat(millis).isGreaterThan(Duration.ofHours(1).toMillis());
    }

    @Test
    void a_waiter_is_notified_of_a_release_by_another_engine() throws Exception {
        InFlightLimiter one = proxied.inFlight("exports", 1);
        Hold held = direct.inFlight("exports", 1).tryAcquire("a");
        CompletableFuture<Hold> waiting = one.async().acquire("a", LONG).toCompletableFuture();
        Await.until("a subscription", LONG, () -> String.valueOf(probe.command("PUBSUB", "CHANNELS"))
                .contains("hg:if:{exports}"));
        // Messages in another format are ignored.
        for (String odd : List.of("", "x", "x 1", "x y hg:if:{exports}:limit:a", "x 9999999 hg:if:{exports}:limit:a")) {
            probe.command("PUBLISH", "hg:if:{exports}", odd);
        }
        held.close();
        assertThat(waiting.get(20, TimeUnit.SECONDS).allowed()).isTrue();
    }

    @Test
    void a_waiter_is_served_even_without_a_message() throws Exception {
        InFlightLimiter one = proxied.inFlight("exports", 1);
        Hold held = direct.inFlight("exports", 1).tryAcquire("a");
        CompletableFuture<Hold> waiting = one.async().acquire("a", LONG).toCompletableFuture();
        Await.until("a subscription", LONG, () -> String.valueOf(probe.command("PUBSUB", "CHANNELS"))
                .contains("hg:if:{exports}"));
        // As an administrator may do, without a message on the channel.
        assertThat(probe.command("DEL", "hg:if:{exports}:limit:a")).isEqualTo(1L);
        assertThat(waiting.get(20, TimeUnit.SECONDS).allowed()).isTrue();
        assertThat(held.release()).isFalse();
        assertThat(one.peek("a").rule("limit").held()).isEqualTo(1);
    }

    @Test
    void a_hold_whose_reply_is_lost_is_released() {
        InFlightLimiter one = proxied.inFlight(oneRule(1, Duration.ofHours(1)));
        one.tryAcquire("a").release();
        proxy.cutNextReplyTo("EVALSHA");
        assertThatThrownBy(() -> one.tryAcquire("a"))
                .isInstanceOfSatisfying(LimiterException.class, failure -> assertThat(failure.mayBeCharged())
                        .isTrue())
                .hasMessageContaining("permits may have been taken");
        Await.until("the permit to be free", LONG, () -> heldInRedis() == 0);
    }

    @Test
    void a_hold_that_arrives_after_its_request_was_cancelled_is_released() {
        InFlightLimiter one = proxied.inFlight(oneRule(1, Duration.ofHours(1)));
        one.peek("a");
        proxy.holdReplies();
        CompletableFuture<Hold> pending = one.async().tryAcquire("a").toCompletableFuture();
        Await.until("it to be taken", LONG, () -> heldInRedis() == 1);
        assertThat(pending.cancel(true)).isTrue();
        proxy.resume();
        Await.until("the release", LONG, () -> heldInRedis() == 0);
    }

    @Test
    void a_hold_that_arrives_after_its_caller_was_interrupted_is_released() throws Exception {
        InFlightLimiter one = proxied.inFlight(oneRule(1, Duration.ofHours(1)));
        one.peek("a");
        proxy.holdReplies();
        CompletableFuture<Throwable> thrown = new CompletableFuture<>();
        Thread caller = new Thread(() -> {
            try {
                one.tryAcquire("a").close();
            } catch (RuntimeException e) {
                thrown.complete(e);
            }
        });
        caller.start();
        Await.until("it to be taken", LONG, () -> heldInRedis() == 1);
        caller.interrupt();
        assertThat(thrown.get(20, TimeUnit.SECONDS))
                .isInstanceOf(LimiterException.class)
                .hasMessageContaining("interrupted; permits may have been taken");
        proxy.resume();
        Await.until("the release", LONG, () -> heldInRedis() == 0);
    }

    @Test
    void a_release_by_an_interrupted_thread_takes_effect() {
        InFlightLimiter two = proxied.inFlight(oneRule(2, Duration.ofHours(1)));
        Hold kept = two.tryAcquire("a");
        Hold byTicket = two.async()
                .tickets()
                .tryAcquire(PermitRequest.of(Attributes.of(Attributes.KEY, "a")), Duration.ofHours(1))
                .toCompletableFuture()
                .join();
        for (Hold hold : List.of(kept, byTicket)) {
            Thread.currentThread().interrupt();
            assertThatThrownBy(hold::release)
                    .isInstanceOf(LimiterException.class)
                    .hasMessageContaining("interrupted");
            assertThat(Thread.interrupted()).isTrue();
        }
        Await.until("both releases", LONG, () -> heldInRedis() == 0);
    }

    @Test
    void a_hold_whose_renewals_have_no_replies_is_lost_and_ends_in_redis_too() {
        Hold hold = proxied.inFlight(oneRule(1, Duration.ofSeconds(1))).tryAcquire("a");
        proxy.holdReplies();
        Await.until("it to be lost", LONG, hold::isLost);
        assertThat(hold.releaseAsync()).isCompletedWithValue(false);
        Await.until("its permit to be free", LONG, () -> heldInRedis() == 0);
        proxy.resume();
    }

    private long heldInRedis() {
        return direct.inFlight("exports", 1).peek("a").rule("limit").held();
    }

    @Test
    void a_release_that_could_not_be_sent_is_sent_later() {
        InFlightLimiter one = proxied.inFlight(oneRule(1, Duration.ofHours(1)));
        Hold hold = one.tryAcquire("a");
        proxy.refuseConnections();
        proxy.cutAll();
        hold.close();
        assertThatThrownBy(hold::release).isInstanceOf(LimiterException.class);
        proxy.acceptConnections();
        Await.until("the permit to be free", LONG, () -> heldInRedis() == 0);
    }

    @Test
    void a_connection_that_breaks_for_less_than_the_lease_loses_no_hold() {
        Hold hold = proxied.inFlight(oneRule(1, Duration.ofSeconds(5))).tryAcquire("a");
        for (int round = 0; round < 2; round++) {
            long calls = proxy.commandsSeen("EVALSHA");
            proxy.cutNextReplyTo("EVALSHA");
            proxy.awaitCut(LONG);
            proxy.awaitCommands("EVALSHA", calls + 2, LONG);
        }
        assertThat(hold.isLost()).isFalse();
        assertThat(hold.release()).isTrue();
    }

    @Test
    void after_redis_lost_its_data_the_holders_are_notified() throws Exception {
        CompletableFuture<String> lost = new CompletableFuture<>();
        Hold hold = proxied.inFlight(oneRule(1, Duration.ofSeconds(1))).tryAcquire("a");
        hold.onLost(() -> lost.complete("lost"));
        probe.flushAll();
        assertThat(lost.get(20, TimeUnit.SECONDS)).isEqualTo("lost");
        assertThat(hold.isLost()).isTrue();
        assertThat(hold.release()).isFalse();
    }

    @Test
    void after_a_script_flush_no_hold_is_lost() {
        InFlightLimiter one = proxied.inFlight(oneRule(2, Duration.ofSeconds(1)));
        Hold first = one.tryAcquire("a");
        probe.command("SCRIPT", "FLUSH");
        Hold second = one.tryAcquire("a");
        assertThat(second.allowed()).isTrue();
        proxy.awaitCommands("EVAL", 1, LONG);
        probe.command("SCRIPT", "FLUSH");
        assertThat(first.release()).isTrue();
        assertThat(one.peek("a").rule("limit").held()).isEqualTo(1);
        probe.command("SCRIPT", "FLUSH");
        assertThat(one.reset("a")).isTrue();
        assertThat(one.reset("a")).isFalse();
    }

    @Test
    void a_foreign_value_causes_an_error_and_takes_no_permit() {
        InFlightLimiter several = proxied.inFlight(InFlightPolicy.named("several")
                .rule("per-user", 2, Attributes.USER)
                .rule("global", 3)
                .lease(Duration.ofSeconds(1))
                .build());
        Hold before = several.tryAcquire(PermitRequest.of(BOB));
        Hold other = proxied.inFlight(oneRule(1, Duration.ofSeconds(1))).tryAcquire("a");
        probe.command("SET", "hg:if:{several}:global:", "mine", "EX", "100");
        assertThatThrownBy(() -> several.tryAcquire(PermitRequest.of(ALICE)))
                .isInstanceOfSatisfying(LimiterException.class, failure -> assertThat(failure.mayBeCharged())
                        .isFalse())
                .hasMessageContaining("Headgate did not store; no permit was taken");
        assertThatThrownBy(() -> several.peek(PermitRequest.of(ALICE))).isInstanceOf(LimiterException.class);
        assertThatThrownBy(() -> several.resetRule("global", ALICE)).isInstanceOf(LimiterException.class);
        assertThat(probe.command("EXISTS", "hg:if:{several}:per-user:alice")).isEqualTo(0L);
        // The holder has lost its hold, and others are not affected.
        Await.until("the notification of the holder", LONG, before::isLost);
        assertThat(probe.command("GET", "hg:if:{several}:global:")).isEqualTo("mine");
        assertThat(other.release()).isTrue();
    }

    @Test
    void closing_an_engine_releases_its_holds() {
        InFlightLimiter one = proxied.inFlight("exports", 100_000);
        List<CompletableFuture<Hold>> pending = LongStream.rangeClosed(1, 50)
                .mapToObj(i -> one.async()
                        .tryAcquire(PermitRequest.of("user " + i % 5).withPermits(i))
                        .toCompletableFuture())
                .toList();
        assertThat(pending).allMatch(hold -> hold.join().allowed());
        // 1 + 6 + 11 + ... + 46 permits.
        assertThat(probe.command("ZCARD", "hg:if:{exports}:limit:user%201")).isEqualTo(235L);
        proxied.close();
        assertThat(probe.command("KEYS", "*")).isEqualTo(List.of());
    }

    @Test
    void many_holds_are_renewed_in_few_calls() {
        InFlightLimiter one = proxied.inFlight(oneRule(100_000, Duration.ofSeconds(5)));
        List<CompletableFuture<Hold>> pending = new ArrayList<>();
        for (int i = 0; i < 1200; i++) {
            pending.add(one.async().tryAcquire("user " + i % 400).toCompletableFuture());
        }
        CompletableFuture.allOf(pending.toArray(CompletableFuture[]::new)).join();
        long taken = zadds();
        long calls = proxy.commandsSeen("EVALSHA");
        Await.until("all to be renewed", LONG, () -> zadds() >= taken + 1200);
        // Three batches, and perhaps some of the next round.
        assertThat(proxy.commandsSeen("EVALSHA") - calls).isBetween(3L, 6L);
        assertThat(pending).noneMatch(hold -> hold.join().isLost());
    }

    private long zadds() {
        return probe.commandCalls().getOrDefault("ZADD", 0L);
    }
}
