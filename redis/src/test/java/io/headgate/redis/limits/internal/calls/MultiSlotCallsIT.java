package io.headgate.redis.limits.internal.calls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.Limit;
import io.headgate.limits.LimiterException;
import io.headgate.limits.Policy;
import io.headgate.limits.RequestId;
import io.headgate.limits.Rule;
import io.headgate.limits.internal.algorithm.Charge;
import io.headgate.redis.limits.Burst;
import io.headgate.redis.limits.internal.planner.AcquireRequest;
import io.headgate.redis.limits.internal.planner.RulePlanner;
import io.headgate.testkit.Await;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * Rules on two masters, each decided by a separate call: whatever fails, is late or is retried, each rule counts at least the
 * admitted permits.
 */
class MultiSlotCallsIT {

    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final Attributes ALICE = Attributes.of(Attributes.USER, "alice");

    private static Policy policy(long first, long second) {
        return Policy.named("p")
                .rule("first", Limit.slidingWindow(first, HOUR), Attributes.USER)
                .rule("second", Limit.fixedWindow(second, HOUR).fromFirstRequest(), Attributes.USER)
                .build();
    }

    @Test
    void a_request_that_all_rules_admit_is_charged_and_one_that_a_rule_denies_is_refunded() {
        try (TwoMasters masters = new TwoMasters(policy(5, 2), LONG)) {
            assertThat(masters.acquire(ALICE).join().allowed()).isTrue();
            assertThat(masters.acquire(ALICE).join().remaining()).isZero();
            Decision denied = masters.acquire(ALICE).join();
            assertThat(denied.deniedBy()).contains("second");
            assertThat(denied.rules().get(0).remaining()).isEqualTo(3);
            masters.awaitCounted(ALICE, 2, 2);
        }
    }

    @Test
    void a_request_takes_a_call_for_each_rule_and_one_for_each_refund() {
        try (TwoMasters masters = new TwoMasters(policy(5, 1), LONG)) {
            masters.acquire(ALICE).join();
            masters.acquire(ALICE).join();
            masters.awaitCounted(ALICE, 1, 1);
            long first = masters.first.commandsSeen("EVALSHA");
            long second = masters.second.commandsSeen("EVALSHA");
            masters.acquire(ALICE).join();
            masters.awaitCounted(ALICE, 1, 1);
            // The request, and at least one peek.
            assertThat(masters.second.commandsSeen("EVALSHA") - second).isGreaterThanOrEqualTo(2);
            assertThat(masters.first.commandsSeen("EVALSHA") - first)
                    .isEqualTo(masters.second.commandsSeen("EVALSHA") - second + 1);
            masters.calls()
                    .refund(
                            masters.planner(),
                            ALICE,
                            Charge.ofOldest(masters.planner().policy(), 1),
                            OptionalLong.empty())
                    .join();
            first = masters.first.commandsSeen("EVALSHA");
            second = masters.second.commandsSeen("EVALSHA");
            assertThat(masters.acquire(ALICE).join().allowed()).isTrue();
            assertThat(masters.first.commandsSeen("EVALSHA") - first).isEqualTo(1);
            assertThat(masters.second.commandsSeen("EVALSHA") - second).isEqualTo(1);
        }
    }

    @Test
    void a_refund_of_a_decision_reaches_each_rule_at_its_own_time() {
        Policy windows = Policy.named("p")
                .rule("first", Limit.slidingWindow(5, HOUR), Attributes.USER)
                .rule("second", Limit.slidingWindow(5, HOUR), Attributes.USER)
                .build();
        try (TwoMasters masters = new TwoMasters(windows, LONG)) {
            Decision decision = masters.acquire(ALICE).join();
            while (decision.decidedAt("first").equals(decision.decidedAt("second"))) {
                decision = masters.acquire(ALICE).join();
            }
            long[] counted = masters.counted(ALICE);
            assertThat(decision.decidedAt()).isIn(decision.decidedAt("first"), decision.decidedAt("second"));
            assertThat(masters.calls()
                            .refund(masters.planner(), ALICE, Charge.of(windows, decision), OptionalLong.empty())
                            .join())
                    .isEqualTo(1);
            assertThat(masters.counted(ALICE)).containsExactly(counted[0] - 1, counted[1] - 1);
        }
    }

