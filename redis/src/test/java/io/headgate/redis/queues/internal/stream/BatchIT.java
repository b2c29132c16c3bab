package io.headgate.redis.queues.internal.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.queues.Lease;
import io.headgate.queues.Settled;
import io.headgate.queues.streams.ConsumerGroup;
import io.headgate.queues.streams.GroupSettings;
import io.headgate.queues.streams.NewEntry;
import io.headgate.testkit.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Batches: entries that one command reads under a consumer name of its own. The ack of a whole batch sends no ids, and no consumer name is
 * left behind. {@link FenceIT} describes the fence of a group.
 */
class BatchIT {

    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final int BATCH = 20;

    @RegisterExtension
    static final OwnStreams REDIS = new OwnStreams();

    private final ConsumerGroup<String> billing = REDIS.billing();
    private final ConsumerGroup<String> others = REDIS.otherBilling();

    /** After a claim that returned its maximum, there is a backlog, and the next claims read batches. */
    @BeforeEach
    void produceABacklog() {
        produce(10 * BATCH);
        billing.ackAll(billing.claim(BATCH));
        others.ackAll(others.claim(BATCH));
        assertThat(REDIS.batchNames()).isEmpty();
    }

    private static void produce(int entries) {
        for (int from = 0; from < entries; from += 200) {
            REDIS.stream()
                    .produceAll(IntStream.range(from, Math.min(entries, from + 200))
                            .mapToObj(i -> NewEntry.of("e" + i))
                            .toList());
        }
    }

    private static List<Lease<String>> claimBatch(ConsumerGroup<String> group) {
        List<Lease<String>> leases = group.claim(BATCH);
        assertThat(leases).hasSize(BATCH);
        return leases;
    }

    private static long xackCalls() {
        return REDIS.probe.commandCalls().getOrDefault("XACK", 0L);
    }

    private static void resetCommandCounts() {
        REDIS.probe.command("CONFIG", "RESETSTAT");
    }

    @Test
    void a_whole_batch_is_acked_without_ids_and_leaves_no_consumer_name() {
        List<Lease<String>> leases = new ArrayList<>(claimBatch(billing));
        assertThat(REDIS.batchNames()).hasSize(1);
        Collections.shuffle(leases, new Random(1));
        resetCommandCounts();
        assertThat(billing.ackAll(leases)).hasSize(BATCH).containsOnly(Settled.DONE);
        assertThat(xackCalls()).isZero();
        assertThat(REDIS.pending()).isZero();
        assertThat(REDIS.batchNames()).isEmpty();
        assertThat(billing.ackAll(leases)).containsOnly(Settled.LEASE_LOST);
    }

    @Test
    void acking_a_batch_acks_no_other_batch() {
        List<Lease<String>> first = claimBatch(billing);
        List<Lease<String>> second = claimBatch(billing);
        List<Lease<String>> ofOthers = claimBatch(others);
        assertThat(billing.ackAll(second)).containsOnly(Settled.DONE);
        assertThat(REDIS.pending()).isEqualTo(2 * BATCH);
        assertThat(others.ackAll(ofOthers)).containsOnly(Settled.DONE);
        assertThat(billing.ackAll(first)).containsOnly(Settled.DONE);
        assertThat(REDIS.pending()).isZero();
    }

    @Test
    void whole_batches_parts_of_batches_and_entries_without_a_batch_are_acked_in_one_call() {
        List<Lease<String>> whole = claimBatch(billing);
        List<Lease<String>> part = claimBatch(billing).subList(5, 10);
        List<Lease<String>> all = new ArrayList<>(whole);
        all.addAll(part);
        all.addAll(billing.claim(3));
        all.addAll(claimBatch(billing));
        Collections.shuffle(all, new Random(2));
        resetCommandCounts();
        assertThat(billing.ackAll(all)).hasSize(all.size()).containsOnly(Settled.DONE);
        assertThat(xackCalls()).isEqualTo(1);
        assertThat(REDIS.pending()).isEqualTo(BATCH - 5);
    }

