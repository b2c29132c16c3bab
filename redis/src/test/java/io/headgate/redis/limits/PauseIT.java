package io.headgate.redis.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.Decision.Basis;
import io.headgate.limits.Fallback;
import io.headgate.limits.Limit;
import io.headgate.limits.Limiter;
import io.headgate.limits.LimiterException;
import io.headgate.limits.PermitRequest;
import io.headgate.limits.Policy;
import io.headgate.limits.combined.CombinedDecision;
import io.headgate.limits.combined.CombinedRequest;
import io.headgate.testkit.Await;
import io.headgate.testkit.ChildJvm;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A pause is in force in all instances, also if messages or Redis are lost. */
@Timeout(300)
class PauseIT {

    @RegisterExtension
    final OwnRedis redis = new OwnRedis();

    private static final Duration WITHIN = Duration.ofSeconds(60);
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Policy PARTNERS = policy("partners").build();

    private final RedisLimitEngine first = redis.limits().build();
    private final RedisLimitEngine second = redis.limits().build();
    private final Limiter here = first.limiter(PARTNERS);
    private final Limiter there = second.limiter(PARTNERS);

    private static Policy.Builder policy(String name) {
        return Policy.named(name)
                .rule("calls", Limit.tokenBucket(1000, 1000, Duration.ofMinutes(1)), "partner")
                .pausable();
    }

    @AfterEach
    void close() {
        first.close();
        second.close();
    }

    private static void awaitPaused(Limiter limiter, String partner) {
        Await.until("pause", WITHIN, () -> limiter.tryAcquire(partner).basis() == Basis.PAUSED);
    }

    private static void awaitResumed(Limiter limiter, String partner) {
        Await.until("resumption", WITHIN, () -> limiter.tryAcquire(partner).allowed());
    }

    @Test
    void a_pause_is_in_force_here_at_once_and_in_another_engine_soon_and_ends_in_both() {
        assertThat(here.pause("acme", HOUR)).isEqualTo(HOUR);
        Decision denied = here.tryAcquire("acme");
        assertThat(denied.basis()).isEqualTo(Basis.PAUSED);
        assertThat(denied.retryAfter().orElseThrow()).isBetween(HOUR.minusMinutes(2), HOUR);
        awaitPaused(there, "acme");
        assertThat(there.peek("acme").retryAfter().orElseThrow()).isBetween(HOUR.minusMinutes(2), HOUR);
        assertThat(there.tryAcquire("other").allowed()).isTrue();
        assertThat(there.resume("acme")).isTrue();
        assertThat(there.tryAcquire("acme").allowed()).isTrue();
        awaitResumed(here, "acme");
        assertThat(here.resume("acme")).isFalse();
    }

    @Test
    void an_engine_that_starts_later_receives_the_pauses_in_force() {
        here.pause("acme", HOUR);
        here.pause(Attributes.of("partner", "with blanks, % and \n lines"), HOUR);
        try (RedisLimitEngine third = redis.limits().build()) {
            Limiter late = third.limiter(PARTNERS);
            awaitPaused(late, "acme");
            assertThat(late.tryAcquire("with blanks, % and \n lines").basis()).isEqualTo(Basis.PAUSED);
            assertThat(late.tryAcquire("with blanks, % and").allowed()).isTrue();
        }
    }

    @Test
    void the_longer_one_of_two_pauses_applies_whichever_engine_sets_it() {
        here.pause("acme", HOUR);
        assertThat(there.pause("acme", Duration.ofSeconds(1))).isBetween(HOUR.minusMinutes(2), HOUR);
        assertThat(there.tryAcquire("acme").retryAfter().orElseThrow()).isGreaterThan(Duration.ofMinutes(50));
        assertThat(there.pause("acme", HOUR.multipliedBy(2))).isEqualTo(HOUR.multipliedBy(2));
    }

    @Test
    void requests_in_both_engines_wait_for_the_end_of_a_pause() {
        here.pause("acme", Duration.ofMillis(300));
        awaitPausedOrOver(there);
        CompletableFuture<Decision> waitingHere =
                here.async().acquire("acme", HOUR).toCompletableFuture();
        CompletableFuture<Decision> waitingThere =
                there.async().acquire("acme", HOUR).toCompletableFuture();
        assertThat(waitingHere).succeedsWithin(WITHIN).matches(Decision::allowed);
        assertThat(waitingThere).succeedsWithin(WITHIN).matches(Decision::allowed);
        Await.until("no key", WITHIN, () -> !isStored());
    }

    private boolean isStored() {
        return Long.valueOf(1).equals(redis.probe.command("EXISTS", "hg:pauses"));
    }

    /** The pause may have ended before this engine received it. */
    private void awaitPausedOrOver(Limiter limiter) {
        Await.until(
                "the pause or its end",
                WITHIN,
                () -> limiter.tryAcquire("acme").basis() == Basis.PAUSED || !isStored());
    }

    @Test
    void a_request_that_waits_in_another_engine_is_woken_when_the_pause_is_ended() {
        here.pause("acme", HOUR);
        awaitPaused(there, "acme");
        CompletableFuture<Decision> waiting =
                there.async().acquire("acme", HOUR.multipliedBy(2)).toCompletableFuture();
        assertThat(waiting).isNotDone();
        assertThat(here.resume("acme")).isTrue();
        assertThat(waiting).succeedsWithin(WITHIN).matches(Decision::allowed);
    }