    /** Rules in shadow mode may charge nothing although the request is admitted. */
    @Test
    void a_rule_that_charged_nothing_is_refunded_without_a_call() {
        Policy shadow = Policy.named("p")
                .rule(Rule.of("first", Limit.slidingWindow(1, HOUR), Attributes.USER)
                        .inShadow())
                .rule(Rule.of("second", Limit.slidingWindow(1, HOUR), Attributes.USER)
                        .inShadow())
                .build();
        try (TwoMasters masters = new TwoMasters(shadow, LONG)) {
            masters.acquire(ALICE).join();
            Decision decision = masters.acquire(ALICE).join();
            assertThat(decision.allowed()).isTrue();
            assertThat(decision.deniedInShadow()).containsExactly("first", "second");
            long before = masters.first.commandsSeen("EVALSHA") + masters.second.commandsSeen("EVALSHA");
            assertThat(masters.calls()
                            .refund(masters.planner(), ALICE, Charge.of(shadow, decision), OptionalLong.empty())
                            .orTimeout(30, TimeUnit.SECONDS)
                            .join())
                    .isZero();
            assertThat(masters.first.commandsSeen("EVALSHA") + masters.second.commandsSeen("EVALSHA"))
                    .isEqualTo(before);
            assertThat(masters.counted(ALICE)).containsExactly(1, 1);
        }
    }

    @Test
    void a_lost_reply_of_one_rule_fails_the_request_and_refunds_the_other() {
        try (TwoMasters masters = new TwoMasters(policy(5, 5), LONG)) {
            masters.acquire(ALICE).join();
            masters.second.cutNextReplyTo("EVALSHA");
            assertThatThrownBy(() -> masters.acquire(ALICE).join())
                    .isInstanceOf(CompletionException.class)
                    .cause()
                    .isInstanceOfSatisfying(LimiterException.class, failure -> assertThat(failure.mayBeCharged())
                            .isTrue());
            // The rule whose reply was lost stays charged, which errs on the side of denying.
            awaitReconnected(masters);
            masters.awaitCounted(ALICE, 1, 2);
        }
    }

    @Test
    void a_rule_that_replies_after_another_has_failed_is_refunded_too() {
        try (TwoMasters masters = new TwoMasters(policy(5, 5), LONG)) {
            masters.acquire(ALICE).join();
            masters.first.holdReplies();
            masters.second.answerNextWithError("LOADING Redis is loading", "EVALSHA");
            CompletableFuture<Decision> sent = masters.acquire(ALICE);
            assertThatThrownBy(sent::join).cause().isInstanceOfSatisfying(LimiterException.class, failure -> assertThat(
                            failure.mayBeCharged())
                    .isTrue());
            masters.first.releaseReplies();
            masters.awaitCounted(ALICE, 1, 1);
        }
    }

    @Test
    void a_timeout_of_one_rule_fails_the_request_and_refunds_the_other() {
        try (TwoMasters masters = new TwoMasters(policy(5, 5), Duration.ofMillis(300))) {
            Burst.awaiting(List.of(masters.acquire(ALICE)));
            masters.second.holdReplies();
            assertThatThrownBy(() -> masters.acquire(ALICE).join()).hasMessageContaining("300 ms");
            masters.second.resume();
            masters.awaitCounted(ALICE, 1, 2);
        }
    }

    @Test
    void a_request_that_cannot_be_sent_to_the_first_rule_is_sent_to_none_and_certainly_not_charged() {
        try (TwoMasters masters = new TwoMasters(policy(5, 5), LONG)) {
            masters.acquire(ALICE).join();
            masters.first.refuseConnections();
            masters.first.cutAll();
            awaitDisconnected(masters);
            long before = masters.second.commandsSeen("EVALSHA");
            assertThatThrownBy(() -> masters.acquire(ALICE).join())
                    .cause()
                    .isInstanceOfSatisfying(LimiterException.class, failure -> assertThat(failure.mayBeCharged())
                            .isFalse());
            assertThat(masters.second.commandsSeen("EVALSHA")).isEqualTo(before);
        }
    }

    @Test
    void a_foreign_value_in_one_key_fails_the_request_and_refunds_the_other() {
        try (TwoMasters masters = new TwoMasters(policy(5, 5), LONG)) {
            masters.probeOfSecond.command("SET", "hg:fw:p:second:alice", "foreign");
            assertThatThrownBy(() -> masters.acquire(ALICE).join()).hasMessageContaining("neither a count nor a ban");
            masters.probeOfSecond.command("DEL", "hg:fw:p:second:alice");
            masters.awaitCounted(ALICE, 0, 0);
        }
    }

    @Test
    void counted_attempts_stay_charged_and_shadow_rules_deny_nothing() {
        Policy policy = Policy.named("p")
                .rule(Rule.of("first", Limit.slidingWindow(3, HOUR), Attributes.USER)
                        .countingAttempts())
                .rule("second", Limit.fixedWindow(1, HOUR).fromFirstRequest(), Attributes.USER)
                .rule(Rule.of("second-trial", Limit.fixedWindow(0, HOUR).fromFirstRequest(), Attributes.USER)
                        .inShadow())
                .build();
        try (TwoMasters masters = new TwoMasters(policy, LONG)) {
            Decision allowed = masters.acquire(ALICE).join();
            assertThat(allowed.allowed()).isTrue();
            assertThat(allowed.deniedInShadow()).containsExactly("second-trial");
            assertThat(masters.acquire(ALICE).join().deniedBy()).contains("second");
            Decision full = masters.acquire(ALICE).join();
            assertThat(full.rules().get(0).allowed()).isTrue();
            // It counted this attempt, too, and is full now.
            assertThat(full.rules().get(0).retryAfter()).isPresent();
            masters.awaitCounted(ALICE, 3, 1, 0);
        }
    }

