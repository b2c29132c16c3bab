package io.headgate.limits.bans;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.headgate.limits.Attributes;
import io.headgate.limits.CalendarWindow;
import io.headgate.limits.Decision;
import io.headgate.limits.Decision.Basis;
import io.headgate.limits.InMemoryLimitEngine;
import io.headgate.limits.Limit;
import io.headgate.limits.Limiter;
import io.headgate.limits.PermitRequest;
import io.headgate.limits.Policy;
import io.headgate.limits.Rule;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Bans by rules, in memory. The clock shows whole milliseconds, so bans have no random part. */
@Timeout(60)
class BanRulesTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Limit ONE_PER_MINUTE = Limit.slidingWindow(1, MINUTE);

    private final AtomicLong clock = new AtomicLong(1_800_000_000_000_000L);
    private final InMemoryLimitEngine limits =
            InMemoryLimitEngine.builder().time(clock::get).build();

    @AfterEach
    void close() {
        limits.close();
    }

    private void advance(Duration time) {
        clock.addAndGet(time.toNanos() / 1000);
    }

    private Limiter limiter(BanRule ban) {
        return limits.limiter(Policy.named("api")
                .rule(Rule.of("per-user", ONE_PER_MINUTE, "user").banning(ban))
                .build());
    }

    private static List<Basis> bases(Limiter limiter, int requests) {
        return Stream.generate(() -> limiter.tryAcquire("mallory").basis())
                .limit(requests)
                .toList();
    }

    @Test
    void the_last_of_the_denials_begins_a_ban() {
        Limiter limiter = limiter(BanRule.after(3, MINUTE).lasting(HOUR));
        assertThat(limiter.tryAcquire("mallory").allowed()).isTrue();
        assertThat(bases(limiter, 4)).containsExactly(Basis.COUNTED, Basis.COUNTED, Basis.BANNED, Basis.BANNED);
        advance(Duration.ofMinutes(59));
        Decision banned = limiter.tryAcquire("mallory");
        assertThat(banned.deniedBy()).contains("per-user");
        assertThat(banned.retryAfter()).contains(MINUTE);
        assertThat(banned.remaining()).isZero();
        assertThat(banned.ban()).isEmpty();
        assertThat(banned.rules().get(0).bannedFor()).contains(Duration.ofMinutes(59));
        assertThat(limiter.tryAcquire("alice").allowed()).isTrue();
        advance(MINUTE);
        assertThat(limiter.tryAcquire("mallory").allowed()).isTrue();
    }

    @Test
    void denials_that_are_too_old_do_not_count() {
        Limiter limiter = limiter(BanRule.after(3, MINUTE).lasting(HOUR));
        limiter.tryAcquire("mallory");
        advance(Duration.ofSeconds(1));
        limiter.tryAcquire("mallory");
        advance(Duration.ofSeconds(30));
        limiter.tryAcquire("mallory");
        advance(Duration.ofSeconds(30));
        // The permit of the first request has returned, and the first denial is exactly a minute old.
        assertThat(bases(limiter, 2)).containsExactly(Basis.COUNTED, Basis.COUNTED);
        assertThat(bases(limiter, 1)).containsExactly(Basis.BANNED);
    }

    @Test
    void each_further_ban_lasts_twice_as_long_up_to_the_longest_until_they_are_forgotten() {
        Limiter limiter = limiter(BanRule.after(1, MINUTE).lasting(HOUR).doublingUpTo(Duration.ofHours(3)));
        for (long hours : new long[] {1, 2, 3, 3}) {
            limiter.tryAcquire("mallory");
            assertThat(limiter.tryAcquire("mallory").retryAfter()).contains(Duration.ofHours(hours));
            advance(Duration.ofHours(hours));
        }
        advance(Duration.ofHours(3));
        limiter.tryAcquire("mallory");
        assertThat(limiter.tryAcquire("mallory").retryAfter()).contains(HOUR);
    }

    @Test
    void a_ban_is_longer_by_up_to_a_tenth() {
        clock.addAndGet(999);
        Limiter limiter = limiter(BanRule.after(1, MINUTE).lasting(Duration.ofSeconds(100)));
        limiter.tryAcquire("mallory");
        assertThat(limiter.tryAcquire("mallory").retryAfter()).contains(Duration.ofMillis(109_990));
    }

    @Test
    void a_reset_ends_a_ban_and_forgets_the_earlier_ones() {
        Limiter limiter = limiter(BanRule.after(1, MINUTE).lasting(HOUR).doublingUpTo(Duration.ofHours(9)));
        for (int i = 0; i < 2; i++) {
            limiter.tryAcquire("mallory");
            assertThat(limiter.tryAcquire("mallory").retryAfter()).contains(HOUR);
            limiter.reset("mallory");
        }
        assertThat(limiter.tryAcquire("mallory").allowed()).isTrue();
    }

    @Test
    void a_peek_shows_a_ban_and_counts_no_denial() {
        Limiter limiter = limiter(BanRule.after(2, MINUTE).lasting(HOUR));
        limiter.tryAcquire("mallory");
        for (int i = 0; i < 5; i++) {
            assertThat(limiter.peek("mallory").basis()).isEqualTo(Basis.COUNTED);
        }
        bases(limiter, 2);
        assertThat(limiter.peek("mallory").basis()).isEqualTo(Basis.BANNED);
    }

    @Test
    void a_rule_counts_only_its_own_denials() {
        Limiter limiter = limits.limiter(Policy.named("both")
                .rule("global", Limit.fixedWindow(1, MINUTE))
                .rule(Rule.of("per-user", Limit.fixedWindow(2, MINUTE), "user")
                        .banning(BanRule.after(1, MINUTE).lasting(HOUR)))
                .build());
        assertThat(bases(limiter, 5)).containsOnly(Basis.COUNTED);
    }

    @Test
    void a_banned_id_is_denied_even_if_another_rule_denies_for_longer() {
        Limiter limiter = limits.limiter(Policy.named("both")
                .rule("per-day", Limit.fixedWindow(1, Duration.ofDays(7)), "user")
                .rule(Rule.of("per-minute", Limit.fixedWindow(1, MINUTE), "user")
                        .banning(BanRule.after(1, MINUTE).lasting(MINUTE)))
                .build());
        limiter.tryAcquire("mallory");
        Decision denied = limiter.tryAcquire("mallory");
        assertThat(denied.basis()).isEqualTo(Basis.BANNED);
        assertThat(denied.deniedBy()).contains("per-day");
    }

    @Test
    void a_ban_by_a_rule_in_shadow_mode_denies_nothing() {
        Limiter limiter = limits.limiter(Policy.named("shadow")
                .rule(Rule.of("per-user", ONE_PER_MINUTE, "user")
                        .banning(BanRule.after(1, MINUTE).lasting(HOUR))
                        .inShadow())
                .build());
        limiter.tryAcquire("mallory");
        limiter.tryAcquire("mallory");
        advance(Duration.ofMinutes(30));
        Decision allowed = limiter.tryAcquire("mallory");
        assertThat(allowed.allowed()).isTrue();
        assertThat(allowed.basis()).isEqualTo(Basis.COUNTED);
        assertThat(allowed.deniedInShadow()).containsExactly("per-user");
        assertThat(allowed.rules().get(0).bannedFor()).contains(Duration.ofMinutes(30));
    }

    @Test
    void exempt_requests_count_no_denials_and_leave_bans_in_force() {
        Limiter limiter = limiter(BanRule.after(1, MINUTE).lasting(HOUR));
        limits.bans().add(BanRequest.countedExemption(BanTarget.user("mallory")));
        assertThat(Stream.generate(() -> limiter.tryAcquire("mallory").allowed())
                        .limit(5))
                .containsOnly(true);
        limits.bans().lift(BanTarget.user("mallory"));
        assertThat(bases(limiter, 2)).containsExactly(Basis.BANNED, Basis.BANNED);
        limits.bans().add(BanRequest.countedExemption(BanTarget.user("mallory")));
        assertThat(limiter.tryAcquire("mallory").allowed()).isTrue();
        limits.bans().lift(BanTarget.user("mallory"));
        assertThat(bases(limiter, 1)).containsExactly(Basis.BANNED);
    }

    @Test
    void a_ban_remains_in_force_if_the_rule_no_longer_bans() {
        Limiter limiter = limiter(BanRule.after(1, MINUTE).lasting(HOUR));
        bases(limiter, 2);
        limiter.update(
                Policy.named("api").rule("per-user", ONE_PER_MINUTE, "user").build());
        advance(Duration.ofMinutes(59));
        assertThat(bases(limiter, 1)).containsExactly(Basis.BANNED);
        advance(MINUTE);
        assertThat(bases(limiter, 2)).containsExactly(Basis.COUNTED, Basis.COUNTED);
    }

    @Test
    void a_rule_that_begins_no_further_bans_leaves_those_in_force() {
        Limiter limiter = limiter(BanRule.after(1, MINUTE).lasting(HOUR));
        bases(limiter, 2);
        limiter.update(limiter(BanRule.after(0, MINUTE).lasting(HOUR)).policy());
        assertThat(bases(limiter, 1)).containsExactly(Basis.BANNED);
        advance(HOUR);
        assertThat(bases(limiter, 9)).containsOnly(Basis.COUNTED);
    }

    @Test
    void a_refund_does_not_forget_earlier_denials_even_if_other_ids_need_room() {
        Limiter limiter = limiter(BanRule.after(2, HOUR).lasting(HOUR));
        Decision allowed = limiter.tryAcquire("mallory");
        limiter.tryAcquire("mallory");
        limiter.refund("mallory", allowed);
        advance(Duration.ofMinutes(10));
        for (int i = 0; i < 5000; i++) {
            limiter.tryAcquire("user-" + i);
        }
        assertThat(bases(limiter, 2)).containsExactly(Basis.COUNTED, Basis.BANNED);
    }

    @Test
    void a_reset_of_an_id_that_was_only_denied_finds_no_count() {
        Limiter limiter = limiter(BanRule.after(2, MINUTE).lasting(HOUR));
        limiter.tryAcquire(PermitRequest.of("mallory").withPermits(2));
        assertThat(limiter.reset("mallory")).isFalse();
        limiter.tryAcquire(PermitRequest.of("mallory").withPermits(2));
        assertThat(limiter.tryAcquire(PermitRequest.of("mallory").withPermits(2))
                        .basis())
                .isEqualTo(Basis.BANNED);
        assertThat(limiter.reset("mallory")).isTrue();
    }

    @Test
    void requests_for_more_than_the_limit_are_denials() {
        Limiter limiter = limiter(BanRule.after(1, MINUTE).lasting(HOUR));
        assertThat(limiter.tryAcquire(PermitRequest.of("mallory").withPermits(2))
                        .basis())
                .isEqualTo(Basis.BANNED);
    }

    @ParameterizedTest
    @MethodSource("limitsAndTheTimesForWhichTheyCount")
    void a_ban_lasts_at_least_as_long_as_the_counts_matter(Limit limit, Duration counted) {
        BanRule ban = BanRule.after(1, MINUTE);
        Rule rule = Rule.of("r", limit, "user");
        assertThat(rule.banning(ban.lasting(counted)).ban()).isPresent();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> rule.banning(ban.lasting(counted.minusSeconds(1))))
                .withMessage("a ban by rule r must last at least " + counted + ", as long as its counts matter, was "
                        + counted.minusSeconds(1));
    }

    static Stream<Object[]> limitsAndTheTimesForWhichTheyCount() {
        return Stream.of(
                new Object[] {Limit.fixedWindow(5, HOUR), HOUR},
                new Object[] {Limit.slidingWindow(5, HOUR), HOUR},
                new Object[] {Limit.slidingCounter(5, HOUR), HOUR.multipliedBy(2)},
                new Object[] {Limit.tokenBucket(10, 1, MINUTE), Duration.ofMinutes(10)},
                new Object[] {Limit.leakyBucket(10, 1, MINUTE), Duration.ofMinutes(10)},
                new Object[] {new CalendarWindow(5, CalendarWindow.Unit.DAY, ZoneOffset.UTC), Duration.ofHours(25)},
                new Object[] {
                    new CalendarWindow(5, CalendarWindow.Unit.MONTH, ZoneOffset.UTC), Duration.ofHours(31 * 24 + 1)
                });
    }

    @Test
    void an_override_with_a_longer_window_needs_longer_bans() {
        Policy.Builder policy = Policy.named("p")
                .rule(Rule.of("r", ONE_PER_MINUTE, "user")
                        .banning(BanRule.after(1, MINUTE).lasting(MINUTE)))
                .override("r", Attributes.of("plan", "free"), Limit.slidingWindow(1, HOUR));
        assertThatIllegalArgumentException().isThrownBy(policy::build).withMessageContaining("must last at least PT1H");
    }

    @Test
    void rules_that_must_not_ban_are_rejected() {
        BanRule ban = BanRule.after(1, MINUTE);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Rule.of("r", ONE_PER_MINUTE).banning(ban))
                .withMessageContaining("has no dimension");
        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        Rule.of("r", ONE_PER_MINUTE, "user").countingAttempts().banning(ban))
                .withMessageContaining("counts attempts");
        Policy.Builder leased = Policy.named("p")
                .rule(Rule.of("r", ONE_PER_MINUTE, "user").banning(ban))
                .leased();
        assertThatIllegalArgumentException()
                .isThrownBy(leased::build)
                .withMessageContaining("such a policy can't be leased");
    }

    @Test
    void numbers_out_of_their_ranges_are_rejected() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> BanRule.after(-1, MINUTE))
                .withMessage("denials of a ban must be from 0 to 1000, was -1");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> BanRule.after(1, Duration.ZERO))
                .withMessageContaining("time of the denials of a ban must be from 1 s to 1 day");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> BanRule.after(1, MINUTE).lasting(Duration.ofDays(3661)))
                .withMessageContaining("duration of a ban by a rule must be from 1 s to 3660 days");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> BanRule.after(1, MINUTE).lasting(HOUR).doublingUpTo(MINUTE))
                .withMessageContaining("longest duration of a ban by a rule must be from 1 hour to 3660 days");
    }
}
