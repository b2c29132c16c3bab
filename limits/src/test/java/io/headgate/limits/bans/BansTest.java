package io.headgate.limits.bans;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.Decision.Basis;
import io.headgate.limits.InMemoryLimitEngine;
import io.headgate.limits.Limit;
import io.headgate.limits.LimitListener;
import io.headgate.limits.Limiter;
import io.headgate.limits.PermitRequest;
import io.headgate.limits.Policy;
import io.headgate.limits.RequestId;
import io.headgate.limits.combined.CombinedDecision;
import io.headgate.limits.combined.CombinedRequest;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Bans and exemptions of the engine in memory. */
@Timeout(60)
class BansTest {

    private static final Duration HOUR = Duration.ofHours(1);
    private static final Policy API = Policy.named("api")
            .rule("calls", Limit.slidingWindow(2, Duration.ofMinutes(1)), "user")
            .build();
    private static final Policy MAILS = Policy.named("mails")
            .rule("mails", Limit.slidingWindow(2, Duration.ofMinutes(1)), "user")
            .build();

    private final AtomicLong clock = new AtomicLong(1_800_000_000_000_000L);
    private final List<Decision> received = new ArrayList<>();
    private final InMemoryLimitEngine limits = InMemoryLimitEngine.builder()
            .time(clock::get)
            .listener(new LimitListener() {
                @Override
                public void onDecision(
                        Policy policy, Attributes attributes, long permits, Decision decision, long elapsedNanos) {
                    received.add(decision);
                }
            })
            .build();
    private final Bans bans = limits.bans();
    private final Limiter api = limits.limiter(API);
    private final Limiter mails = limits.limiter(MAILS);

    @AfterEach
    void close() {
        limits.close();
    }

    private void advance(Duration time) {
        clock.addAndGet(time.toNanos() / 1000);
    }

    private static PermitRequest of(String user, String ip) {
        return PermitRequest.of(Attributes.of("user", user).with("ip", ip));
    }

    @Test
    void banned_requests_are_denied_until_the_ban_ends_and_charge_nothing() {
        BanEntry ban = bans.add(BanRequest.ban(BanTarget.user("mallory"))
                .lasting(HOUR)
                .because("card testing")
                .by("ada"));
        assertThat(ban.until()).contains(Instant.ofEpochSecond(1_800_003_600));
        assertThat(ban.since()).isEqualTo(Instant.ofEpochSecond(1_800_000_000));
        advance(Duration.ofMinutes(15));
        Decision denied = api.tryAcquire("mallory");
        assertThat(denied.denied()).isTrue();
        assertThat(denied.basis()).isEqualTo(Basis.BANNED);
        assertThat(denied.ban()).contains(ban);
        assertThat(denied.retryAfter()).contains(Duration.ofMinutes(45));
        assertThat(denied.deniedBy()).isEmpty();
        assertThat(denied.charged()).isZero();
        assertThat(api.peek("mallory").ban()).contains(ban);
        assertThat(mails.async()
                        .tryAcquire("mallory")
                        .toCompletableFuture()
                        .join()
                        .ban())
                .contains(ban);
        assertThat(api.tryAcquire("alice").allowed()).isTrue();
        assertThat(received).hasSize(3).contains(denied);
        advance(Duration.ofMinutes(45));
        assertThat(api.tryAcquire("mallory").remaining()).isEqualTo(1);
        assertThat(bans.entries()).isEmpty();
        assertThat(bans.find(BanTarget.user("mallory"))).isEmpty();
    }

    @Test
    void a_request_under_a_permanent_ban_is_not_retryable() {
        bans.add(BanRequest.ban(BanTarget.user("mallory")));
        Decision denied = api.tryAcquire("mallory");
        assertThat(denied.denied()).isTrue();
        assertThat(denied.retryable()).isFalse();
        assertThat(denied.retryAfter()).isEmpty();
        assertThat(denied.ban().orElseThrow().until()).isEmpty();
    }