    @Test
    void a_pause_is_received_without_messages() {
        String user = "ACL SETUSER silent on nopass ~* -@all +@all -publish -subscribe resetchannels";
        redis.probe.command(user.split(" "));
        try (RedisLimitEngine quiet = Engines.builder(redis.url().replace("redis://", "redis://silent:any@"))
                .build()) {
            Limiter limiter = quiet.limiter(PARTNERS);
            here.pause("acme", HOUR);
            awaitPaused(limiter, "acme");
            // The first one may have been read when the engine started, or when it could not subscribe.
            here.pause("later", HOUR);
            awaitPaused(limiter, "later");
            assertThat(limiter.pause("other", HOUR)).isEqualTo(HOUR);
            awaitPaused(there, "other");
        } finally {
            redis.probe.command("ACL", "DELUSER", "silent");
        }
    }

    @Test
    void a_pause_during_an_outage_is_in_force_here_and_written_afterwards() {
        try (RedisLimitEngine cut = RedisLimitEngine.builder(redis.proxy.url())
                .fallback(Fallback.local())
                .build()) {
            Limiter limiter = cut.limiter(PARTNERS);
            assertThat(limiter.tryAcquire("acme").allowed()).isTrue();
            redis.proxy.refuseConnections();
            redis.proxy.cutAll();
            assertThat(limiter.pause("acme", HOUR)).isEqualTo(HOUR);
            assertThat(limiter.tryAcquire("acme").basis()).isEqualTo(Basis.PAUSED);
            assertThat(limiter.tryAcquire("other").allowed()).isTrue();
            assertThat(there.tryAcquire("acme").allowed()).isTrue();
            redis.proxy.acceptConnections();
            awaitPaused(there, "acme");
            assertThat(limiter.tryAcquire("acme").basis()).isEqualTo(Basis.PAUSED);
        }
    }

    @Test
    void leased_permits_and_cached_decisions_do_not_bypass_a_pause() {
        Limiter leased = first.limiter(policy("leased").leased().build());
        for (int i = 0; i < 200; i++) {
            leased.tryAcquire("acme");
        }
        leased.pause("acme", HOUR);
        assertThat(leased.tryAcquire("acme").basis()).isEqualTo(Basis.PAUSED);
    }

    @Test
    void a_request_to_several_policies_is_denied_by_a_pause_of_one_and_charges_none() {
        Limiter users = first.limiter("users", Limit.slidingWindow(10, HOUR));
        here.pause("acme", HOUR);
        CombinedDecision decision = first.tryAcquire(new CombinedRequest(List.of(
                new CombinedRequest.Part(users, PermitRequest.of("alice")),
                new CombinedRequest.Part(here, PermitRequest.of("acme")))));
        assertThat(decision.allowed()).isFalse();
        assertThat(decision.decisions()).extracting(Decision::basis).containsExactly(Basis.SKIPPED, Basis.PAUSED);
        assertThat(users.peek("alice").remaining()).isEqualTo(10);
    }

    @Test
    void the_number_of_pauses_is_bounded_over_all_engines() {
        for (int i = 0; i < 1000; i++) {
            here.async().pause("id-" + i, HOUR);
        }
        assertThat(here.pause("id-0", HOUR.multipliedBy(2))).isEqualTo(HOUR.multipliedBy(2));
        awaitPaused(there, "id-999");
        assertThatThrownBy(() -> there.pause("one-more", HOUR))
                .isInstanceOf(LimiterException.class)
                .hasMessageContaining("1000 other keys are paused, the most at a time");
        try (RedisLimitEngine third = redis.limits().build()) {
            // It has not read the pauses, or has: Redis rejects one more in either case.
            Limiter late = third.limiter(PARTNERS);
            assertThatThrownBy(() -> late.pause("one-more", HOUR)).isInstanceOf(LimiterException.class);
            assertThat(late.tryAcquire("one-more").allowed()).isTrue();
        }
        redis.probe.flushAll();
    }

    @Test
    void a_policy_without_pauses_makes_no_call_for_them() {
        try (RedisLimitEngine plain =
                RedisLimitEngine.builder(redis.proxy.url()).build()) {
            Limiter limiter = plain.limiter("plain", Limit.slidingWindow(10, HOUR));
            limiter.tryAcquire("alice");
            assertThat(redis.proxy.connectionsSeen()).isEqualTo(1);
            assertThatThrownBy(() -> limiter.pause("alice", HOUR)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void a_pause_of_a_killed_process_is_in_force_in_another_process() {
        try (ChildJvm pausing = ChildJvm.of(PausingProcess.class).shortLived().start(redis.url());
                ChildJvm other = ChildJvm.of(PausingProcess.class).shortLived().start(redis.url())) {
            other.send("try acme");
            assertThat(other.awaitLine(line -> line.startsWith("acme "), WITHIN))
                    .isEqualTo("acme COUNTED");
            pausing.send("pause acme");
            pausing.awaitLine("paused"::equals, WITHIN);
            pausing.kill();
            other.send("await acme");
            assertThat(other.awaitLine(line -> line.startsWith("acme "), WITHIN))
                    .isEqualTo("acme PAUSED");
        }
        awaitPaused(here, "acme");
    }
}
