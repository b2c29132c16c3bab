package io.headgate.redis.queues.internal.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.queues.Lease;
import io.headgate.queues.Settled;
import io.headgate.queues.streams.ConsumerGroup;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * The fence of a group is the time of its last takeover, or of its creation if that is later. An ack of entries that were claimed under the
 * current fence succeeds without a check of each entry; others are checked one by one.
 */
class FenceIT {

    private static final Duration MINUTE = Duration.ofMinutes(1);

    @RegisterExtension
    static final OwnStreams REDIS = new OwnStreams();

    private final ConsumerGroup<String> billing = REDIS.billing();
    private final ConsumerGroup<String> others = REDIS.otherBilling();

    @BeforeEach
    void produce() {
        for (int i = 0; i < 5; i++) {
            REDIS.stream().produce("e" + i);
        }
    }

    private static long xpendingCalls() {
        return REDIS.probe.commandCalls().getOrDefault("XPENDING", 0L);
    }

    @Test
    void entries_of_a_group_without_takeovers_are_acked_without_reading_each() {
        List<Lease<String>> leases = billing.claim(5);
        REDIS.probe.command("CONFIG", "RESETSTAT");
        assertThat(billing.ackAll(leases)).containsOnly(Settled.DONE);
        assertThat(xpendingCalls()).isZero();
        assertThat(REDIS.probe.commandCalls()).containsEntry("XACK", 1L);
        assertThat(REDIS.pending()).isZero();
    }

    @Test
    void only_entries_that_were_not_taken_over_are_acked() {
        List<Lease<String>> leases = billing.claim(5);
        REDIS.setIdle(leases.get(1), MINUTE);
        REDIS.setIdle(leases.get(3), MINUTE);
        List<Lease<String>> taken = others.claim(2);
        assertThat(OwnStreams.payloads(taken)).containsExactly("e1", "e3");
        assertThat(billing.ackAll(leases))
                .containsExactly(Settled.DONE, Settled.LEASE_LOST, Settled.DONE, Settled.LEASE_LOST, Settled.DONE);
        assertThat(REDIS.pending()).isEqualTo(2);
        assertThat(others.ackAll(taken)).containsOnly(Settled.DONE);
    }

    @Test
    void entries_claimed_before_and_after_a_takeover_are_acked_in_one_call() {
        List<Lease<String>> before = billing.claim(2);
        REDIS.setIdle(before.get(0), MINUTE);
        List<Lease<String>> taken = others.claim(1);
        List<Lease<String>> all = new ArrayList<>(before);
        all.addAll(billing.claim(2));
        Collections.reverse(all);
        assertThat(billing.ackAll(all)).containsExactly(Settled.DONE, Settled.DONE, Settled.DONE, Settled.LEASE_LOST);
        assertThat(taken.get(0).ack()).isEqualTo(Settled.DONE);
    }

    @Test
    void an_ack_of_the_first_and_last_entry_of_a_claim_acks_none_between_them() {
        List<Lease<String>> leases = billing.claim(5);
        // Without its fence, the ack reads the pending entries from the first to the last.
        REDIS.deleteFence();
        assertThat(billing.ackAll(List.of(leases.get(0), leases.get(4)))).containsOnly(Settled.DONE);
        assertThat(REDIS.pending()).isEqualTo(3);
    }

    @Test
    void a_second_takeover_of_an_entry_is_detected_too() {
        List<Lease<String>> first = billing.claim(1);
        REDIS.setIdle(first.get(0), MINUTE);
        List<Lease<String>> second = others.claim(1);
        REDIS.setIdle(second.get(0), MINUTE);
        List<Lease<String>> third = billing.claim(1);
        assertThat(OwnStreams.payloads(third)).containsExactly("e0");
        assertThat(second.get(0).ack()).isEqualTo(Settled.LEASE_LOST);
        assertThat(first.get(0).ack()).isEqualTo(Settled.LEASE_LOST);
        assertThat(third.get(0).ack()).isEqualTo(Settled.DONE);
    }

    @Test
    void a_takeover_by_the_same_consumer_is_detected() {
        Lease<String> stale = billing.claim(1).get(0);
        REDIS.setIdle(stale, MINUTE);
        Lease<String> again = billing.claim(1).get(0);
        assertThat(stale.ack()).isEqualTo(Settled.LEASE_LOST);
        assertThat(again.ack()).isEqualTo(Settled.DONE);
    }

    @Test
    void an_entry_that_became_a_dead_letter_after_too_many_crashes_is_not_acked() {
        ConsumerGroup<String> once = REDIS.otherBilling(billing.settings().withMaxCrashes(1));
        List<Lease<String>> leases = billing.claim(2);
        REDIS.setIdle(leases.get(0), MINUTE);
        once.claim(1);
        assertThat(billing.ackAll(leases)).containsExactly(Settled.LEASE_LOST, Settled.DONE);
        assertThat(billing.retryCounts().dead()).isEqualTo(1);
    }

    @Test
    void a_deleted_entry_that_a_takeover_found_missing_is_not_acked() {
        List<Lease<String>> leases = billing.claim(2);
        REDIS.setIdle(leases.get(0), MINUTE);
        REDIS.probe.command(
                "XDEL", OwnStreams.KEY, OwnStreams.entry(leases.get(0)).toString());
        others.claim(1);
        assertThat(billing.ackAll(leases)).containsExactly(Settled.LEASE_LOST, Settled.DONE);
    }

    @Test
    void a_group_created_with_xgroup_has_a_fence_from_its_first_claim_on() {
        REDIS.probe.command("XGROUP", "CREATE", OwnStreams.KEY, "billing", "0");
        List<Lease<String>> leases = billing.claim(5);
        REDIS.probe.command("CONFIG", "RESETSTAT");
        assertThat(billing.ackAll(leases)).containsOnly(Settled.DONE);
        assertThat(xpendingCalls()).isZero();
    }

    @Test
    void a_lease_that_is_passed_twice_in_one_call_is_acked_once() {
        Lease<String> lease = billing.claim(1).get(0);
        assertThat(billing.ackAll(List.of(lease, lease))).containsExactlyInAnyOrder(Settled.DONE, Settled.LEASE_LOST);
    }

    @Test
    void an_ack_reports_a_retried_entry_as_lost_and_an_extended_one_as_done() {
        List<Lease<String>> leases = billing.claim(3);
        leases.get(0).retry(MINUTE, "no");
        leases.get(1).extend(MINUTE);
        assertThat(billing.ackAll(leases)).containsExactly(Settled.LEASE_LOST, Settled.DONE, Settled.DONE);
    }

    @Test
    void a_recreated_group_has_a_new_fence() {
        List<Lease<String>> before = billing.claim(1);
        REDIS.probe.command("XGROUP", "DESTROY", OwnStreams.KEY, "billing");
        List<Lease<String>> leases = new ArrayList<>(before);
        leases.addAll(billing.claim(1));
        assertThat(billing.ackAll(leases)).containsExactly(Settled.LEASE_LOST, Settled.DONE);
    }

    @Test
    void without_its_fence_a_group_checks_pending_entries_before_an_ack() {
        List<Lease<String>> leases = billing.claim(5);
        REDIS.deleteFence();
        REDIS.probe.command("CONFIG", "RESETSTAT");
        assertThat(billing.ackAll(leases)).containsOnly(Settled.DONE);
        assertThat(xpendingCalls()).isPositive();
    }
}