    @Test
    void a_ban_without_listeners_also_denies_requests_by_id() {
        try (InMemoryLimitEngine plain = InMemoryLimitEngine.create()) {
            Limiter limiter = plain.limiter(API);
            plain.bans().add(BanRequest.ban(BanTarget.user("mallory")));
            assertThat(limiter.tryAcquire("mallory").basis()).isEqualTo(Basis.BANNED);
            plain.bans().lift(BanTarget.user("mallory"));
            assertThat(limiter.tryAcquire("mallory").basis()).isEqualTo(Basis.COUNTED);
        }
    }

    @Test
    void a_lifted_ban_ends_at_once() {
        BanEntry ban = bans.add(BanRequest.ban(BanTarget.user("mallory")).lasting(HOUR));
        assertThat(bans.lift(BanTarget.user("mallory"))).contains(ban);
        assertThat(api.tryAcquire("mallory").allowed()).isTrue();
        assertThat(bans.lift(BanTarget.user("mallory"))).isEmpty();
    }

    @Test
    void a_second_ban_extends_the_first_and_never_shortens_it() {
        Instant start = Instant.ofEpochSecond(1_800_000_000);
        BanTarget mallory = BanTarget.user("mallory");
        bans.add(BanRequest.ban(mallory).lasting(HOUR).because("first").by("ada"));
        BanEntry shorter = bans.add(BanRequest.ban(mallory)
                .lasting(Duration.ofMinutes(1))
                .because("second")
                .by("bob"));
        assertThat(shorter.until()).contains(start.plus(HOUR));
        assertThat(shorter.reason()).isEqualTo("second");
        assertThat(shorter.by()).isEqualTo("bob");
        advance(Duration.ofMinutes(30));
        BanEntry longer = bans.add(BanRequest.ban(mallory).lasting(HOUR));
        assertThat(longer.until()).contains(start.plus(Duration.ofMinutes(90)));
        assertThat(longer.since()).isEqualTo(start);
        assertThat(bans.add(BanRequest.ban(mallory)).until()).isEmpty();
        assertThat(bans.add(BanRequest.ban(mallory).lasting(HOUR)).until()).isEmpty();
        assertThat(bans.entries()).hasSize(1);
    }

