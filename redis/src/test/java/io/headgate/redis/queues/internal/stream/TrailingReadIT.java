package io.headgate.redis.queues.internal.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.queues.AsyncLease;
import io.headgate.queues.Codec;
import io.headgate.queues.Lease;
import io.headgate.queues.QueueEngine;
import io.headgate.queues.QueueException;
import io.headgate.queues.Settled;
import io.headgate.queues.streams.ConsumerGroup;
import io.headgate.queues.streams.EventStream;
import io.headgate.queues.streams.GroupSettings;
import io.headgate.queues.streams.NewEntry;
import io.headgate.redis.RedisSettings;
import io.headgate.redis.queues.RedisQueueEngine;
import io.headgate.testkit.Await;
import io.headgate.testkit.faults.FaultProxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * New entries of a backlog are read by a trailing command: an XREADGROUP that is sent with the script and that Redis runs after it. The
 * script permits the read only if no other entries must be claimed first.
 */
class TrailingReadIT {

    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final int BATCH = 20;

    @RegisterExtension
    static final OwnStreams REDIS = new OwnStreams();

    private final ConsumerGroup<String> billing = REDIS.billing();
    private final ConsumerGroup<String> others = REDIS.otherBilling();

    private static void produce(int from, int to) {
        REDIS.stream()
                .produceAll(IntStream.range(from, to)
                        .mapToObj(i -> NewEntry.of("e" + i).header("number", "" + i))
                        .toList());
    }

    private static List<String> payloads(int from, int to) {
        return IntStream.range(from, to).mapToObj(i -> "e" + i).toList();
    }

    /** Produces entries and claims the first ones. This claim returns its maximum, so trailing commands may read for the next claims. */
    private List<Lease<String>> produceAndClaimFirst(int produced) {
        produce(0, produced);
        List<Lease<String>> leases = billing.claim(BATCH);
        assertThat(OwnStreams.payloads(leases)).isEqualTo(payloads(0, BATCH));
        REDIS.probe.command("CONFIG", "RESETSTAT");
        return leases;
    }

    /** Returns the number of trailing reads: each deletes the key that permitted it. */
    private static long trailingReads() {
        return REDIS.probe.commandCalls().getOrDefault("DEL", 0L);
    }

    private static void assertNoBatchIsOpen() {
        assertThat(OwnStreams.list(REDIS.probe.command("KEYS", "*:open:*"))).isEmpty();
    }