    @Test
    void the_retry_of_a_denied_id_counts_another_attempt_because_it_may_be_admitted() {
        Policy policy = Policy.named("p")
                .rule(Rule.of("first", Limit.slidingWindow(9, HOUR), Attributes.USER)
                        .countingAttempts())
                .rule("second", Limit.fixedWindow(1, HOUR).fromFirstRequest(), Attributes.USER)
                .build();
        try (TwoMasters masters = new TwoMasters(policy, LONG)) {
            AcquireRequest.Id id = AcquireRequest.Id.of(RequestId.of("order 1"));
            assertThat(masters.acquire(ALICE).join().allowed()).isTrue();
            for (int attempts = 1; attempts <= 3; attempts++) {
                assertThat(masters.acquire(ALICE, id).join().deniedBy()).contains("second");
                masters.awaitCounted(ALICE, 1 + attempts, 1);
            }
        }
    }

    @Test
    void a_repeated_id_receives_the_same_decision_and_is_charged_once() {
        try (TwoMasters masters = new TwoMasters(policy(5, 5), LONG)) {
            AcquireRequest.Id id = AcquireRequest.Id.of(RequestId.of("order 1"));
            Decision decision = masters.acquire(ALICE, id).join();
            for (int i = 0; i < 3; i++) {
                assertThat(masters.acquire(ALICE, id).join()).isEqualTo(decision);
            }
            assertThat(masters.counted(ALICE)).containsExactly(1, 1);
        }
    }

    @Test
    void an_id_whose_reply_was_lost_is_charged_once_when_it_is_repeated() {
        try (TwoMasters masters = new TwoMasters(policy(5, 5), LONG)) {
            masters.acquire(ALICE, AcquireRequest.Id.of(RequestId.of("warm"))).join();
            AcquireRequest.Id id = AcquireRequest.Id.of(RequestId.of("order 1"));
            masters.second.cutNextReplyTo("EVALSHA");
            assertThatThrownBy(() -> masters.acquire(ALICE, id).join()).hasCauseInstanceOf(LimiterException.class);
            awaitReconnected(masters);
            masters.awaitCounted(ALICE, 1, 2);
            assertThat(masters.acquire(ALICE, id).join().allowed()).isTrue();
            assertThat(masters.counted(ALICE)).containsExactly(2, 2);
        }
    }

    @Test
    void a_denied_id_keeps_no_record_of_a_refunded_charge() {
        try (TwoMasters masters = new TwoMasters(policy(5, 0), LONG)) {
            AcquireRequest.Id id = AcquireRequest.Id.of(RequestId.of("order 1"));
            for (int i = 0; i < 3; i++) {
                assertThat(masters.acquire(ALICE, id).join().deniedBy()).contains("second");
                masters.awaitCounted(ALICE, 0, 0);
            }
            assertThat(masters.probeOfFirst.command("EXISTS", "hg:id:{hg:sw:p:first:alice}:order%201"))
                    .isEqualTo(0L);
        }
    }

    @Test
    void a_stored_reply_is_refunded_when_the_last_caller_that_received_it_refunds_it() {
        try (TwoMasters masters = new TwoMasters(policy(5, 5), LONG)) {
            AcquireRequest.Id id = AcquireRequest.Id.of(RequestId.of("order 1"));
            RulePlanner rule = masters.planner().rulePlanners().get(0);
            AcquireRequest request = masters.planner().request(ALICE, 1, 0, id);
            RulePlanner.Reservation first =
                    masters.execute(rule.reserveWithId(request, id)).join().orThrow();
            RulePlanner.Reservation second =
                    masters.execute(rule.reserveWithId(request, id)).join().orThrow();
            assertThat(second).isEqualTo(first);
            assertThat(masters.execute(rule.refundWithId(request, id, first.charge(1)))
                            .join())
                    .isZero();
            assertThat(masters.counted(ALICE)[0]).isEqualTo(1);
            assertThat(masters.execute(rule.refundWithId(request, id, first.charge(1)))
                            .join())
                    .isEqualTo(1);
            assertThat(masters.counted(ALICE)[0]).isZero();
            assertThat(masters.execute(rule.refundWithId(request, id, first.charge(1)))
                            .join())
                    .isZero();
        }
    }

    private static void awaitReconnected(TwoMasters masters) {
        Await.until("a new connection", LONG, () -> !masters.isUnreachable());
    }

    private static void awaitDisconnected(TwoMasters masters) {
        Await.until("a master to be unreachable", LONG, masters::isUnreachable);
    }
}
