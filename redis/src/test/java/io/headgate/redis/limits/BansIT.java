package io.headgate.redis.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.Decision.Basis;
import io.headgate.limits.Fallback;
import io.headgate.limits.InFlight;
import io.headgate.limits.InFlightLimiter;
import io.headgate.limits.InFlightPolicy;
import io.headgate.limits.Limit;
import io.headgate.limits.Limiter;
import io.headgate.limits.LimiterException;
import io.headgate.limits.PermitRequest;
import io.headgate.limits.Policy;
import io.headgate.limits.bans.BanEntry;
import io.headgate.limits.bans.BanRequest;
import io.headgate.limits.bans.BanTarget;
import io.headgate.limits.bans.Bans;
import io.headgate.limits.combined.CombinedDecision;
import io.headgate.limits.combined.CombinedRequest;
import io.headgate.testkit.Await;
import io.headgate.testkit.ChildJvm;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Bans and exemptions are in force in all instances, also if messages or Redis are lost. */
@Timeout(300)
class BansIT {

    @RegisterExtension
    final OwnRedis redis = new OwnRedis();

    private static final Duration WITHIN = Duration.ofSeconds(60);
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Policy API = Policy.named("api")
            .rule("calls", Limit.slidingWindow(2, HOUR), "user")
            .build();

    private final RedisLimitEngine first = redis.limits().bans(true).build();
    private final RedisLimitEngine second = redis.limits().bans(true).build();
    private final Limiter here = first.limiter(API);
    private final Limiter there = second.limiter(API);

    @AfterEach
    void close() {
        // So that no permanent entry keeps the keys.
        first.bans().entries().forEach(entry -> first.bans().lift(entry.target()));
        first.close();
        second.close();
    }

    private static BanRequest ban(String user) {
        return BanRequest.ban(BanTarget.user(user));
    }

    private static void awaitBasis(Limiter limiter, String user, Basis basis) {
        Await.until(user + " " + basis, WITHIN, () -> limiter.peek(user).basis() == basis);
    }

    @Test
    void a_ban_is_in_force_here_at_once_and_in_another_engine_soon_and_ends_in_both() {
        BanEntry added = first.bans()
                .add(ban("mallory")
                        .lasting(HOUR)
                        .because("card testing, 100 %\u2713")
                        .by("ada"));
        assertThat(added.until().orElseThrow()).isEqualTo(added.since().plus(HOUR));
        Decision denied = here.tryAcquire("mallory");
        assertThat(denied.basis()).isEqualTo(Basis.BANNED);
        assertThat(denied.retryAfter().orElseThrow()).isBetween(HOUR.minusMinutes(2), HOUR);
        awaitBasis(there, "mallory", Basis.BANNED);
        assertThat(there.tryAcquire("mallory").ban()).contains(added);
        assertThat(there.tryAcquire("alice").allowed()).isTrue();
        assertThat(second.bans().entries()).containsExactly(added);
        assertThat(second.bans().lift(BanTarget.user("mallory"))).contains(added);
        assertThat(there.tryAcquire("mallory").allowed()).isTrue();
        awaitBasis(here, "mallory", Basis.COUNTED);
        assertThat(first.bans().lift(BanTarget.user("mallory"))).isEmpty();
    }

    @Test
    void a_banned_request_makes_no_call() {
        first.bans().add(ban("mallory"));
        here.tryAcquire("mallory");
        long before = evaluations();
        for (int i = 0; i < 1000; i++) {
            assertThat(here.tryAcquire("mallory").denied()).isTrue();
        }
        // The polls of two engines.
        assertThat(evaluations() - before).isLessThan(200);
    }

    @Test
    void a_ban_denies_holds_of_another_engine_without_a_call() {
        BanEntry ban = first.bans().add(ban("mallory").lasting(HOUR));
        awaitBasis(there, "mallory", Basis.BANNED);
        InFlightLimiter exports = second.inFlight(InFlightPolicy.of("exports", 1, "user"));
        long before = evaluations();
        for (int i = 0; i < 1000; i++) {
            assertThat(exports.tryAcquire("mallory").ban()).contains(ban);
        }
        assertThat(evaluations() - before).isLessThan(200);
        InFlight banned = exports.tryAcquire("mallory").inFlight();
        assertThat(ban.timeLeft(banned.at()).orElseThrow()).isBetween(HOUR.minusMinutes(2), HOUR);
        assertThat(exports.tryAcquire("alice").allowed()).isTrue();
    }

