package io.headgate.redis.limits;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.Limit;
import io.headgate.limits.Policy;
import io.headgate.limits.RuleDecision;
import io.headgate.redis.internal.ScriptCall;
import io.headgate.redis.internal.ScriptExecutor;
import io.netty.util.concurrent.ImmediateEventExecutor;
import java.time.Duration;
import java.util.HashSet;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What comes of leases whose answers come when they are not expected. */
class SliceTest {

    private static final long PERMITS = 100;
    private static final Duration LEASE = Duration.ofSeconds(1);
    private static final Attributes ALICE = Attributes.of(Attributes.USER, "alice");
    private static final Policy POLICY = Policy.named("p")
            .rule("limit", Limit.slidingWindow(10_000, Duration.ofMinutes(1)), Attributes.USER)
            .leased(LEASE)
            .build();

    private static final long MICROS = LEASE.toNanos() / 1000;

    private int calls;
    private final PolicyPlanner planner = new PolicyPlanner(
            POLICY,
            new Keys("hg"),
            new Scripts(false),
            Optional.empty(),
            Duration.ofMinutes(1),
            true,
            stem -> new KnownDenials(0));
    private final Leases leases = new Leases(
            planner,
            LEASE,
            new CallsTogether(new Unanswered()),
            (version, rules, attributes, permits) -> {},
            new HashSet<>(),
            ImmediateEventExecutor.INSTANCE,
            false);
    private final Slice slice = new Slice(leases, ALICE, LEASE.toNanos() / 1000, 0);

    /** Counts what is sent. */
    private final class Unanswered implements ScriptExecutor {

        @Override
        public <T> CompletableFuture<T> execute(ScriptCall<T> call) {
            calls++;
            return new CompletableFuture<>();
        }
    }

    private static Decision admitted(long permits) {
        return Decision.of(
                POLICY, 1, permits, RuleDecision.allowed(POLICY.rules().get(0), 5_000, 60_000_000));
    }

    private void leased() {
        leased(0);
    }

    private void leased(long answeredMicros) {
        slice.leased(planner.ask(ALICE, PERMITS, 0), admitted(PERMITS), answeredMicros);
    }

    @Test
    void none_is_lost_where_more_come_than_were_waited_for() {
        leased();
        leased();
        leased();
        slice.end();
        assertThat(calls).isEqualTo(3);
    }

    @Test
    void one_that_comes_when_the_slice_has_ended_is_given_back() {
        slice.end();
        leased();
        assertThat(calls).isEqualTo(1);
        assertThat(slice.spend(1, 1)).isNull();
    }

    @Test
    void one_that_comes_when_what_was_counted_is_forgotten_is_neither_spent_nor_given_back() {
        leased();
        slice.forget();
        leased();
        assertThat(calls).isZero();
        assertThat(slice.spend(1, 1)).isNull();
    }

    @Test
    void one_that_has_ended_leases_no_more() {
        slice.learn(admitted(1), PERMITS, 0);
        assertThat(calls).isEqualTo(1);
        Slice forgotten = new Slice(leases, ALICE, LEASE.toNanos() / 1000, 0);
        forgotten.forget();
        forgotten.learn(admitted(1), PERMITS, 0);
        assertThat(calls).isEqualTo(1);
    }

    @Test
    void after_one_that_failed_none_is_asked_for_until_a_lease_later() {
        long leaseMicros = LEASE.toNanos() / 1000;
        slice.leased(planner.ask(ALICE, PERMITS, 0), null, 5);
        slice.learn(admitted(1), PERMITS, 5 + leaseMicros - 1);
        assertThat(calls).isZero();
        slice.learn(admitted(1), PERMITS, 5 + leaseMicros);
        assertThat(calls).isEqualTo(1);
    }

    @Test
    void what_is_leased_is_spent_until_a_thousandth_before_it_ends_and_no_longer_since_it_was_asked_for() {
        leased(400_000);
        assertThat(slice.spend(1, 998_998)).isNotNull();
        assertThat(slice.spend(1, 998_999)).isNull();
    }

    @Test
    void the_next_one_is_asked_for_when_half_is_spent_or_its_time_is_up_soon() {
        leased();
        assertThat(slice.spend(PERMITS / 2 - 1, 1)).isNotNull();
        assertThat(calls).isZero();
        assertThat(slice.spend(1, 1)).isNotNull();
        assertThat(calls).isEqualTo(1);
        Slice slow = new Slice(leases, ALICE, LEASE.toNanos() / 1000, 0);
        slow.leased(planner.ask(ALICE, PERMITS, 0), admitted(PERMITS), 0);
        assertThat(slow.spend(1, 748_998)).isNotNull();
        assertThat(calls).isEqualTo(1);
        assertThat(slow.spend(1, 748_999)).isNotNull();
        assertThat(calls).isEqualTo(2);
    }

    @Test
    void what_is_too_little_is_given_back_when_the_next_one_is_taken_up() {
        leased();
        assertThat(slice.spend(PERMITS - 2, 1)).isNotNull();
        leased();
        assertThat(calls).isEqualTo(1);
        assertThat(slice.spend(3, 1)).isNotNull();
        assertThat(calls).isEqualTo(2);
        slice.end();
        assertThat(calls).isEqualTo(3);
    }

    /** Somebody has seen the slice before it was dropped. */
    @Test
    void one_that_comes_when_nobody_has_asked_for_long_is_given_back() {
        assertThat(slice.isIdleAfterSweep(2 * MICROS - 1)).isFalse();
        assertThat(slice.isIdleAfterSweep(2 * MICROS)).isTrue();
        leased();
        assertThat(calls).isEqualTo(1);
    }

    @Test
    void one_that_waits_for_an_answer_is_not_idle() {
        slice.learn(admitted(PERMITS), PERMITS, 0);
        assertThat(calls).isEqualTo(1);
        assertThat(slice.isIdleAfterSweep(10 * MICROS)).isFalse();
        slice.leased(planner.ask(ALICE, PERMITS, 0), null, 10 * MICROS);
        assertThat(slice.isIdleAfterSweep(10 * MICROS)).isTrue();
    }
}
