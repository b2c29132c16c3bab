package io.headgate.limits.internal.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.Limit;
import io.headgate.limits.Policy;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Tests the decisions of an instance by its local share. */
class LocalShareTest {

    private static final long SECOND = 1_000_000;
    private static final Attributes ALICE = Attributes.of("user", "alice");
    private static final Policy POLICY = Policy.named("api")
            .rule("all", Limit.slidingWindow(100, Duration.ofMinutes(1)))
            .rule("per-user", Limit.tokenBucket(10, 10, Duration.ofMinutes(1)), "user")
            .build();

    private final AtomicLong now = new AtomicLong(1000 * SECOND);
    private final LocalShare share = new LocalShare(POLICY, new Counters(10_000), now::get);

    /** Makes requests for one permit each; returns how many are admitted. */
    private int countAdmitted(int requests) {
        int admitted = 0;
        for (int i = 0; i < requests; i++) {
            admitted += share.tryAcquire(ALICE, 1).allowed() ? 1 : 0;
        }
        return admitted;
    }

    @Test
    void a_changed_number_of_instances_changes_the_share_and_keeps_the_counts() {
        assertThat(countAdmitted(3)).isEqualTo(3);
        share.share(2);
        assertThat(countAdmitted(10)).isEqualTo(2);
        share.share(1);
        assertThat(countAdmitted(10)).isEqualTo(5);
    }

    @Test
    void decisions_have_the_rules_of_the_policy_and_the_remaining_permits_of_the_share() {
        share.share(5);
        Decision decision = share.tryAcquire(ALICE, 1);
        assertThat(decision.basis()).isEqualTo(Decision.Basis.LOCAL_SHARE);
        assertThat(decision.rules().get(1).rule()).isEqualTo(POLICY.rules().get(1));
        assertThat(decision.limit()).isEqualTo(10);
        assertThat(decision.remaining()).isEqualTo(1);
        assertThat(decision.charged()).isEqualTo(1);
    }

    @Test
    void more_than_the_share_is_retryable_and_more_than_the_limit_is_not() {
        share.share(5);
        Decision denied = share.tryAcquire(ALICE, 3);
        assertThat(denied.deniedBy()).contains("per-user");
        assertThat(denied.retryAfter()).contains(Duration.ofSeconds(1));
        assertThat(share.tryAcquire(ALICE, 101).retryAfter()).isEmpty();
    }

    @Test
    void a_share_begins_with_its_part_of_the_usage_of_all_instances() {
        share.share(2);
        share.begin(1, ALICE, 5);
        assertThat(share.used(1, ALICE)).isEqualTo(3);
        assertThat(share.used(0, ALICE)).isZero();
        assertThat(countAdmitted(10)).isEqualTo(2);
        share.begin(1, ALICE, 1000);
        assertThat(share.used(1, ALICE)).isEqualTo(5);
    }

    @Test
    void counts_of_a_share_expire_and_can_be_refunded_and_reset() {
        Decision decision = share.tryAcquire(ALICE, 6);
        now.addAndGet(12 * SECOND);
        assertThat(share.used(1, ALICE)).isEqualTo(4);
        assertThat(share.used(0, ALICE)).isEqualTo(6);
        assertThat(share.refund(ALICE, decision)).isEqualTo(6);
        assertThat(share.used(0, ALICE)).isZero();
        assertThat(countAdmitted(4)).isEqualTo(4);
        share.forget(1, ALICE);
        assertThat(share.used(1, ALICE)).isZero();
        assertThat(share.used(0, ALICE)).isEqualTo(4);
        assertThat(share.peek(ALICE, 1).charged()).isZero();
    }
}