    private long evaluations() {
        return redis.probe.commandCalls().getOrDefault("evalsha", 0L);
    }

    @Test
    void an_engine_that_starts_later_receives_all_pages_of_the_entries() {
        int entries = 1234;
        IntStream.range(0, entries)
                .forEach(i -> first.bans().add(ban("user-" + i).lasting(HOUR)));
        first.bans().add(BanRequest.exemption(BanTarget.ip("2001:db8::/32").ofPolicy("api")));
        first.bans().add(ban("with blanks, % and \n lines"));
        first.bans().lift(BanTarget.user("user-7"));
        try (RedisLimitEngine third = redis.limits().bans(true).build()) {
            Bans late = third.bans();
            Await.until("all entries", WITHIN, () -> late.entries().size() == entries + 1);
            assertThat(late.entries()).isEqualTo(first.bans().entries());
        }
        try (RedisLimitEngine fourth = redis.limits().bans(true).build()) {
            fourth.readBans();
            assertThat(fourth.bans().entries()).hasSize(entries + 1);
        }
    }

    @Test
    void counted_exemptions_apply_in_redis_and_are_refunded() {
        first.bans().add(BanRequest.countedExemption(BanTarget.user("partner")));
        for (int i = 0; i < 4; i++) {
            Decision allowed = here.tryAcquire("partner");
            assertThat(allowed.allowed()).isTrue();
            assertThat(allowed.deniedInShadow()).isEqualTo(i < 2 ? List.of() : List.of("calls"));
        }
        assertThat(here.peek("partner").allowed()).isTrue();
        first.bans().lift(BanTarget.user("partner"));
        Decision denied = here.tryAcquire("partner");
        assertThat(denied.denied()).isTrue();
        first.bans().add(BanRequest.countedExemption(BanTarget.user("other")));
        assertThat(here.refund("other", here.tryAcquire("other"))).isEqualTo(1);
    }

    @Test
    void a_request_to_several_policies_follows_bans_and_exemptions() {
        Limiter mails = first.limiter("mails", Limit.slidingWindow(1, HOUR));
        CombinedRequest request = new CombinedRequest(List.of(
                new CombinedRequest.Part(here, PermitRequest.of("alice")),
                new CombinedRequest.Part(mails, PermitRequest.of("alice"))));
        first.bans().add(BanRequest.exemption(BanTarget.user("alice")));
        assertThat(first.tryAcquire(request).allowed()).isTrue();
        assertThat(first.tryAcquire(request).decisions())
                .as("denied by the policy without the attribute")
                .extracting(Decision::allowed)
                .containsExactly(true, false);
        first.bans().lift(BanTarget.user("alice"));
        first.bans().add(ban("alice"));
        CombinedDecision denied = first.tryAcquire(request);
        assertThat(denied.decisions()).extracting(Decision::basis).containsExactly(Basis.BANNED, Basis.SKIPPED);
    }

