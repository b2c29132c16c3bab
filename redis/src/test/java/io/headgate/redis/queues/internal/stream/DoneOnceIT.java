package io.headgate.redis.queues.internal.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.queues.Codec;
import io.headgate.queues.Lease;
import io.headgate.queues.QueueEngine;
import io.headgate.queues.QueueException;
import io.headgate.queues.Settled;
import io.headgate.queues.streams.ConsumerGroup;
import io.headgate.queues.streams.EventStream;
import io.headgate.queues.streams.GroupSettings;
import io.headgate.queues.streams.NewEntry;
import io.headgate.queues.worker.Worker;
import io.headgate.redis.limits.Engines;
import io.headgate.testkit.Await;
import io.headgate.testkit.faults.FaultProxy;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A group that keeps the keys of done entries hands out no entry whose key is done. */
class DoneOnceIT {

    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final String DONE_KEYS = OwnStreams.KEY + ":g:billing:done-keys";
    private static final GroupSettings KEEPS_KEYS = GroupSettings.of("billing").withKeepDone(Duration.ofHours(1));

    @RegisterExtension
    static final OwnStreams REDIS = new OwnStreams();

    private final ConsumerGroup<String> billing = REDIS.billing(KEEPS_KEYS);
    private final ConsumerGroup<String> others = REDIS.otherBilling(KEEPS_KEYS);

    private static void produce(String payload, String key) {
        REDIS.stream().produce(NewEntry.of(payload).once(key));
    }

    private static Lease<String> claimOne(ConsumerGroup<String> group) {
        List<Lease<String>> leases = group.claim(1);
        assertThat(leases).hasSize(1);
        return leases.get(0);
    }

    private static @Nullable Object storedKeys() {
        return REDIS.probe.command("ZCARD", DONE_KEYS);
    }

    @Test
    void an_entry_is_skipped_when_another_entry_with_its_key_is_done() {
        produce("a", "größer");
        Lease<String> lease = claimOne(billing);
        assertThat(lease.job().key()).contains("größer");
        assertThat(lease.job().headers()).isEmpty();
        assertThat(lease.ack()).isEqualTo(Settled.DONE);
        produce("a again", "größer");
        produce("b", "other");
        assertThat(OwnStreams.payloads(others.claim(9))).containsExactly("b");
        assertThat(REDIS.pending()).isEqualTo(1);
    }

    @Test
    void kept_keys_are_not_counted_among_the_retried_entries() {
        produce("a", "k");
        assertThat(claimOne(billing).ack()).isEqualTo(Settled.DONE);
        assertThat(billing.retryCounts().done()).isZero();
        produce("b", "other");
        claimOne(billing).retry(MINUTE, "busy");
        assertThat(billing.retryCounts().done()).isZero();
        assertThat(billing.retryCounts().delayed()).isEqualTo(1);
    }

    @Test
    void a_claim_skips_many_done_entries_and_returns_the_entry_behind_them() {
        produce("a", "k");
        billing.ackAll(billing.claim(1));
        IntStream.range(0, 50).forEach(i -> produce("a" + i, "k"));
        produce("b", "other");
        assertThat(OwnStreams.payloads(billing.claim(10))).containsExactly("b");
        assertThat(REDIS.pending()).isEqualTo(1);
    }

    @Test
    void a_leased_or_dead_lettered_entry_does_not_block_another_entry_with_its_key() {
        produce("a", "k");
        produce("a again", "k");
        Lease<String> one = claimOne(billing);
        Lease<String> twin = claimOne(others);
        // Both are handled: a handler that needs more than this must check by itself.
        assertThat(twin.job().payload()).isEqualTo("a again");
        assertThat(one.ack()).isEqualTo(Settled.DONE);
        assertThat(twin.ack()).isEqualTo(Settled.DONE);
        assertThat(storedKeys()).isEqualTo(1L);
        produce("b", "hopeless");
        claimOne(billing).deadLetter("no");
        produce("b again", "hopeless");
        assertThat(OwnStreams.payloads(billing.claim(9))).containsExactly("b again");
    }

    @Test
    void an_entry_that_is_produced_again_after_a_lost_reply_is_handled_once() {
        try (FaultProxy proxy = FaultProxy.before(REDIS.url());
                QueueEngine queues = Engines.queues(proxy.url())) {
            EventStream<String> orders = queues.stream("orders", Codec.text());
            proxy.cutNextReplyTo("EVALSHA");
            assertThatThrownBy(() -> orders.produce(NewEntry.of("a").once("order 4711")))
                    .isInstanceOfSatisfying(
                            QueueException.class, e -> assertThat(e.mayBeDone()).isTrue());
        }
        produce("a", "order 4711");
        assertThat(REDIS.stream().state().length()).isEqualTo(2);
        claimOne(billing).ack();
        assertThat(billing.claim(9)).isEmpty();
        assertThat(REDIS.pending()).isZero();
    }

    @Test
    void an_ack_whose_reply_is_lost_has_stored_the_key() {
        produce("a", "k");
        try (FaultProxy proxy = FaultProxy.before(REDIS.url());
                QueueEngine queues = Engines.queues(proxy.url())) {
            Lease<String> lease = claimOne(queues.stream("orders", Codec.text()).group(KEEPS_KEYS));
            proxy.cutNextReplyTo("EVALSHA");
            assertThatThrownBy(lease::ack).isInstanceOf(QueueException.class);
        }
        assertThat(REDIS.pending()).isZero();
        produce("a again", "k");
        assertThat(billing.claim(9)).isEmpty();
    }