    @Test
    void a_backlog_is_handed_out_in_order_with_the_headers_of_each_entry() {
        produceAndClaimFirst(100);
        List<Lease<String>> leases = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            leases.addAll(billing.claim(BATCH));
        }
        assertThat(trailingReads()).isEqualTo(4);
        // Open batches expire by themselves when no process is left to remove them.
        assertThat(REDIS.probe.commandCalls()).containsEntry("XREADGROUP", 4L).containsEntry("PEXPIRE", 4L);
        assertThat(REDIS.probe.command("EXISTS", OwnStreams.KEY + ":awaited")).isEqualTo(0L);
        assertThat(OwnStreams.payloads(leases)).isEqualTo(payloads(BATCH, 100));
        assertThat(leases).allSatisfy(lease -> assertThat(lease.job().headers())
                .containsOnlyKeys("number")
                .containsEntry("number", lease.job().payload().substring(1)));
        assertThat(leases.get(0).job().delivery()).isEqualTo(1);
        assertNoBatchIsOpen();
        assertThat(billing.claim(BATCH)).isEmpty();
        assertThat(billing.ackAll(leases)).containsOnly(Settled.DONE);
        assertThat(REDIS.pending()).isEqualTo(BATCH);
    }

    @Test
    void two_group_objects_of_a_process_can_claim_concurrently() {
        produce(0, 400);
        ConsumerGroup<String> sameGroup = REDIS.billing();
        List<CompletableFuture<List<AsyncLease<String>>>> claims = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            claims.add(billing.async().claim(BATCH).toCompletableFuture());
            claims.add(sameGroup.async().claim(BATCH).toCompletableFuture());
        }
        assertThat(claims).allSatisfy(claim -> assertThat(claim.join()).hasSize(BATCH));
    }

    @Test
    void entries_produced_after_the_end_of_a_backlog_are_handed_out() {
        produceAndClaimFirst(BATCH + 5);
        assertThat(OwnStreams.payloads(billing.claim(BATCH))).isEqualTo(payloads(BATCH, BATCH + 5));
        assertThat(billing.claim(BATCH)).isEmpty();
        assertThat(REDIS.probe.command("EXISTS", OwnStreams.KEY + ":awaited")).isEqualTo(1L);
        produce(50, 51);
        assertThat(OwnStreams.payloads(billing.claim(BATCH))).containsExactly("e50");
    }

    @Test
    void a_paused_group_hands_out_nothing_of_its_backlog() {
        produceAndClaimFirst(100);
        others.pause();
        assertThat(billing.claim(BATCH)).isEmpty();
        assertThat(REDIS.pending()).isEqualTo(BATCH);
        assertNoBatchIsOpen();
        others.resume();
        assertThat(billing.claim(BATCH)).hasSize(BATCH);
    }

    @Test
    void retried_entries_are_claimed_before_a_backlog() {
        List<Lease<String>> leases = produceAndClaimFirst(100);
        leases.get(0).retry(Duration.ZERO, "no");
        List<String> claimed = OwnStreams.payloads(billing.claim(BATCH));
        assertThat(claimed).hasSize(BATCH).startsWith("e0", "e20", "e21");
        assertNoBatchIsOpen();
    }

    @Test
    void entries_to_take_over_are_claimed_before_a_backlog_and_count_toward_the_maximum() {
        List<Lease<String>> leases = produceAndClaimFirst(100);
        REDIS.setIdle(leases.get(3), MINUTE);
        assertThat(OwnStreams.payloads(billing.claim(BATCH))).hasSize(BATCH).startsWith("e3", "e20", "e21");
        assertNoBatchIsOpen();
    }

    @Test
    void entries_of_a_backlog_may_have_leases_shorter_than_the_minimum_idle_time() {
        produceAndClaimFirst(100);
        billing.claim(BATCH, MINUTE.dividedBy(2));
        REDIS.makeScanDue();
        assertThat(others.claim(BATCH))
                .extracting(lease -> lease.job().delivery())
                .containsOnly(1);
        List<Lease<String>> brief = billing.claim(BATCH, Duration.ofMillis(10));
        List<Lease<String>> taken = new ArrayList<>();
        Await.until("entries to take over", MINUTE, () -> {
            REDIS.makeScanDue();
            others.claim(BATCH).stream()
                    .filter(lease -> lease.job().delivery() > 1)
                    .forEach(taken::add);
            return taken.size() >= BATCH;
        });
        assertThat(billing.ackAll(brief)).containsOnly(Settled.LEASE_LOST);
    }

    @Test
    void a_group_that_is_lost_in_the_middle_of_a_backlog_is_recreated() {
        produceAndClaimFirst(100);
        REDIS.probe.flushAll();
        // The millisecond of an id distinguishes entries from before the loss.
        long before = REDIS.millis();
        Await.until("the next millisecond of ids", MINUTE, () -> REDIS.millis() > before);
        produce(200, 240);
        assertThat(OwnStreams.payloads(billing.claim(BATCH))).isEqualTo(payloads(200, 200 + BATCH));
        REDIS.probe.command("XGROUP", "DESTROY", OwnStreams.KEY, "billing");
        assertThat(OwnStreams.payloads(billing.claim(BATCH))).isEqualTo(payloads(220, 240));
    }

    @Test
    void no_trailing_command_reads_new_entries_of_a_paused_group_after_the_scripts_were_flushed() {
        produceAndClaimFirst(100);
        REDIS.probe.command("SCRIPT", "FLUSH");
        others.pause();
        assertThat(billing.claim(BATCH)).isEmpty();
        assertThat(REDIS.pending()).isEqualTo(BATCH);
        others.resume();
        assertThat(OwnStreams.payloads(billing.claim(BATCH))).isEqualTo(payloads(BATCH, 2 * BATCH));
        REDIS.probe.command("SCRIPT", "FLUSH");
        assertThat(OwnStreams.payloads(billing.claim(BATCH))).isEqualTo(payloads(2 * BATCH, 3 * BATCH));
    }

    @Test
    void large_entries_are_not_read_by_a_trailing_command() {
        String large = "x".repeat(60_000);
        for (int i = 0; i < 4 * BATCH; i++) {
            REDIS.stream().produce(large);
        }
        REDIS.probe.command("CONFIG", "RESETSTAT");
        for (int i = 0; i < 4; i++) {
            assertThat(billing.claim(BATCH)).isNotEmpty();
        }
        assertThat(trailingReads()).isZero();
    }

    @Test
    void a_claim_of_large_entries_ends_before_all_are_read() {
        List<String> payloads =
                IntStream.range(0, 150).mapToObj(i -> "%03000d".formatted(i)).toList();
        REDIS.stream().produceAll(payloads.stream().map(NewEntry::of).toList());
        List<String> claimed = new ArrayList<>(OwnStreams.payloads(billing.claim(150)));
        assertThat(claimed).hasSizeLessThan(100);
        while (claimed.size() < 150) {
            claimed.addAll(OwnStreams.payloads(billing.claim(150)));
        }
        assertThat(claimed).isEqualTo(payloads);
    }

    @Test
    void entries_whose_reply_is_lost_are_handed_out_again_when_their_lease_expires() {
        GroupSettings quick = GroupSettings.of("billing").withMinIdle(Duration.ofMillis(300));
        produce(0, 3 * BATCH);
        try (FaultProxy proxy = FaultProxy.before(REDIS.url());
                QueueEngine queues =
                        RedisQueueEngine.connect(RedisSettings.of(proxy.url()).withTimeout(Duration.ofSeconds(5)))) {
            EventStream<String> stream = queues.stream("orders", Codec.text());
            ConsumerGroup<String> unlucky = stream.group(quick);
            assertThat(unlucky.claim(BATCH)).hasSize(BATCH);
            proxy.cutNextReplyTo("XREADGROUP");
            assertThatThrownBy(() -> unlucky.claim(BATCH))
                    .isInstanceOf(QueueException.class)
                    .hasMessageContaining("jobs may have been claimed; they become due again when their lease expires");
            assertThat(REDIS.pending()).isEqualTo(2 * BATCH);
            ConsumerGroup<String> other = REDIS.billing(quick);
            Set<String> again = new HashSet<>();
            Await.until("the leases to expire", MINUTE, () -> {
                again.addAll(OwnStreams.payloads(other.claim(BATCH)));
                return again.size() == 3 * BATCH;
            });
            assertThat(again).containsExactlyInAnyOrderElementsOf(payloads(0, 3 * BATCH));
        }
    }
}
