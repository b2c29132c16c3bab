package io.headgate.redis.queues.internal.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.queues.Job;
import io.headgate.queues.JobId;
import io.headgate.queues.Lease;
import io.headgate.queues.Settled;
import io.headgate.queues.streams.ConsumerGroup;
import io.headgate.queues.streams.EntryId;
import io.headgate.queues.streams.GroupSettings;
import io.headgate.queues.streams.NewEntry;
import io.headgate.queues.streams.StreamState;
import io.headgate.testkit.Await;
import io.headgate.testkit.conditions.ServerVersionSensitive;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Claims, leases and takeovers of entries by the consumers of a group. */
@ServerVersionSensitive
class ConsumerGroupIT {

    private static final Duration MINUTE = Duration.ofMinutes(1);

    @RegisterExtension
    static final OwnStreams REDIS = new OwnStreams();

    private final ConsumerGroup<String> billing = REDIS.billing();
    private final ConsumerGroup<String> others = REDIS.otherBilling();

    private static void produce(String... payloads) {
        for (String payload : payloads) {
            REDIS.stream().produce(payload);
        }
    }

    private static void assertLost(Lease<String> lease) {
        assertThat(lease.ack()).isEqualTo(Settled.LEASE_LOST);
        assertThat(lease.extend(Duration.ofSeconds(1))).isEqualTo(Settled.LEASE_LOST);
        assertThat(lease.handBack()).isEqualTo(Settled.LEASE_LOST);
        assertThat(lease.retry(MINUTE, "no")).isEqualTo(Settled.LEASE_LOST);
        assertThat(lease.deadLetter("no")).isEqualTo(Settled.LEASE_LOST);
    }

    @Test
    void each_entry_is_handed_out_to_one_consumer_of_every_group() {
        produce("a", "b", "c");
        assertThat(OwnStreams.payloads(billing.claim(2))).containsExactly("a", "b");
        assertThat(OwnStreams.payloads(others.claim(2))).containsExactly("c");
        assertThat(others.claim(2)).isEmpty();
        assertThat(OwnStreams.payloads(REDIS.stream().group("search").claim(9))).containsExactly("a", "b", "c");
    }

    @Test
    void a_claimed_entry_has_the_fields_with_which_it_was_produced() {
        EntryId id = REDIS.stream().produce(NewEntry.of("größer").header("trace", "4711"));
        Lease<String> lease = billing.claim(1).get(0);
        Job<String> job = lease.job();
        assertThat(OwnStreams.entry(lease)).isEqualTo(id);
        assertThat(job.id()).isEqualTo(lease.id());
        assertThat(job.payload()).isEqualTo("größer");
        assertThat(job.headers()).containsOnlyKeys("trace").containsEntry("trace", "4711");
        assertThat(job.dueAt()).isEqualTo(Instant.ofEpochMilli(id.millis()));
        assertThat(List.of(job.attempt(), job.delivery(), job.crashes())).containsExactly(1, 1, 0);
        assertThat(lease.expiresAt())
                .isBetween(job.dueAt().plus(MINUTE), job.dueAt().plus(MINUTE.multipliedBy(2)));
    }

    @Test
    void entries_that_other_clients_add_with_xadd_are_handed_out() {
        // The first field p is the payload.
        REDIS.probe.command("XADD", OwnStreams.KEY, "*", "trace", "4711", "p", "hello", "p", "header");
        REDIS.probe.command("XADD", OwnStreams.KEY, "*", "temperature", "21");
        List<Lease<String>> leases = billing.claim(2);
        assertThat(OwnStreams.payloads(leases)).containsExactly("hello", "");
        assertThat(leases.get(0).job().headers()).containsEntry("trace", "4711").containsEntry("p", "header");
        assertThat(leases.get(1).job().headers()).containsEntry("temperature", "21");
    }

    @Test
    void an_acked_entry_is_never_handed_out_again() {
        produce("a");
        Lease<String> lease = billing.claim(1).get(0);
        assertThat(lease.ack()).isEqualTo(Settled.DONE);
        assertLost(lease);
        assertThat(REDIS.pending()).isZero();
        assertThat(billing.claim(1)).isEmpty();
    }

    @Test
    void several_entries_are_acked_in_one_call() {
        produce("a", "b", "c");
        List<Lease<String>> leases = billing.claim(3);
        leases.get(1).ack();
        assertThat(billing.ackAll(leases)).containsExactly(Settled.DONE, Settled.LEASE_LOST, Settled.DONE);
        assertThat(REDIS.pending()).isZero();
    }

