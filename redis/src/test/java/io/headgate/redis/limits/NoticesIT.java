package io.headgate.redis.limits;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.Decision.Basis;
import io.headgate.limits.Limit;
import io.headgate.limits.Limiter;
import io.headgate.limits.Policy;
import io.headgate.testkit.Await;
import io.headgate.testkit.ChildJvm;
import io.headgate.testkit.FaultProxy;
import io.headgate.testkit.ManualClock;
import io.headgate.testkit.RedisProbe;
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
 * What is taken back in one instance is known in the others: at once by a notice, and where that is lost within a second. The clock
 * by which that second passes stands still here, unless a test moves it.
 */
@Timeout(120)
class NoticesIT {

    @RegisterExtension
    final OwnRedis redis = new OwnRedis();

    private static final Duration LONG = Duration.ofSeconds(20);
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration SILENCE = Duration.ofSeconds(5);
    static final Policy ONE = Policy.of("one", Limit.slidingWindow(1, HOUR), Attributes.USER);
    private static final Instant START = Instant.parse("2025-01-01T00:00:00Z");

    private final RedisProbe probe = redis.probe;
    private final ManualClock clock = ManualClock.at(START);
    private final RedisLimits hearing = engine(redis.url());
    private final RedisLimits telling = engine(redis.url());
    private final Limiter hears = hearing.limiter(ONE);
    private final Limiter tells = telling.limiter(ONE);

    private RedisLimits engine(String url) {
        return engine(url, clock).build();
    }

    private static RedisLimits.Builder engine(String url, ManualClock clock) {
        // A busy machine may be late.
        return Engines.builder().url(url).time(clock);
    }

    @BeforeEach
    void forgetCalls() {
        probe.command("CONFIG", "RESETSTAT");
    }

    @AfterEach
    void close() {
        hearing.close();
        telling.close();
        probe.command("ACL", "SETUSER", "default", "on", "nopass", "+@all", "allchannels");
    }

    private long listening() {
        List<?> numbers = (List<?>) Objects.requireNonNull(probe.command("PUBSUB", "NUMSUB", "hg:notices"));
        return (Long) numbers.get(1);
    }

    private long published() {
        return probe.commandCalls().getOrDefault("PUBLISH", 0L);
    }

    private void awaitListening(long engines) {
        Await.until(engines + " to listen", LONG, () -> listening() == engines);
    }

    /** Alice is denied, and the denial known, at the limiter that hears. */
    private void deny() {
        assertThat(tells.tryAcquire("alice").allowed()).isTrue();
        assertKnown("alice");
        awaitListening(1);
    }

    private void assertKnown(String user) {
        assertThat(hears.tryAcquire(user).basis()).isEqualTo(Basis.COUNTED);
        assertThat(hears.tryAcquire(user).basis()).isEqualTo(Basis.DENIED_BEFORE);
    }

    private void awaitAdmitted(String user) {
        Await.until(user + " to be admitted", LONG, () -> hears.tryAcquire(user).allowed());
    }

    @Test
    void a_refund_and_a_reset_are_known_at_once() {
        deny();
        assertThat(tells.refund("alice", 1)).isEqualTo(1);
        awaitAdmitted("alice");

        assertKnown("alice");
        assertThat(tells.reset("alice")).isTrue();
        awaitAdmitted("alice");
    }

    @Test
    void so_are_ids_that_no_key_may_hold_and_those_of_several_dimensions() {
        Policy policy = Policy.named("two")
                .rule("all", Limit.slidingWindow(100, HOUR))
                .rule("each", Limit.slidingWindow(1, HOUR), Attributes.USER, Attributes.ENDPOINT)
                .build();
        Attributes odd =
                Attributes.of(Attributes.USER, "a 1:b,{\n}\u00e9\ud83d\ude00").with(Attributes.ENDPOINT, "/");
        Limiter there = telling.limiter(policy);
        Limiter here = hearing.limiter(policy);
        Decision charged = there.tryAcquire(odd);
        assertThat(here.tryAcquire(odd).denied()).isTrue();
        awaitListening(1);
        assertThat(there.refund(odd, charged)).isEqualTo(1);
        Await.until("it to be admitted", LONG, () -> here.tryAcquire(odd).allowed());
    }

    @Test
    void another_limit_there_has_all_denials_of_the_rule_asked_again() {
        deny();
        tells.update(Policy.of("one", Limit.slidingWindow(2, HOUR), Attributes.USER));
        Await.until("it to be asked", LONG, () -> hears.tryAcquire("alice").basis() == Basis.COUNTED);
    }

    @Test
    void what_is_known_of_others_stays_known() {
        deny();
        tells.tryAcquire("bob");
        assertKnown("bob");
        tells.refund("alice", 1);
        awaitAdmitted("alice");
        assertThat(hears.tryAcquire("bob").basis()).isEqualTo(Basis.DENIED_BEFORE);
    }