    @Test
    void an_ack_whose_lease_is_lost_stores_no_key() {
        produce("a", "k");
        Lease<String> stale = claimOne(billing);
        REDIS.setIdle(stale, MINUTE);
        Lease<String> taken = claimOne(others);
        assertThat(stale.ack()).isEqualTo(Settled.LEASE_LOST);
        assertThat(storedKeys()).isEqualTo(0L);
        assertThat(taken.ack()).isEqualTo(Settled.DONE);
        assertThat(storedKeys()).isEqualTo(1L);
    }

    @Test
    void an_entry_of_a_dead_consumer_is_skipped_when_another_entry_with_its_key_is_done() {
        produce("a", "k");
        Lease<String> dead = claimOne(others);
        produce("a again", "k");
        claimOne(billing).ack();
        REDIS.setIdle(dead, MINUTE);
        assertThat(billing.claim(9)).isEmpty();
        assertThat(REDIS.pending()).isZero();
    }

    @Test
    void a_retried_entry_keeps_its_key_and_is_skipped_too() {
        produce("a", "k");
        claimOne(billing).retry(Duration.ZERO, "no");
        Lease<String> again = claimOne(billing);
        assertThat(again.job().key()).isEqualTo(Optional.of("k"));
        assertThat(again.job().headers()).isEmpty();
        produce("a again", "k");
        Lease<String> twin = claimOne(others);
        twin.retry(Duration.ZERO, "no");
        assertThat(again.ack()).isEqualTo(Settled.DONE);
        assertThat(billing.claim(9)).isEmpty();
        assertThat(billing.retryCounts().ready() + billing.retryCounts().leased())
                .isZero();
    }

    @Test
    void a_retried_entry_is_skipped_when_its_consumer_died_between_storing_the_key_and_the_ack() {
        produce("a", "k");
        claimOne(billing).retry(Duration.ZERO, "no");
        assertThat(others.claim(1, Duration.ofMillis(50))).hasSize(1);
        // The other consumer has made the first of the two calls of an ack, and died.
        REDIS.probe.command("ZADD", DONE_KEYS, Long.toString(REDIS.millis() * 1000), "k");
        Await.until("the lease to expire", MINUTE, () -> {
            assertThat(billing.claim(1)).isEmpty();
            return billing.retryCounts().leased() + billing.retryCounts().ready() == 0;
        });
    }

    @Test
    void several_retried_entries_are_acked_with_their_keys() {
        produce("a", "one");
        produce("b", "two");
        billing.claim(2).forEach(lease -> lease.retry(Duration.ZERO, "no"));
        assertThat(billing.ackAll(billing.claim(2))).containsOnly(Settled.DONE);
        assertThat(storedKeys()).isEqualTo(2L);
    }

    @Test
    void an_entry_whose_key_is_done_in_one_group_is_not_skipped_in_another() {
        ConsumerGroup<String> search =
                REDIS.stream().group(GroupSettings.of("search").withKeepDone(MINUTE));
        produce("a", "k");
        claimOne(billing).ack();
        assertThat(OwnStreams.payloads(search.claim(9))).containsExactly("a");
    }

    @Test
    void a_group_that_keeps_no_keys_hands_out_every_entry() {
        ConsumerGroup<String> keepsNothing = REDIS.billing();
        produce("a", "k");
        claimOne(keepsNothing).ack();
        produce("a again", "k");
        assertThat(OwnStreams.payloads(keepsNothing.claim(9))).containsExactly("a again");
        assertThat(storedKeys()).isEqualTo(0L);
    }

    @Test
    void entries_without_a_key_cause_no_extra_commands() {
        // Creates the group and loads its scripts.
        REDIS.stream().produce("before");
        billing.ackAll(billing.claim(1));
        REDIS.stream().produce("a");
        REDIS.probe.command("CONFIG", "RESETSTAT");
        billing.ackAll(billing.claim(1));
        assertThat(REDIS.probe.commandCalls()).containsEntry("EVALSHA", 2L).doesNotContainKeys("ZMSCORE", "ZADD");
    }

    @Test
    void expired_keys_are_deleted_in_bounded_steps() {
        for (int i = 0; i < 10; i++) {
            REDIS.probe.command("ZADD", DONE_KEYS, "1", "old " + i);
        }
        produce("a", "old 3");
        claimOne(billing).ack();
        // An ack removes up to two expired keys, and updates or adds its own.
        assertThat(storedKeys()).isEqualTo(8L);
        produce("b", "k");
        claimOne(billing).ack();
        assertThat(storedKeys()).isEqualTo(7L);
        assertThat((Long) REDIS.probe.command("PTTL", DONE_KEYS)).isBetween(1L, 3_600_000L);
    }

    @Test
    void the_reserved_header_and_an_empty_key_are_rejected() {
        assertThatThrownBy(() -> REDIS.stream().produce(NewEntry.of("a").header("headgate-key", "k")))
                .hasMessage("the header headgate-key is Headgate's own");
        assertThatThrownBy(() -> NewEntry.of("a").once("")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void workers_of_two_processes_handle_every_key_once_when_all_is_produced_again_later() {
        Queue<String> handled = new ConcurrentLinkedQueue<>();
        try (Worker one = Worker.of(billing).start(job -> handled.add(job.payload()));
                Worker other = Worker.of(others).start(job -> handled.add(job.payload()))) {
            for (int round = 0; round < 3; round++) {
                REDIS.stream()
                        .produceAll(IntStream.range(0, 300)
                                .mapToObj(i -> NewEntry.of("e" + i).once("key " + i))
                                .toList());
                Await.until(
                        "all to be done",
                        MINUTE,
                        () -> REDIS.pending() == 0
                                && handled.size() >= 300
                                && Long.valueOf(300).equals(storedKeys()));
            }
            REDIS.stream().produce("the last");
            Await.until("the last", MINUTE, () -> handled.contains("the last"));
        }
        assertThat(handled).hasSize(301).doesNotHaveDuplicates();
    }
}