    @Test
    void the_later_end_of_two_bans_applies_whichever_engine_adds_it() {
        first.bans().add(ban("mallory").lasting(HOUR).by("ada"));
        BanEntry shorter =
                second.bans().add(ban("mallory").lasting(Duration.ofMinutes(1)).by("bob"));
        assertThat(shorter.until().orElseThrow()).isEqualTo(shorter.since().plus(HOUR));
        assertThat(shorter.by()).isEqualTo("bob");
        assertThat(there.tryAcquire("mallory").retryAfter().orElseThrow()).isGreaterThan(Duration.ofMinutes(50));
        assertThat(second.bans().add(ban("mallory")).until()).isEmpty();
        assertThat(first.bans().add(ban("mallory").lasting(HOUR)).until()).isEmpty();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> first.bans().add(BanRequest.exemption(BanTarget.user("mallory"))))
                .withMessage("user=mallory has a ban already; lift it before you add an exemption");
        assertThat(here.tryAcquire("mallory").basis()).isEqualTo(Basis.BANNED);
    }

    @Test
    void a_ban_ends_by_itself_in_all_engines_and_its_entry_is_removed() {
        first.bans().add(ban("mallory").lasting(Duration.ofSeconds(1)));
        awaitBasis(here, "mallory", Basis.COUNTED);
        awaitBasis(there, "mallory", Basis.COUNTED);
        first.bans().add(ban("another").lasting(HOUR));
        assertThat(redis.probe.command("HLEN", "hg:{bans}:entries")).isEqualTo(1L);
        assertThat(redis.probe.command("ZCARD", "hg:{bans}:changes")).isEqualTo(1L);
    }

    @Test
    void a_request_that_waits_in_another_engine_is_woken_when_its_ban_is_lifted() {
        first.bans().add(ban("mallory").lasting(HOUR));
        awaitBasis(there, "mallory", Basis.BANNED);
        CompletableFuture<Decision> waiting =
                there.async().acquire("mallory", HOUR.multipliedBy(2)).toCompletableFuture();
        assertThat(waiting).isNotDone();
        first.bans().lift(BanTarget.user("mallory"));
        assertThat(waiting).succeedsWithin(WITHIN).matches(Decision::allowed);
    }

    @Test
    void a_ban_is_received_without_messages() {
        redis.probe.command("ACL SETUSER silent on nopass ~* -@all +@all -publish -subscribe resetchannels".split(" "));
        try (RedisLimitEngine quiet = Engines.builder(redis.url().replace("redis://", "redis://silent:any@"))
                .bans(true)
                .build()) {
            Limiter limiter = quiet.limiter(API);
            first.bans().add(ban("mallory").lasting(HOUR));
            awaitBasis(limiter, "mallory", Basis.BANNED);
            // The first one may have been read when the engine started.
            first.bans().add(ban("later").lasting(HOUR));
            awaitBasis(limiter, "later", Basis.BANNED);
            quiet.bans().add(ban("other").lasting(HOUR));
            awaitBasis(there, "other", Basis.BANNED);
        } finally {
            redis.probe.command("ACL", "DELUSER", "silent");
        }
    }

    @Test
    void known_bans_stay_in_force_during_an_outage_and_later_changes_are_received_after_it() {
        first.bans().add(ban("mallory").lasting(HOUR));
        first.bans().add(ban("eve").lasting(HOUR));
        try (RedisLimitEngine cut = RedisLimitEngine.builder(redis.proxy.url())
                .fallback(Fallback.local())
                .build()) {
            Limiter limiter = cut.limiter(API);
            InFlightLimiter exports = cut.inFlight(InFlightPolicy.of("exports", 1, "user"));
            awaitBasis(limiter, "mallory", Basis.BANNED);
            redis.proxy.refuseConnections();
            redis.proxy.cutAll();
            awaitBasis(limiter, "alice", Basis.LOCAL_SHARE);
            assertThat(limiter.tryAcquire("mallory").basis()).isEqualTo(Basis.BANNED);
            assertThat(exports.tryAcquire("mallory").ban()).isPresent();
            assertThatThrownBy(() -> cut.bans().add(ban("alice").lasting(HOUR)))
                    .isInstanceOf(LimiterException.class)
                    .hasMessageContaining("bans");
            first.bans().lift(BanTarget.user("mallory"));
            first.bans().add(ban("trudy").lasting(HOUR));
            redis.proxy.acceptConnections();
            awaitBasis(limiter, "trudy", Basis.BANNED);
            assertThat(limiter.tryAcquire("mallory").basis()).isNotEqualTo(Basis.BANNED);
            assertThat(limiter.tryAcquire("eve").basis()).isEqualTo(Basis.BANNED);
        }
    }

    @Test
    void bans_that_redis_has_lost_end_also_if_later_ones_have_their_versions() {
        first.bans().add(ban("mallory").lasting(HOUR));
        awaitBasis(there, "mallory", Basis.BANNED);
        redis.probe.flushAll();
        first.bans().add(ban("eve").lasting(HOUR));
        first.bans().add(ban("trudy").lasting(HOUR));
        awaitBasis(there, "trudy", Basis.BANNED);
        awaitBasis(there, "mallory", Basis.COUNTED);
        awaitBasis(here, "mallory", Basis.COUNTED);
        assertThat(second.bans().entries()).hasSize(2);
    }

    /** As after a failover to a replica that had not received the latest changes, and has received others since. */
    @Test
    void an_engine_notices_that_redis_has_other_changes_under_the_same_versions() {
        first.bans().add(ban("eve").lasting(HOUR));
        first.bans().add(ban("mallory").lasting(HOUR));
        awaitBasis(there, "mallory", Basis.BANNED);
        redis.probe.command("HDEL", "hg:{bans}:entries", "* user mallory");
        redis.probe.command("ZREM", "hg:{bans}:changes", "* user mallory");
        redis.probe.command("ZREM", "hg:{bans}:ends", "* user mallory");
        redis.probe.command("HDEL", "hg:{bans}:tips", "2");
        redis.probe.command("HSET", "hg:{bans}:state", "version", "1", "tip", "lost");
        first.bans().add(ban("trudy").lasting(HOUR));
        first.bans().add(ban("oscar").lasting(HOUR));
        awaitBasis(there, "oscar", Basis.BANNED);
        awaitBasis(there, "mallory", Basis.COUNTED);
        awaitBasis(here, "mallory", Basis.COUNTED);
        assertThat(second.bans().entries()).hasSize(3);
    }

    @Test
    void an_engine_that_is_built_without_bans_applies_none() {
        first.bans().add(ban("mallory").lasting(HOUR));
        try (RedisLimitEngine without = redis.limits().bans(false).build()) {
            assertThat(without.limiter(API).tryAcquire("mallory").allowed()).isTrue();
            assertThatThrownBy(without::bans)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("have no bans; build the engine without bans(false)");
        }
    }

    @Test
    void an_engine_without_bans_opens_no_connection_for_them() {
        try (RedisLimitEngine plain =
                RedisLimitEngine.builder(redis.proxy.url()).build()) {
            plain.limiter("plain", Limit.slidingWindow(10, HOUR)).tryAcquire("alice");
            assertThat(redis.proxy.connectionsSeen()).isEqualTo(1);
        }
    }

    @Test
    void the_number_of_blocks_is_bounded_over_all_engines_until_some_have_ended() {
        // As many as are allowed, the way Redis stores them; one by one would take long.
        redis.probe.command("HSET", "hg:{bans}:state", "version", "1", "epoch", "e", "tip", "t", "blocks", "10000");
        redis.probe.command("PEXPIRE", "hg:{bans}:state", "100000");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> first.bans()
                        .add(BanRequest.ban(BanTarget.ip("203.0.113.0/24")).lasting(HOUR)))
                .withMessageStartingWith("ip=203.0.113.0/24 can't be added: 10000 blocks are banned or exempt");
        first.bans().add(ban("a-user").lasting(HOUR));
        redis.probe.command("HSET", "hg:{bans}:state", "blocks", "9999");
        first.bans().add(BanRequest.ban(BanTarget.ip("203.0.113.0/24")).lasting(HOUR));
        first.bans().add(BanRequest.ban(BanTarget.ip("203.0.113.0/24")).lasting(HOUR));
        assertThat(redis.probe.command("HGET", "hg:{bans}:state", "blocks")).isEqualTo("10000");
        first.bans().lift(BanTarget.ip("203.0.113.0/24"));
        assertThat(redis.probe.command("HGET", "hg:{bans}:state", "blocks")).isEqualTo("9999");
    }

    @Test
    void a_ban_of_a_killed_process_is_in_force_in_another_process() {
        try (ChildJvm banning = ChildJvm.of(BanningProcess.class).shortLived().start(redis.url());
                ChildJvm other = ChildJvm.of(BanningProcess.class).shortLived().start(redis.url())) {
            other.send("try mallory");
            assertThat(other.awaitLine(line -> line.startsWith("mallory "), WITHIN))
                    .isEqualTo("mallory COUNTED");
            banning.send("ban mallory");
            banning.awaitLine("banned"::equals, WITHIN);
            banning.kill();
            other.send("await mallory");
            assertThat(other.awaitLine(line -> line.startsWith("mallory "), WITHIN))
                    .isEqualTo("mallory BANNED");
        }
        awaitBasis(here, "mallory", Basis.BANNED);
        assertThat(first.bans().applicable("api", Attributes.of("user", "mallory")))
                .isPresent();
    }
}