    @Test
    void a_target_has_one_kind_of_entry() {
        bans.add(BanRequest.ban(BanTarget.user("mallory")));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> bans.add(BanRequest.exemption(BanTarget.user("mallory"))))
                .withMessage("user=mallory has a ban already; lift it before you add an exemption");
        assertThat(api.tryAcquire("mallory").basis()).isEqualTo(Basis.BANNED);
    }

    @Test
    void a_ban_of_a_block_applies_to_the_addresses_in_it() {
        bans.add(BanRequest.ban(BanTarget.ip("203.0.113.0/24")));
        bans.add(BanRequest.ban(BanTarget.ip("2001:db8::/32")));
        assertThat(api.tryAcquire(of("a", "203.0.113.7")).denied()).isTrue();
        assertThat(api.tryAcquire(of("a", "::ffff:203.0.113.7")).denied()).isTrue();
        assertThat(api.tryAcquire(of("a", "2001:DB8:1:2::/64")).denied()).isTrue();
        assertThat(api.tryAcquire(of("b", "203.0.114.7")).allowed()).isTrue();
        assertThat(api.tryAcquire(of("b", "2001:db9::1")).allowed()).isTrue();
        assertThat(api.tryAcquire(of("c", "not an address")).allowed()).isTrue();
        bans.lift(BanTarget.ip("203.0.113.0/24"));
        assertThat(api.tryAcquire(of("d", "203.0.113.7")).allowed()).isTrue();
        assertThat(api.tryAcquire(of("d", "2001:db8::1")).denied()).isTrue();
    }

    /** Clients with IPv6 addresses are counted by their network, so the ban of an address must not miss them. */
    @Test
    void a_ban_of_an_address_applies_to_a_request_whose_value_is_a_block_around_it() {
        bans.add(BanRequest.ban(BanTarget.ip("2001:db8:1:2::7")));
        assertThat(api.tryAcquire(of("a", "2001:db8:1:2::/64")).denied()).isTrue();
        assertThat(api.tryAcquire(of("a", "2001:db8:1:3::/64")).allowed()).isTrue();
    }

    @Test
    void an_exemption_within_a_banned_block_wins() {
        bans.add(BanRequest.ban(BanTarget.ip("203.0.113.0/24")));
        BanEntry exemption =
                bans.add(BanRequest.exemption(BanTarget.ip("203.0.113.7")).because("monitoring"));
        for (int i = 0; i < 5; i++) {
            Decision allowed = api.tryAcquire(of("probe", "203.0.113.7"));
            assertThat(allowed.allowed()).isTrue();
            assertThat(allowed.basis()).isEqualTo(Basis.EXEMPT);
            assertThat(allowed.ban()).contains(exemption);
            assertThat(allowed.charged()).isZero();
        }
        assertThat(api.peek(of("probe", "198.51.100.1")).remaining()).isEqualTo(2);
        assertThat(api.tryAcquire(of("probe", "203.0.113.8")).basis()).isEqualTo(Basis.BANNED);
    }

    @Test
    void counted_exempt_requests_are_counted_and_never_denied() {
        bans.add(BanRequest.countedExemption(BanTarget.user("partner")));
        for (int i = 0; i < 5; i++) {
            Decision allowed = api.tryAcquire("partner");
            assertThat(allowed.allowed()).isTrue();
            assertThat(allowed.basis()).isEqualTo(Basis.COUNTED);
            assertThat(allowed.deniedInShadow()).isEqualTo(i < 2 ? List.of() : List.of("calls"));
        }
        assertThat(bans.applicable("api", Attributes.of("user", "partner"))
                        .orElseThrow()
                        .kind())
                .isEqualTo(BanEntry.Kind.COUNTED_EXEMPTION);
        bans.lift(BanTarget.user("partner"));
        assertThat(api.tryAcquire("partner").denied()).isTrue();
    }

    @Test
    void an_exemption_precedes_a_counted_one_whichever_ends_later() {
        bans.add(BanRequest.exemption(BanTarget.user("partner")).lasting(HOUR));
        bans.add(BanRequest.countedExemption(BanTarget.ip("203.0.113.7")));
        bans.add(BanRequest.countedExemption(BanTarget.user("probe")));
        bans.add(BanRequest.exemption(BanTarget.ip("198.51.100.7")).lasting(HOUR));
        assertThat(api.tryAcquire(of("partner", "203.0.113.7")).basis()).isEqualTo(Basis.EXEMPT);
        assertThat(api.tryAcquire(of("probe", "198.51.100.7")).basis()).isEqualTo(Basis.EXEMPT);
    }

    @Test
    void a_decision_on_a_counted_exempt_request_is_refunded() {
        bans.add(BanRequest.countedExemption(BanTarget.user("partner")));
        Decision charged = api.tryAcquire("partner");
        assertThat(api.refund("partner", charged)).isEqualTo(1);
        assertThat(api.peek("partner").remaining()).isEqualTo(2);
    }

    @Test
    void a_ban_of_one_policy_does_not_apply_to_others() {
        bans.add(BanRequest.ban(BanTarget.user("mallory").ofPolicy("api")));
        assertThat(api.tryAcquire("mallory").denied()).isTrue();
        assertThat(mails.tryAcquire("mallory").allowed()).isTrue();
    }

    @Test
    void of_several_bans_a_decision_reports_the_one_that_ends_last() {
        bans.add(BanRequest.ban(BanTarget.user("mallory")).lasting(HOUR));
        bans.add(BanRequest.ban(BanTarget.ip("203.0.113.7")).lasting(HOUR.multipliedBy(2)));
        bans.add(BanRequest.ban(BanTarget.ip("203.0.113.0/24")).lasting(Duration.ofMinutes(1)));
        assertThat(api.tryAcquire(of("mallory", "203.0.113.7")).retryAfter()).contains(HOUR.multipliedBy(2));
    }

    @Test
    void a_request_to_several_policies_is_denied_if_it_is_banned_under_one() {
        bans.add(BanRequest.ban(BanTarget.user("mallory").ofPolicy("api")));
        CombinedDecision denied =
                limits.tryAcquire(CombinedRequest.of(api, "mallory").and(mails, "mallory"));
        assertThat(denied.denied()).isTrue();
        assertThat(denied.decisions()).extracting(Decision::basis).containsExactly(Basis.BANNED, Basis.SKIPPED);
        assertThat(mails.peek("mallory").remaining()).isEqualTo(2);
    }

    @Test
    void a_request_to_several_policies_is_not_counted_if_it_is_exempt_under_all() {
        bans.add(BanRequest.exemption(BanTarget.user("partner")));
        CombinedDecision exempt =
                limits.tryAcquire(CombinedRequest.of(api, "partner").and(mails, "partner"));
        assertThat(exempt.allowed()).isTrue();
        assertThat(exempt.decisions()).extracting(Decision::basis).containsOnly(Basis.EXEMPT);
    }

    @Test
    void a_request_that_is_exempt_under_one_policy_is_denied_only_by_the_others() {
        bans.add(BanRequest.exemption(BanTarget.user("partner").ofPolicy("api")));
        CombinedRequest request = CombinedRequest.of(api, "partner").and(mails, "partner");
        mails.tryAcquire("partner");
        assertThat(limits.tryAcquire(request).allowed()).isTrue();
        CombinedDecision denied = limits.tryAcquire(request);
        assertThat(denied.denied()).isTrue();
        assertThat(denied.decisions()).extracting(Decision::allowed).containsExactly(true, false);
    }

    @Test
    void a_banned_request_does_not_receive_an_earlier_decision_of_its_request_id() {
        PermitRequest request = PermitRequest.of("mallory").withId(RequestId.of("order-1"));
        assertThat(api.tryAcquire(request).allowed()).isTrue();
        bans.add(BanRequest.ban(BanTarget.user("mallory")));
        assertThat(api.tryAcquire(request).basis()).isEqualTo(Basis.BANNED);
    }

    @Test
    void a_waiting_request_is_allowed_when_its_ban_is_lifted() {
        bans.add(BanRequest.ban(BanTarget.user("mallory")).lasting(HOUR));
        CompletableFuture<Decision> waiting = api.async()
                .acquire(PermitRequest.of("mallory"), HOUR.multipliedBy(2))
                .toCompletableFuture();
        assertThat(waiting).isNotDone();
        bans.lift(BanTarget.user("mallory"));
        assertThat(waiting.join().allowed()).isTrue();
    }

    @Test
    void a_request_does_not_wait_for_the_end_of_a_permanent_ban() {
        bans.add(BanRequest.ban(BanTarget.user("mallory")));
        assertThat(api.async()
                        .acquire(PermitRequest.of("mallory"), HOUR)
                        .toCompletableFuture()
                        .join()
                        .denied())
                .isTrue();
    }

    @Test
    void an_exemption_does_not_end_a_pause_and_a_ban_precedes_it() {
        Limiter partners = limits.limiter(Policy.named("partners")
                .rule("calls", Limit.tokenBucket(1, 1, HOUR), "user")
                .pausable()
                .build());
        bans.add(BanRequest.exemption(BanTarget.user("acme")));
        partners.pause("acme", Duration.ofMinutes(1));
        assertThat(partners.tryAcquire("acme").basis()).isEqualTo(Basis.PAUSED);
        bans.lift(BanTarget.user("acme"));
        bans.add(BanRequest.ban(BanTarget.user("acme")));
        assertThat(partners.tryAcquire("acme").basis()).isEqualTo(Basis.BANNED);
    }

    @Test
    void entries_are_sorted_by_target() {
        bans.add(BanRequest.ban(BanTarget.user("b").ofPolicy("api")));
        bans.add(BanRequest.ban(BanTarget.user("c")));
        bans.add(BanRequest.ban(BanTarget.ip("203.0.113.7")));
        bans.add(BanRequest.exemption(BanTarget.user("a")));
        assertThat(bans.entries())
                .extracting(entry -> entry.target().toString())
                .containsExactly("ip=203.0.113.7", "user=a", "user=c", "user=b of policy api");
    }

    @Test
    void the_attributes_of_the_targets_are_known() {
        assertThat(bans.attributes()).isEmpty();
        bans.add(BanRequest.ban(BanTarget.user("b").ofPolicy("api")));
        bans.add(BanRequest.ban(BanTarget.user("c")));
        bans.add(BanRequest.ban(BanTarget.ip("203.0.113.7")));
        assertThat(bans.attributes()).containsExactlyInAnyOrder("user", "ip");
        bans.lift(BanTarget.ip("203.0.113.7"));
        bans.lift(BanTarget.user("c"));
        assertThat(bans.attributes()).containsExactly("user");
    }

    @Test
    void bans_beyond_the_bounds_are_rejected_until_others_have_ended() {
        for (int i = 0; i < Bans.MAX_BLOCKS; i++) {
            bans.add(BanRequest.ban(BanTarget.ip("10." + i / 256 + "." + i % 256 + ".0/24"))
                    .lasting(HOUR));
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() -> bans.add(BanRequest.ban(BanTarget.ip("203.0.113.0/24"))))
                .withMessage("ip=203.0.113.0/24 can't be added: 10000 blocks are banned or exempt, the most at a time; "
                        + "lift some of them");
        for (int i = Bans.MAX_BLOCKS; i < Bans.MAX_ENTRIES; i++) {
            bans.add(BanRequest.ban(BanTarget.user("user" + i)).lasting(HOUR));
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() -> bans.add(BanRequest.ban(BanTarget.user("one-more"))))
                .withMessage("user=one-more can't be added: there are 100000 bans and exemptions, the most at a time; "
                        + "lift some of them");
        // An entry of a known target is replaced.
        bans.add(BanRequest.ban(BanTarget.user("user50000")).lasting(HOUR));
        advance(HOUR);
        bans.add(BanRequest.ban(BanTarget.user("one-more")));
        assertThat(bans.entries()).hasSize(1);
    }

    @Test
    void invalid_requests_are_rejected() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> BanRequest.ban(BanTarget.user("a")).lasting(Duration.ZERO))
                .withMessage("duration of a ban must be from 1 s to 3660 days, in whole milliseconds, was PT0S");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> BanRequest.ban(BanTarget.user("a")).because("line\nbreak"))
                .withMessageContaining("reason of a ban must have at most 256 characters");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> BanTarget.user(""))
                .withMessage("number of characters of user in a ban must be from 1 to 1024, was 0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> BanTarget.of("ip", "203.0.113.7/24"))
                .withMessage("ip 203.0.113.7/24 has bits after its prefix; write 203.0.113.0/24");
        assertThatIllegalArgumentException().isThrownBy(() -> BanTarget.of("not a name", "a"));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> BanTarget.user("half \ud83d"))
                .withMessage("user in a ban must be valid Unicode, but has half of a surrogate pair: \"half \\ud83d\"");
    }

    @Test
    void a_closed_engine_rejects_changes() {
        limits.close();
        assertThatThrownBy(() -> bans.add(BanRequest.ban(BanTarget.user("a"))))
                .isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> bans.lift(BanTarget.user("a"))).isInstanceOf(IllegalStateException.class);
    }
}