    @Test
    void entries_of_a_batch_that_were_not_taken_over_are_acked() {
        List<Lease<String>> leases = claimBatch(billing);
        REDIS.setIdle(leases.get(3), MINUTE);
        REDIS.setIdle(leases.get(7), MINUTE);
        List<Lease<String>> taken = others.claim(2);
        assertThat(OwnStreams.payloads(taken)).containsExactly(payload(leases, 3), payload(leases, 7));
        List<Settled> settled = billing.ackAll(leases);
        for (int i = 0; i < BATCH; i++) {
            assertThat(settled.get(i)).isEqualTo(i == 3 || i == 7 ? Settled.LEASE_LOST : Settled.DONE);
        }
        assertThat(REDIS.pending()).isEqualTo(2);
        assertThat(REDIS.batchNames()).isEmpty();
        assertThat(others.ackAll(taken)).containsOnly(Settled.DONE);
    }

    private static String payload(List<Lease<String>> leases, int at) {
        return leases.get(at).job().payload();
    }

    @Test
    void no_entry_of_a_batch_that_was_taken_over_as_a_whole_is_acked() {
        List<Lease<String>> leases = claimBatch(billing);
        leases.forEach(lease -> REDIS.setIdle(lease, MINUTE));
        List<Lease<String>> taken = claimBatch(others);
        assertThat(taken).allSatisfy(lease -> assertThat(lease.job().delivery()).isEqualTo(2));
        assertThat(billing.ackAll(leases)).hasSize(BATCH).containsOnly(Settled.LEASE_LOST);
        assertThat(others.ackAll(taken)).containsOnly(Settled.DONE);
    }

    @Test
    void a_takeover_by_the_same_process_is_detected() {
        List<Lease<String>> stale = claimBatch(billing);
        REDIS.setIdle(stale.get(0), MINUTE);
        Lease<String> again = billing.claim(1).get(0);
        assertThat(billing.ackAll(stale)).startsWith(Settled.LEASE_LOST, Settled.DONE);
        assertThat(again.ack()).isEqualTo(Settled.DONE);
    }

    @Test
    void batches_and_parts_are_acked_after_a_takeover_of_an_entry_of_another_consumer() {
        List<Lease<String>> ofOthers = claimBatch(others);
        List<Lease<String>> leases = claimBatch(billing);
        List<Lease<String>> more = claimBatch(billing);
        REDIS.setIdle(ofOthers.get(0), MINUTE);
        Lease<String> taken = billing.claim(1).get(0);
        assertThat(billing.ackAll(leases)).containsOnly(Settled.DONE);
        assertThat(billing.ackAll(more.subList(0, 5))).containsOnly(Settled.DONE);
        assertThat(billing.ackAll(more.subList(3, BATCH)))
                .startsWith(Settled.LEASE_LOST, Settled.LEASE_LOST, Settled.DONE)
                .endsWith(Settled.DONE);
        assertThat(taken.ack()).isEqualTo(Settled.DONE);
        assertThat(others.ackAll(ofOthers)).startsWith(Settled.LEASE_LOST, Settled.DONE);
        assertThat(REDIS.pending()).isZero();
        assertThat(REDIS.batchNames()).isEmpty();
    }

    @Test
    void earlier_settlements_of_single_entries_hold_when_their_batch_is_acked() {
        List<Lease<String>> leases = claimBatch(billing);
        assertThat(leases.get(0).retry(MINUTE, "no")).isEqualTo(Settled.DONE);
        assertThat(leases.get(1).extend(MINUTE)).isEqualTo(Settled.DONE);
        assertThat(leases.get(2).deadLetter("never")).isEqualTo(Settled.DONE);
        assertThat(billing.ackAll(leases))
                .startsWith(Settled.LEASE_LOST, Settled.DONE, Settled.LEASE_LOST, Settled.DONE);
        assertThat(billing.retryCounts().dead()).isEqualTo(1);
        assertThat(billing.retryCounts().delayed()).isEqualTo(1);
        assertThat(REDIS.pending()).isZero();
        assertThat(REDIS.batchNames()).isEmpty();
    }

