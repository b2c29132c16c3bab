package io.headgate.redis.limits.internal.denials;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.Decision.Basis;
import io.headgate.limits.Limit;
import io.headgate.limits.Limiter;
import io.headgate.limits.PermitRequest;
import io.headgate.limits.Policy;
import io.headgate.redis.RedisSettings;
import io.headgate.redis.limits.Engines;
import io.headgate.redis.limits.OwnRedis;
import io.headgate.redis.limits.RedisLimitEngine;
import io.headgate.testkit.Await;
import io.headgate.testkit.ChildJvm;
import io.headgate.testkit.ManualClock;
import io.headgate.testkit.RedisProbe;
import io.headgate.testkit.faults.FaultProxy;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Other instances drop a cached denial after a refund: immediately by an invalidation, or within a second if that is lost. The
 * clock that measures this second is stopped, unless a test advances it.
 */
@Timeout(120)
class InvalidationIT {

    @RegisterExtension
    final OwnRedis redis = new OwnRedis();

    private static final Duration LONG = Duration.ofSeconds(20);
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration SECOND = Duration.ofSeconds(1);
    /** The time without a reply after which an engine replaces a connection. */
    private static final Duration SILENCE = Duration.ofSeconds(5);

    static final Policy ONE = Policy.of("one", Limit.slidingWindow(1, HOUR), Attributes.USER);
    private static final Instant START = Instant.parse("2025-01-01T00:00:00Z");

    private final RedisProbe probe = redis.probe;
    private final ManualClock clock = ManualClock.at(START);
    private final RedisLimitEngine receivingEngine = engine(redis.url());
    private final RedisLimitEngine sendingEngine = engine(redis.url());
    private final Limiter receiver = receivingEngine.limiter(ONE);
    private final Limiter sender = sendingEngine.limiter(ONE);

    private RedisLimitEngine engine(String url) {
        return engine(url, clock).build();
    }

    private static RedisLimitEngine.Builder engine(String url, ManualClock clock) {
        // With a timeout that a busy machine does not reach.
        return Engines.builder(url).time(clock);
    }

    @BeforeEach
    void resetCallCounts() {
        probe.command("CONFIG", "RESETSTAT");
    }

    @AfterEach
    void close() {
        receivingEngine.close();
        sendingEngine.close();
        probe.command("ACL", "SETUSER", "default", "on", "nopass", "+@all", "allchannels");
    }

    private long subscribers() {
        List<?> numbers = (List<?>) Objects.requireNonNull(probe.command("PUBSUB", "NUMSUB", "hg:notices"));
        return (Long) numbers.get(1);
    }

    private long published() {
        return probe.commandCalls().getOrDefault("PUBLISH", 0L);
    }

    private void awaitSubscribers(long engines) {
        Await.until(engines + " subscribers", LONG, () -> subscribers() == engines);
    }

    /** Has the receiver deny alice and cache the denial. */
    private void cacheDenialOfAlice() {
        assertThat(sender.tryAcquire("alice").allowed()).isTrue();
        assertDenialCached("alice");
        awaitSubscribers(1);
    }

    private void assertDenialCached(String user) {
        assertThat(receiver.tryAcquire(user).basis()).isEqualTo(Basis.COUNTED);
        assertThat(receiver.tryAcquire(user).basis()).isEqualTo(Basis.CACHED_DENIAL);
    }

    private void awaitAdmitted(String user) {
        Await.until(
                user + " to be admitted", LONG, () -> receiver.tryAcquire(user).allowed());
    }

    @Test
    void a_refund_and_a_reset_invalidate_a_denial() {
        cacheDenialOfAlice();
        assertThat(sender.refundOldest(PermitRequest.of("alice"))).isEqualTo(1);
        awaitAdmitted("alice");

        assertDenialCached("alice");
        assertThat(sender.reset("alice")).isTrue();
        awaitAdmitted("alice");
    }