    @Test
    void an_entry_is_taken_over_after_the_minimum_idle_time_and_not_before() {
        produce("a");
        Lease<String> dead = billing.claim(1).get(0);
        REDIS.setIdle(dead, MINUTE.minusSeconds(20));
        assertThat(others.claim(1)).isEmpty();
        REDIS.setIdle(dead, MINUTE);
        Lease<String> taken = others.claim(1).get(0);
        assertThat(taken.id()).isEqualTo(dead.id());
        assertThat(List.of(
                        taken.job().attempt(),
                        taken.job().delivery(),
                        taken.job().crashes()))
                .containsExactly(1, 2, 1);
        assertLost(dead);
        assertThat(taken.extend(MINUTE)).isEqualTo(Settled.DONE);
        assertThat(taken.ack()).isEqualTo(Settled.DONE);
    }

    @Test
    void entries_to_take_over_are_claimed_before_new_entries() {
        produce("a", "b");
        REDIS.setIdle(billing.claim(1).get(0), MINUTE);
        assertThat(OwnStreams.payloads(others.claim(1))).containsExactly("a");
        assertThat(OwnStreams.payloads(others.claim(1))).containsExactly("b");
    }

    @Test
    void a_stale_lease_of_the_same_process_is_lost_too() {
        produce("a");
        Lease<String> stale = billing.claim(1).get(0);
        REDIS.setIdle(stale, MINUTE);
        Lease<String> again = billing.claim(1).get(0);
        assertLost(stale);
        assertThat(again.ack()).isEqualTo(Settled.DONE);
    }

    @Test
    void an_expired_lease_that_was_not_taken_over_can_still_be_settled() {
        produce("a");
        Lease<String> late = billing.claim(1).get(0);
        REDIS.setIdle(late, MINUTE.multipliedBy(2));
        assertThat(late.ack()).isEqualTo(Settled.DONE);
        assertThat(others.claim(1)).isEmpty();
    }

    @Test
    void an_extended_lease_is_not_taken_over() {
        produce("a");
        Lease<String> lease = billing.claim(1).get(0);
        REDIS.setIdle(lease, MINUTE);
        assertThat(lease.extend(MINUTE)).isEqualTo(Settled.DONE);
        assertThat(others.claim(1)).isEmpty();
        assertThat(lease.job().delivery()).isEqualTo(1);
        assertThat(lease.ack()).isEqualTo(Settled.DONE);
    }

    @Test
    void a_lease_may_be_shorter_than_the_minimum_idle_time() {
        produce("a");
        Lease<String> claimed = billing.claim(1, Duration.ofMillis(10)).get(0);
        assertThat(claimed.expiresAt()).isBefore(Instant.now().plus(MINUTE.dividedBy(2)));
        assertThat(awaitTakeover()).isEqualTo(claimed.id());
        assertLost(claimed);
        produce("b");
        Lease<String> extended = billing.claim(1).get(0);
        assertThat(extended.extend(Duration.ofMillis(10))).isEqualTo(Settled.DONE);
        assertThat(awaitTakeover()).isEqualTo(extended.id());
        assertLost(extended);
        produce("c");
        billing.claim(1, MINUTE.dividedBy(2));
        REDIS.makeScanDue();
        assertThat(others.claim(1)).isEmpty();
        assertThatThrownBy(() -> billing.claim(1, MINUTE.plusMillis(1)))
                .hasMessage("a lease of the group billing is at most its minimum idle time of PT1M, was PT1M0.001S");
        assertThatThrownBy(() -> extended.extend(MINUTE.plusMillis(1))).isInstanceOf(IllegalArgumentException.class);
    }

    /** Waits until the other process takes over an entry whose lease has expired, and returns its id. */
    private JobId awaitTakeover() {
        List<Lease<String>> taken = new ArrayList<>();
        Await.until("an entry to take over", MINUTE, () -> {
            REDIS.makeScanDue();
            others.claim(1).stream().filter(lease -> lease.job().delivery() > 1).forEach(taken::add);
            return !taken.isEmpty();
        });
        return taken.get(0).id();
    }

    @Test
    void takeovers_continue_in_bounded_steps_until_all_entries_are_taken_over() {
        for (int i = 0; i < 30; i++) {
            produce("e" + i);
        }
        billing.claim(30).forEach(lease -> REDIS.setIdle(lease, MINUTE));
        for (int i = 0; i < 10; i++) {
            assertThat(others.claim(3)).hasSize(3);
        }
        assertThat(others.claim(3)).isEmpty();
    }

    @Test
    void no_scan_for_expired_leases_runs_before_the_next_is_due() {
        produce("a");
        Lease<String> lease = billing.claim(1).get(0);
        others.claim(1);
        Object scan = REDIS.probe.command("GET", OwnStreams.KEY + ":g:billing:scan");
        REDIS.probe.command("CONFIG", "RESETSTAT");
        lease.extend(MINUTE);
        others.claim(1);
        assertThat(REDIS.probe.command("GET", OwnStreams.KEY + ":g:billing:scan"))
                .isEqualTo(scan);
        assertThat(REDIS.probe.commandCalls()).doesNotContainKey("XAUTOCLAIM");
    }