    @Test
    void an_extended_entry_stays_in_its_batch() {
        List<Lease<String>> leases = claimBatch(billing);
        assertThat(leases.get(5).extend(Duration.ofSeconds(5))).isEqualTo(Settled.DONE);
        resetCommandCounts();
        assertThat(billing.ackAll(leases)).containsOnly(Settled.DONE);
        assertThat(xackCalls()).isZero();
        assertThat(leases.get(5).extend(Duration.ofSeconds(5))).isEqualTo(Settled.LEASE_LOST);
        assertThat(REDIS.pending()).isZero();
        assertThat(REDIS.batchNames()).isEmpty();
    }

    @Test
    void a_lease_that_is_passed_twice_is_acked_once() {
        List<Lease<String>> leases = new ArrayList<>(claimBatch(billing));
        leases.add(leases.get(0));
        assertThat(billing.ackAll(leases)).startsWith(Settled.DONE).endsWith(Settled.LEASE_LOST);
    }

    @Test
    void a_batch_that_is_settled_one_by_one_leaves_no_consumer_name() {
        for (Lease<String> lease : claimBatch(billing)) {
            assertThat(REDIS.batchNames()).hasSize(1);
            assertThat(lease.ack()).isEqualTo(Settled.DONE);
        }
        assertThat(REDIS.batchNames()).isEmpty();
        for (Lease<String> lease : claimBatch(billing)) {
            assertThat(lease.retry(MINUTE, "no")).isEqualTo(Settled.DONE);
        }
        assertThat(REDIS.batchNames()).isEmpty();
        assertThat(billing.retryCounts().delayed()).isEqualTo(BATCH);
    }

    @Test
    void of_two_concurrent_acks_of_an_entry_at_least_one_receives_done() {
        for (int round = 0; round < 5; round++) {
            List<Lease<String>> leases = claimBatch(billing);
            List<Lease<String>> some = leases.subList(0, 10);
            CompletableFuture<List<Settled>> first = CompletableFuture.supplyAsync(() -> billing.ackAll(leases));
            CompletableFuture<List<Settled>> second = CompletableFuture.supplyAsync(() -> billing.ackAll(some));
            for (int i = 0; i < BATCH; i++) {
                int at = i;
                assertThat(Stream.of(first, second)
                                .flatMap(call -> call.join().stream().skip(at).limit(1)))
                        .contains(Settled.DONE);
            }
            assertThat(REDIS.pending()).isZero();
        }
    }

    @Test
    void no_entry_is_acked_after_its_group_was_destroyed_or_all_data_was_lost() {
        List<Lease<String>> leases = claimBatch(billing);
        List<Lease<String>> more = claimBatch(billing);
        REDIS.probe.command("XGROUP", "DESTROY", OwnStreams.KEY, "billing");
        assertThat(billing.ackAll(leases)).hasSize(BATCH).containsOnly(Settled.LEASE_LOST);
        List<Lease<String>> claimedAgain = claimBatch(billing);
        assertThat(billing.ackAll(more)).hasSize(BATCH).containsOnly(Settled.LEASE_LOST);
        REDIS.probe.flushAll();
        assertThat(billing.ackAll(claimedAgain)).hasSize(BATCH).containsOnly(Settled.LEASE_LOST);
    }

    @Test
    void no_entry_is_acked_after_another_client_recreated_its_group() {
        List<Lease<String>> leases = claimBatch(billing);
        List<Lease<String>> more = claimBatch(billing);
        REDIS.probe.command("XGROUP", "DESTROY", OwnStreams.KEY, "billing");
        REDIS.probe.command("XGROUP", "CREATE", OwnStreams.KEY, "billing", "0");
        assertThat(billing.ackAll(leases)).hasSize(BATCH).containsOnly(Settled.LEASE_LOST);
        // Others claim the same entries, and Redis counts these as first deliveries.
        REDIS.deleteFence();
        List<Lease<String>> claimedAgain = new ArrayList<>(claimBatch(others));
        claimedAgain.addAll(claimBatch(others));
        claimedAgain.addAll(claimBatch(others));
        claimedAgain.addAll(claimBatch(others));
        assertThat(OwnStreams.payloads(claimedAgain)).containsAll(OwnStreams.payloads(more));
        assertThat(billing.ackAll(more.subList(0, 5))).hasSize(5).containsOnly(Settled.LEASE_LOST);
        assertThat(billing.ackAll(more)).hasSize(BATCH).containsOnly(Settled.LEASE_LOST);
        assertThat(REDIS.pending()).isEqualTo(claimedAgain.size());
        assertThat(others.ackAll(claimedAgain)).containsOnly(Settled.DONE);
    }