    @Test
    void ids_with_special_characters_and_of_several_dimensions_are_invalidated_too() {
        Policy policy = Policy.named("two")
                .rule("all", Limit.slidingWindow(100, HOUR))
                .rule("each", Limit.slidingWindow(1, HOUR), Attributes.USER, Attributes.ENDPOINT)
                .build();
        Attributes odd =
                Attributes.of(Attributes.USER, "a 1:b,{\n}\u00e9\ud83d\ude00").with(Attributes.ENDPOINT, "/");
        Limiter sending = sendingEngine.limiter(policy);
        Limiter receiving = receivingEngine.limiter(policy);
        Decision charged = sending.tryAcquire(PermitRequest.of(odd));
        assertThat(receiving.tryAcquire(PermitRequest.of(odd)).denied()).isTrue();
        awaitSubscribers(1);
        assertThat(sending.refund(odd, charged)).isEqualTo(1);
        Await.until("it to be admitted", LONG, () -> receiving
                .tryAcquire(PermitRequest.of(odd))
                .allowed());
    }

    @Test
    void an_updated_rule_invalidates_all_denials_of_the_rule() {
        cacheDenialOfAlice();
        sender.update(Policy.of("one", Limit.slidingWindow(2, HOUR), Attributes.USER));
        Await.until(
                "a decision by Redis", LONG, () -> receiver.tryAcquire("alice").basis() == Basis.COUNTED);
    }

    @Test
    void denials_of_other_ids_stay_cached() {
        cacheDenialOfAlice();
        sender.tryAcquire("bob");
        assertDenialCached("bob");
        sender.refundOldest(PermitRequest.of("alice"));
        awaitAdmitted("alice");
        assertThat(receiver.tryAcquire("bob").basis()).isEqualTo(Basis.CACHED_DENIAL);
    }

    @Test
    void another_process_receives_the_invalidation() {
        try (ChildJvm other = ChildJvm.of(DeniedProcess.class).shortLived().start(redis.url())) {
            sender.tryAcquire("alice");
            other.awaitLine("denied"::equals, LONG);
            awaitSubscribers(1);
            other.send("retry until admitted");
            sender.refundOldest(PermitRequest.of("alice"));
            other.awaitLine("admitted"::equals, LONG);
        }
    }

    /** A program with a stopped clock that caches a denial and waits for its invalidation. */
    static final class DeniedProcess {

        private DeniedProcess() {}

        /** The argument is a URL. Prints when a denial is cached; after a line of input retries until it is admitted. */
        public static void main(String[] arguments) throws IOException {
            try (RedisLimitEngine limits =
                    engine(arguments[0], ManualClock.at(START)).build()) {
                Limiter limiter = limits.limiter(ONE);
                Await.until("the denial", LONG, () -> limiter.peek("alice").denied());
                limiter.tryAcquire("alice");
                Await.until(
                        "it to be cached",
                        LONG,
                        () -> limiter.tryAcquire("alice").basis() == Basis.CACHED_DENIAL);
                System.out.println("denied");
                if (System.in.read() >= 0) {
                    Await.until("it to be admitted", LONG, () -> limiter.tryAcquire("alice")
                            .allowed());
                    System.out.println("admitted");
                }
            }
        }
    }

    @Test
    void a_waiting_request_in_another_instance_is_woken() {
        cacheDenialOfAlice();
        CompletableFuture<Decision> refunded =
                receiver.async().acquire("alice", HOUR.multipliedBy(2)).toCompletableFuture();
        receiver.peek("alice");
        sender.refundOldest(PermitRequest.of("alice"));
        assertThat(refunded).succeedsWithin(LONG).matches(Decision::allowed);

        CompletableFuture<Decision> reset =
                receiver.async().acquire("alice", HOUR.multipliedBy(2)).toCompletableFuture();
        receiver.peek("alice");
        sender.reset("alice");
        assertThat(reset).succeedsWithin(LONG).matches(Decision::allowed);
    }

    @Test
    void a_waiting_request_at_another_limiter_of_the_engine_is_woken_without_a_message() {
        try (RedisLimitEngine quiet =
                engine(redis.url(), clock).invalidations(false).build()) {
            Limiter one = quiet.limiter(ONE);
            assertThat(one.tryAcquire("alice").allowed()).isTrue();
            CompletableFuture<Decision> wait =
                    one.async().acquire("alice", HOUR.multipliedBy(2)).toCompletableFuture();
            one.peek("alice");
            quiet.limiter(ONE).refundOldest(PermitRequest.of("alice"));
            assertThat(wait).succeedsWithin(LONG).matches(Decision::allowed);
            assertThat(published()).isZero();
        }
    }