    /** Redis (#6199, #10756): deleted entries stay pending, although they no longer exist. {@link ConsumerGroupEdgeCasesIT} tests XTRIM. */
    @Test
    void a_deleted_entry_is_removed_from_the_pending_entries() {
        produce("a", "b");
        List<Lease<String>> leases = billing.claim(2);
        leases.forEach(lease -> REDIS.setIdle(lease, MINUTE));
        REDIS.probe.command(
                "XDEL", OwnStreams.KEY, OwnStreams.entry(leases.get(0)).toString());
        assertThat(OwnStreams.payloads(others.claim(2))).containsExactly("b");
        assertThat(REDIS.pending()).isEqualTo(1);
    }

    @Test
    void a_group_starts_at_the_given_position() {
        produce("a");
        EntryId middle = REDIS.stream().produce("b");
        produce("c");
        GroupSettings settings = GroupSettings.of("billing");
        ConsumerGroup<String> now = REDIS.stream().group(GroupSettings.of("now").fromNow());
        assertThat(now.claim(9)).isEmpty();
        produce("d");
        assertThat(OwnStreams.payloads(now.claim(9))).containsExactly("d");
        assertThat(OwnStreams.payloads(REDIS.billing(settings.after(middle)).claim(9)))
                .containsExactly("c", "d");
    }

    @Test
    void entries_produced_after_a_loss_of_all_data_are_handed_out() {
        ConsumerGroup<String> fromNow =
                REDIS.billing(GroupSettings.of("billing").fromNow());
        assertThat(fromNow.claim(1)).isEmpty();
        REDIS.probe.flushAll();
        produce("a");
        List<Lease<String>> leases = fromNow.claim(1);
        assertThat(OwnStreams.payloads(leases)).containsExactly("a");
        REDIS.probe.flushAll();
        assertLost(leases.get(0));
        long last = OwnStreams.entry(leases.get(0)).millis();
        Await.until("the next millisecond of ids", MINUTE, () -> REDIS.millis() > last);
        produce("b");
        assertThat(OwnStreams.payloads(fromNow.claim(9))).containsExactly("b");
    }

    @Test
    void a_destroyed_group_continues_after_the_last_entry_that_was_handed_out() {
        produce("a", "b");
        List<Lease<String>> leases = billing.claim(2);
        leases.get(0).ack();
        REDIS.probe.command("XGROUP", "DESTROY", OwnStreams.KEY, "billing");
        assertLost(leases.get(1));
        produce("c");
        assertThat(OwnStreams.payloads(billing.claim(9))).containsExactly("c");
    }

    @Test
    void an_idle_consumer_is_deleted_only_when_it_has_no_pending_entries() {
        GroupSettings quick = GroupSettings.of("billing").withMinIdle(Duration.ofMillis(10));
        produce("a");
        Lease<String> lease = REDIS.billing(quick).claim(1).get(0);
        REDIS.probe.command("XGROUP", "CREATECONSUMER", OwnStreams.KEY, "billing", "gone");
        // A claim deletes consumers that have been idle for ten times the minimum.
        Await.until("both consumers to be idle for long", MINUTE, () -> consumers().stream()
                .allMatch(consumer -> consumer.idle().toMillis() > 100));
        // Moves the scan, which is due, beyond the pending entry, so that it ends without a takeover.
        REDIS.probe.command("SET", OwnStreams.KEY + ":g:billing:scan", "\0".repeat(14) + "9999999999999-0");
        REDIS.otherBilling(quick).claim(1);
        assertThat(consumers()).extracting(StreamState.Consumer::pending).contains(1L);
        assertThat(consumers()).extracting(StreamState.Consumer::name).doesNotContain("gone");
        assertThat(lease.ack()).isEqualTo(Settled.DONE);
    }

    private static List<StreamState.Consumer> consumers() {
        return REDIS.stream().state().groups().get(0).consumers();
    }

    @Test
    void a_paused_group_hands_out_nothing() {
        produce("a");
        billing.pause();
        assertThat(others.claim(1)).isEmpty();
        others.resume();
        assertThat(billing.claim(1)).hasSize(1);
    }

    @Test
    void a_lease_of_another_group_is_rejected() {
        produce("a");
        List<Lease<String>> leases = REDIS.stream().group("search").claim(1);
        assertThatThrownBy(() -> billing.ackAll(leases))
                .hasMessage("a lease of something else can't be acked at the group billing");
    }
}