    @Test
    void another_process_hears_it() {
        try (ChildJvm other = ChildJvm.of(Denied.class).shortLived().start(redis.url())) {
            tells.tryAcquire("alice");
            other.awaitLine("denied"::equals, LONG);
            awaitListening(1);
            other.send("ask until you are admitted");
            tells.refund("alice", 1);
            other.awaitLine("admitted"::equals, LONG);
        }
    }

    /** A process whose clock stands still. */
    static final class Denied {

        private Denied() {}

        /** The argument is a URL. Says when it is denied without asking; told anything, it asks until it is admitted. */
        public static void main(String[] arguments) throws IOException {
            try (RedisLimits limits =
                    engine(arguments[0], ManualClock.at(START)).build()) {
                Limiter limiter = limits.limiter(ONE);
                Await.until("the denial", LONG, () -> limiter.peek("alice").denied());
                limiter.tryAcquire("alice");
                Await.until(
                        "it to be known",
                        LONG,
                        () -> limiter.tryAcquire("alice").basis() == Basis.DENIED_BEFORE);
                System.out.println("denied");
                if (System.in.read() >= 0) {
                    Await.until("it to pass", LONG, () -> limiter.tryAcquire("alice")
                            .allowed());
                    System.out.println("admitted");
                }
            }
        }
    }

    @Test
    void who_waits_in_another_instance_is_woken() {
        deny();
        CompletableFuture<Decision> refunded =
                hears.async().acquire("alice", HOUR.multipliedBy(2)).toCompletableFuture();
        hears.peek("alice");
        tells.refund("alice", 1);
        assertThat(refunded).succeedsWithin(LONG).matches(Decision::allowed);

        CompletableFuture<Decision> reset =
                hears.async().acquire("alice", HOUR.multipliedBy(2)).toCompletableFuture();
        hears.peek("alice");
        tells.reset("alice");
        assertThat(reset).succeedsWithin(LONG).matches(Decision::allowed);
    }

    @Test
    void who_waits_at_another_limiter_of_the_engine_is_woken_without_a_notice() {
        try (RedisLimits quiet = engine(redis.url(), clock).notices(false).build()) {
            Limiter one = quiet.limiter(ONE);
            assertThat(one.tryAcquire("alice").allowed()).isTrue();
            CompletableFuture<Decision> wait =
                    one.async().acquire("alice", HOUR.multipliedBy(2)).toCompletableFuture();
            one.peek("alice");
            quiet.limiter(ONE).refund("alice", 1);
            assertThat(wait).succeedsWithin(LONG).matches(Decision::allowed);
            assertThat(published()).isZero();
        }
    }

    @Test
    void without_the_rights_nothing_fails_and_it_is_noticed_within_a_second() {
        probe.command("ACL", "SETUSER", "few", "reset", "on", ">secret", "~*", "+@all", "-publish", "-subscribe");
        String url = redis.url().replace("redis://", "redis://few:secret@");
        try (RedisLimits one = engine(url);
                RedisLimits other = engine(url)) {
            assertNoticedAfterASecond(one.limiter(ONE), other.limiter(ONE));
        }
        probe.command("ACL", "SETUSER", "few", "+@all", "resetchannels");
        probe.flushAll();
        try (RedisLimits one = engine(url);
                RedisLimits other = engine(url)) {
            assertNoticedAfterASecond(one.limiter(ONE), other.limiter(ONE));
        }
        probe.command("ACL", "DELUSER", "few");
    }

    private void assertNoticedAfterASecond(Limiter here, Limiter there) {
        there.tryAcquire("alice");
        assertThat(here.tryAcquire("alice").denied()).isTrue();
        assertThat(there.refund("alice", 1)).isEqualTo(1);
        clock.advance(SECOND.minusNanos(1000));
        assertThat(here.tryAcquire("alice").basis()).isEqualTo(Basis.DENIED_BEFORE);
        clock.advance(Duration.ofNanos(1000));
        assertThat(here.tryAcquire("alice").allowed()).isTrue();
    }

    @Test
    void what_is_told_while_nothing_is_heard_is_noticed_within_a_second_and_later_notices_are_heard_again() {
        deny();
        probe.command("ACL", "SETUSER", "default", "-subscribe");
        probe.command("CLIENT", "KILL", "TYPE", "pubsub");
        awaitListening(0);
        assertThat(tells.refund("alice", 1)).isEqualTo(1);
        Await.until("it to be told", LONG, () -> published() == 1);
        assertThat(hears.tryAcquire("alice").basis()).isEqualTo(Basis.DENIED_BEFORE);
        clock.advance(SECOND);
        assertThat(hears.tryAcquire("alice").allowed()).isTrue();

        assertKnown("alice");
        probe.command("ACL", "SETUSER", "default", "+@all");
        probe.command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
        awaitListening(1);
        awaitConnected(hearing);
        awaitConnected(telling);
        assertThat(tells.refund("alice", 1)).isEqualTo(1);
        awaitAdmitted("alice");
    }