    @Test
    void without_permission_to_publish_nothing_fails_and_the_denial_expires_within_a_second() {
        probe.command("ACL", "SETUSER", "few", "reset", "on", ">secret", "~*", "+@all", "-publish", "-subscribe");
        String url = redis.url().replace("redis://", "redis://few:secret@");
        try (RedisLimitEngine one = engine(url);
                RedisLimitEngine other = engine(url)) {
            assertDenialExpiresAfterASecond(one.limiter(ONE), other.limiter(ONE));
        }
        probe.command("ACL", "SETUSER", "few", "+@all", "resetchannels");
        probe.flushAll();
        try (RedisLimitEngine one = engine(url);
                RedisLimitEngine other = engine(url)) {
            assertDenialExpiresAfterASecond(one.limiter(ONE), other.limiter(ONE));
        }
        probe.command("ACL", "DELUSER", "few");
    }

    private void assertDenialExpiresAfterASecond(Limiter receiving, Limiter sending) {
        sending.tryAcquire("alice");
        assertThat(receiving.tryAcquire("alice").denied()).isTrue();
        assertThat(sending.refundOldest(PermitRequest.of("alice"))).isEqualTo(1);
        clock.advance(SECOND.minusNanos(1000));
        assertThat(receiving.tryAcquire("alice").basis()).isEqualTo(Basis.CACHED_DENIAL);
        clock.advance(Duration.ofNanos(1000));
        assertThat(receiving.tryAcquire("alice").allowed()).isTrue();
    }

    @Test
    void a_lost_invalidation_delays_an_admission_by_at_most_a_second_and_later_ones_arrive() {
        cacheDenialOfAlice();
        probe.command("ACL", "SETUSER", "default", "-subscribe");
        probe.command("CLIENT", "KILL", "TYPE", "pubsub");
        awaitSubscribers(0);
        assertThat(sender.refundOldest(PermitRequest.of("alice"))).isEqualTo(1);
        Await.until("the message to be sent", LONG, () -> published() == 1);
        assertThat(receiver.tryAcquire("alice").basis()).isEqualTo(Basis.CACHED_DENIAL);
        clock.advance(SECOND);
        assertThat(receiver.tryAcquire("alice").allowed()).isTrue();

        assertDenialCached("alice");
        probe.command("ACL", "SETUSER", "default", "+@all");
        // Closes all other connections, so that the engine subscribes again.
        probe.command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
        awaitSubscribers(1);
        awaitConnected(receivingEngine);
        awaitConnected(sendingEngine);
        assertThat(sender.refundOldest(PermitRequest.of("alice"))).isEqualTo(1);
        awaitAdmitted("alice");
    }

    @Test
    void a_waiting_request_retries_when_the_subscription_is_renewed() {
        cacheDenialOfAlice();
        CompletableFuture<Decision> wait =
                receiver.async().acquire("alice", HOUR.multipliedBy(2)).toCompletableFuture();
        receiver.peek("alice");
        probe.command("ACL", "SETUSER", "default", "-subscribe");
        probe.command("CLIENT", "KILL", "TYPE", "pubsub");
        awaitSubscribers(0);
        assertThat(sender.refundOldest(PermitRequest.of("alice"))).isEqualTo(1);
        Await.until("the message to be sent", LONG, () -> published() == 1);
        assertThat(wait).isNotDone();
        probe.command("ACL", "SETUSER", "default", "+@all");
        Await.until("the engine to subscribe again", LONG, () -> {
            killRefusedSubscribers();
            return subscribers() == 1;
        });
        assertThat(wait).succeedsWithin(LONG).matches(Decision::allowed);
    }

    /** Closes only connections whose subscription was denied: closing others would fail the waiting request. */
    private void killRefusedSubscribers() {
        String clients = (String) Objects.requireNonNull(probe.command("CLIENT", "LIST"));
        clients.lines()
                .filter(client -> client.contains(" cmd=subscribe ") && client.contains(" sub=0 "))
                .map(client -> client.substring("id=".length(), client.indexOf(' ')))
                .forEach(id -> probe.command("CLIENT", "KILL", "ID", id));
    }