    @Test
    void a_batch_that_was_taken_over_leaves_no_consumer_name() {
        claimBatch(billing).forEach(lease -> REDIS.setIdle(lease, MINUTE));
        List<Lease<String>> taken = claimBatch(others);
        Await.until("the scan for expired leases to end", MINUTE, () -> {
            REDIS.makeScanDue();
            others.claim(1);
            return REDIS.batchNames().isEmpty();
        });
        assertThat(others.ackAll(taken)).containsOnly(Settled.DONE);
    }

    @Test
    void a_batch_is_acked_after_the_fence_was_lost() {
        List<Lease<String>> leases = claimBatch(billing);
        REDIS.deleteFence();
        assertThat(billing.ackAll(leases)).hasSize(BATCH).containsOnly(Settled.DONE);
        assertThat(REDIS.pending()).isZero();
        assertThat(REDIS.batchNames()).isEmpty();
    }

    @Test
    void a_batch_is_acked_after_the_scripts_were_flushed() {
        List<Lease<String>> leases = claimBatch(billing);
        REDIS.probe.command("SCRIPT", "FLUSH");
        assertThat(billing.ackAll(leases)).hasSize(BATCH).containsOnly(Settled.DONE);
    }

    @Test
    void a_batch_is_acked_while_redis_is_out_of_memory() {
        List<Lease<String>> leases = claimBatch(billing);
        REDIS.probe.command("CONFIG", "SET", "maxmemory", "1");
        try {
            assertThat(billing.ackAll(leases)).hasSize(BATCH).containsOnly(Settled.DONE);
        } finally {
            REDIS.probe.command("CONFIG", "SET", "maxmemory", "0");
        }
        assertThat(REDIS.pending()).isZero();
    }

    @Test
    void batches_of_a_dead_process_are_taken_over_and_their_consumer_names_deleted() {
        GroupSettings quick = GroupSettings.of("billing").withMinIdle(Duration.ofMillis(200));
        ConsumerGroup<String> dying = REDIS.billing(quick);
        // Not a batch: the first claim of a group object knows of no backlog.
        claimBatch(dying);
        List<String> left = new ArrayList<>(OwnStreams.payloads(claimBatch(dying)));
        left.addAll(OwnStreams.payloads(claimBatch(dying)));
        assertThat(REDIS.batchNames()).hasSize(2);
        ConsumerGroup<String> other = REDIS.otherBilling(quick);
        Await.until("all to be taken over and the names to be deleted", MINUTE, () -> {
            List<Lease<String>> taken = other.claim(BATCH);
            left.removeAll(OwnStreams.payloads(taken));
            taken.forEach(Lease::ack);
            return left.isEmpty() && REDIS.batchNames().isEmpty();
        });
    }

    @Test
    void the_batches_of_a_process_are_reported_as_one_consumer() {
        claimBatch(billing);
        claimBatch(billing);
        claimBatch(others);
        assertThat(REDIS.batchNames()).hasSize(3);
        assertThat(REDIS.stream().state().groups().get(0).consumers())
                .allSatisfy(consumer -> assertThat(consumer.name()).matches("[0-9a-f]{32}"))
                .allSatisfy(consumer -> assertThat(consumer.idle()).isLessThan(MINUTE))
                .extracting(consumer -> (int) consumer.pending())
                .containsExactlyInAnyOrder(2 * BATCH, BATCH);
    }

    @Test
    void the_number_of_open_batches_of_a_process_is_bounded() {
        produce(80 * BATCH);
        List<List<Lease<String>>> claimed = new ArrayList<>();
        for (int i = 0; i < 80; i++) {
            claimed.add(claimBatch(billing));
        }
        assertThat(REDIS.batchNames()).hasSize(64);
        claimed.forEach(
                leases -> assertThat(billing.ackAll(leases)).hasSize(BATCH).containsOnly(Settled.DONE));
        assertThat(REDIS.batchNames()).isEmpty();
        assertThat(REDIS.pending()).isZero();
        claimBatch(billing);
        assertThat(REDIS.batchNames()).hasSize(1);
    }
}