    @Test
    void who_waits_asks_again_when_it_is_heard_again_what_others_tell() {
        deny();
        CompletableFuture<Decision> wait =
                hears.async().acquire("alice", HOUR.multipliedBy(2)).toCompletableFuture();
        hears.peek("alice");
        probe.command("ACL", "SETUSER", "default", "-subscribe");
        probe.command("CLIENT", "KILL", "TYPE", "pubsub");
        awaitListening(0);
        assertThat(tells.refund("alice", 1)).isEqualTo(1);
        Await.until("it to be told", LONG, () -> published() == 1);
        assertThat(wait).isNotDone();
        probe.command("ACL", "SETUSER", "default", "+@all");
        Await.until("it to listen again", LONG, () -> {
            cutWhoWasRefused();
            return listening() == 1;
        });
        assertThat(wait).succeedsWithin(LONG).matches(Decision::allowed);
    }

    /** And no other connection: who waits would fail if it could not ask just then. */
    private void cutWhoWasRefused() {
        String clients = (String) Objects.requireNonNull(probe.command("CLIENT", "LIST"));
        clients.lines()
                .filter(client -> client.contains(" cmd=subscribe ") && client.contains(" sub=0 "))
                .map(client -> client.substring("id=".length(), client.indexOf(' ')))
                .forEach(id -> probe.command("CLIENT", "KILL", "ID", id));
    }

    @Test
    void what_still_is_to_be_told_is_told_when_the_engine_is_closed() {
        for (String user : List.of("alice", "bob", "carol")) {
            tells.tryAcquire(user);
            assertKnown(user);
        }
        awaitListening(1);
        for (String user : List.of("alice", "bob", "carol")) {
            tells.refund(user, 1);
        }
        telling.close();
        for (String user : List.of("alice", "bob", "carol")) {
            awaitAdmitted(user);
        }
    }

    /** What is bounded is a rate, so time is measured, but nothing depends on how fast this is. */
    @Test
    void many_refunds_are_few_notices_and_none_is_lost() {
        int users = 500;
        for (int i = 0; i < users; i++) {
            tells.tryAcquire("user" + i);
            assertKnown("user" + i);
        }
        awaitListening(1);
        long start = System.nanoTime();
        for (int i = 0; i < users; i++) {
            tells.refund("user" + i, 1);
        }
        for (int i = 0; i < users; i++) {
            awaitAdmitted("user" + i);
        }
        long pauses = (System.nanoTime() - start) / Outbox.PAUSE.toNanos();
        assertThat(published()).isBetween(2L, 2 + pauses);
    }

    @Test
    void who_knows_of_no_denial_listens_to_nothing_and_who_is_not_heard_tells_once_a_second() {
        long start = System.nanoTime();
        for (int i = 0; i < 1000; i++) {
            hears.tryAcquire("alice");
            hears.refund("alice", 1);
        }
        assertThat(listening()).isZero();
        assertThat(String.valueOf(probe.command("CLIENT", "LIST", "TYPE", "pubsub")))
                .isEmpty();
        long pauses = (System.nanoTime() - start) / Outbox.PAUSE_UNHEARD.toNanos();
        assertThat(published()).isBetween(1L, 1 + pauses);
    }

    @Test
    void what_is_no_notice_changes_nothing() {
        deny();
        for (String text : List.of("", "x", "1:", "9999999999:a", "1:a5:", "1:a-1:b", "1:a3:b:s1 9 ")) {
            probe.command("PUBLISH", "hg:notices", text);
        }
        assertThat(hears.tryAcquire("alice").basis()).isEqualTo(Basis.DENIED_BEFORE);
        tells.refund("alice", 1);
        awaitAdmitted("alice");
    }

    private static void awaitConnected(RedisLimits limits) {
        Await.until("a connection", LONG, () -> limits.ping()
                .handle((done, problem) -> problem == null)
                .toCompletableFuture()
                .join());
    }

    @Test
    void a_connection_that_the_network_forgot_is_found_and_listens_again() {
        try (FaultProxy proxy = FaultProxy.before(redis.url());
                RedisLimits far = engine(proxy.url(), clock).timeout(SILENCE).build()) {
            Limiter there = far.limiter(ONE);
            assertThat(tells.tryAcquire("alice").allowed()).isTrue();
            assertThat(there.tryAcquire("alice").denied()).isTrue();
            awaitListening(1);
            proxy.dropReplies();
            long pings = proxy.commandsSeen("PING");
            assertThat(tells.refund("alice", 1)).isEqualTo(1);
            proxy.awaitCommands("PING", pings + 1, LONG);
            // What lost something stays so, until somebody ends it.
            proxy.resume();
            Await.until("one to be heard", LONG.multipliedBy(3), () -> {
                assertThat(tells.tryAcquire("alice").allowed()).isTrue();
                assertThat(tells.refund("alice", 1)).isEqualTo(1);
                return there.tryAcquire("alice").allowed();
            });
        }
    }
}