    @Test
    void closing_the_engine_sends_pending_invalidations() {
        for (String user : List.of("alice", "bob", "carol")) {
            sender.tryAcquire(user);
            assertDenialCached(user);
        }
        awaitSubscribers(1);
        for (String user : List.of("alice", "bob", "carol")) {
            sender.refundOldest(PermitRequest.of(user));
        }
        sendingEngine.close();
        for (String user : List.of("alice", "bob", "carol")) {
            awaitAdmitted(user);
        }
    }

    /** The bound is a rate, so the test measures time, but its result does not depend on speed. */
    @Test
    void many_refunds_are_few_messages_and_none_is_lost() {
        int users = 500;
        for (int i = 0; i < users; i++) {
            sender.tryAcquire("user" + i);
            assertDenialCached("user" + i);
        }
        awaitSubscribers(1);
        long start = System.nanoTime();
        for (int i = 0; i < users; i++) {
            sender.refundOldest(PermitRequest.of("user" + i));
        }
        for (int i = 0; i < users; i++) {
            awaitAdmitted("user" + i);
        }
        long pauses = (System.nanoTime() - start) / InvalidationSender.PAUSE.toNanos();
        assertThat(published()).isBetween(2L, 2 + pauses);
    }

    @Test
    void an_engine_without_cached_denials_does_not_subscribe_and_without_subscribers_sends_at_most_once_a_second() {
        long start = System.nanoTime();
        for (int i = 0; i < 1000; i++) {
            receiver.tryAcquire("alice");
            receiver.refundOldest(PermitRequest.of("alice"));
        }
        assertThat(subscribers()).isZero();
        assertThat(String.valueOf(probe.command("CLIENT", "LIST", "TYPE", "pubsub")))
                .isEmpty();
        long pauses = (System.nanoTime() - start) / InvalidationSender.PAUSE_WITHOUT_RECEIVER.toNanos();
        assertThat(published()).isBetween(1L, 1 + pauses);
    }

    @Test
    void a_malformed_message_changes_nothing() {
        cacheDenialOfAlice();
        for (String text : List.of("", "x", "1:", "9999999999:a", "1:a5:", "1:a-1:b", "1:a3:b:s1 9 ")) {
            probe.command("PUBLISH", "hg:notices", text);
        }
        assertThat(receiver.tryAcquire("alice").basis()).isEqualTo(Basis.CACHED_DENIAL);
        sender.refundOldest(PermitRequest.of("alice"));
        awaitAdmitted("alice");
    }

    private static void awaitConnected(RedisLimitEngine limits) {
        Await.until("a connection", LONG, () -> limits.ping()
                .handle((done, problem) -> problem == null)
                .toCompletableFuture()
                .join());
    }

    @Test
    void a_silently_dropped_connection_is_detected_and_subscribes_again() {
        try (FaultProxy proxy = FaultProxy.before(redis.url());
                RedisLimitEngine far = Engines.builder(
                                RedisSettings.of(proxy.url()).withTimeout(SILENCE))
                        .time(clock)
                        .build()) {
            Limiter farLimiter = far.limiter(ONE);
            assertThat(sender.tryAcquire("alice").allowed()).isTrue();
            assertThat(farLimiter.tryAcquire("alice").denied()).isTrue();
            awaitSubscribers(1);
            proxy.dropReplies();
            long pings = proxy.commandsSeen("PING");
            assertThat(sender.refundOldest(PermitRequest.of("alice"))).isEqualTo(1);
            proxy.awaitCommands("PING", pings + 1, LONG);
            // A connection that has lost replies stays broken until the engine closes it.
            proxy.resume();
            Await.until("an invalidation to arrive", LONG.multipliedBy(3), () -> {
                assertThat(sender.tryAcquire("alice").allowed()).isTrue();
                assertThat(sender.refundOldest(PermitRequest.of("alice"))).isEqualTo(1);
                return farLimiter.tryAcquire("alice").allowed();
            });
        }
    }
}
