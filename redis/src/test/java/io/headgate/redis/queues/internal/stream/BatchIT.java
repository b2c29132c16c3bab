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

/** Entries that were read together under a name of their own: acked together they need no ids, and the name never stays. */
class BatchIT {

    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final int BATCH = 20;

    @RegisterExtension
    static final OwnStreams REDIS = new OwnStreams();

    private final ConsumerGroup<String> billing = REDIS.billing();
    private final ConsumerGroup<String> others = REDIS.othersBilling();

    /** What a claim brings that fills itself is a backlog, of which the next ones are read in batches. */
    @BeforeEach
    void produceABacklog() {
        produce(10 * BATCH);
        billing.ackAll(billing.claim(BATCH));
        others.ackAll(others.claim(BATCH));
        assertThat(REDIS.batches()).isEmpty();
    }

    private static void produce(int entries) {
        for (int from = 0; from < entries; from += 200) {
            REDIS.stream()
                    .produceAll(IntStream.range(from, Math.min(entries, from + 200))
                            .mapToObj(i -> NewEntry.of("e" + i))
                            .toList());
        }
    }

    private static List<Lease<String>> batch(ConsumerGroup<String> group) {
        List<Lease<String>> leases = group.claim(BATCH);
        assertThat(leases).hasSize(BATCH);
        return leases;
    }

    private static long acksById() {
        return REDIS.probe.commandCalls().getOrDefault("XACK", 0L);
    }

    private static void reset() {
        REDIS.probe.command("CONFIG", "RESETSTAT");
    }

    @Test
    void what_was_read_together_and_is_acked_together_goes_without_ids_and_leaves_no_name() {
        List<Lease<String>> leases = new ArrayList<>(batch(billing));
        assertThat(REDIS.batches()).hasSize(1);
        Collections.shuffle(leases, new Random(1));
        reset();
        assertThat(billing.ackAll(leases)).hasSize(BATCH).containsOnly(Settled.DONE);
        assertThat(acksById()).isZero();
        assertThat(REDIS.pending()).isZero();
        assertThat(REDIS.batches()).isEmpty();
        assertThat(billing.ackAll(leases)).containsOnly(Settled.LEASE_LOST);
    }

    @Test
    void a_batch_leaves_the_others_alone() {
        List<Lease<String>> first = batch(billing);
        List<Lease<String>> second = batch(billing);
        List<Lease<String>> theirs = batch(others);
        assertThat(billing.ackAll(second)).containsOnly(Settled.DONE);
        assertThat(REDIS.pending()).isEqualTo(2 * BATCH);
        assertThat(others.ackAll(theirs)).containsOnly(Settled.DONE);
        assertThat(billing.ackAll(first)).containsOnly(Settled.DONE);
        assertThat(REDIS.pending()).isZero();
    }

    @Test
    void whole_batches_parts_of_others_and_what_a_script_handed_out_are_acked_in_one_call() {
        List<Lease<String>> whole = batch(billing);
        List<Lease<String>> part = batch(billing).subList(5, 10);
        List<Lease<String>> all = new ArrayList<>(whole);
        all.addAll(part);
        all.addAll(billing.claim(3));
        all.addAll(batch(billing));
        Collections.shuffle(all, new Random(2));
        reset();
        assertThat(billing.ackAll(all)).hasSize(all.size()).containsOnly(Settled.DONE);
        assertThat(acksById()).isEqualTo(1);
        assertThat(REDIS.pending()).isEqualTo(BATCH - 5);
    }

    @Test
    void of_a_batch_of_which_some_were_taken_over_the_rest_is_acked() {
        List<Lease<String>> leases = batch(billing);
        REDIS.age(leases.get(3), MINUTE);
        REDIS.age(leases.get(7), MINUTE);
        List<Lease<String>> taken = others.claim(2);
        assertThat(OwnStreams.payloads(taken)).containsExactly(payload(leases, 3), payload(leases, 7));
        List<Settled> settled = billing.ackAll(leases);
        for (int i = 0; i < BATCH; i++) {
            assertThat(settled.get(i)).isEqualTo(i == 3 || i == 7 ? Settled.LEASE_LOST : Settled.DONE);
        }
        assertThat(REDIS.pending()).isEqualTo(2);
        assertThat(REDIS.batches()).isEmpty();
        assertThat(others.ackAll(taken)).containsOnly(Settled.DONE);
    }

    private static String payload(List<Lease<String>> leases, int at) {
        return leases.get(at).job().payload();
    }

    @Test
    void of_a_batch_that_was_taken_over_as_a_whole_nothing_is_acked() {
        List<Lease<String>> leases = batch(billing);
        leases.forEach(lease -> REDIS.age(lease, MINUTE));
        List<Lease<String>> taken = batch(others);
        assertThat(taken).allSatisfy(lease -> assertThat(lease.job().delivery()).isEqualTo(2));
        assertThat(billing.ackAll(leases)).hasSize(BATCH).containsOnly(Settled.LEASE_LOST);
        assertThat(others.ackAll(taken)).containsOnly(Settled.DONE);
    }

    @Test
    void a_takeover_by_the_same_process_is_seen() {
        List<Lease<String>> stale = batch(billing);
        REDIS.age(stale.get(0), MINUTE);
        Lease<String> again = billing.claim(1).get(0);
        assertThat(billing.ackAll(stale)).startsWith(Settled.LEASE_LOST, Settled.DONE);
        assertThat(again.ack()).isEqualTo(Settled.DONE);
    }

    @Test
    void after_a_takeover_of_others_a_batch_is_still_acked_and_so_are_parts() {
        List<Lease<String>> theirs = batch(others);
        List<Lease<String>> leases = batch(billing);
        List<Lease<String>> more = batch(billing);
        REDIS.age(theirs.get(0), MINUTE);
        Lease<String> taken = billing.claim(1).get(0);
        assertThat(billing.ackAll(leases)).containsOnly(Settled.DONE);
        assertThat(billing.ackAll(more.subList(0, 5))).containsOnly(Settled.DONE);
        assertThat(billing.ackAll(more.subList(3, BATCH)))
                .startsWith(Settled.LEASE_LOST, Settled.LEASE_LOST, Settled.DONE)
                .endsWith(Settled.DONE);
        assertThat(taken.ack()).isEqualTo(Settled.DONE);
        assertThat(others.ackAll(theirs)).startsWith(Settled.LEASE_LOST, Settled.DONE);
        assertThat(REDIS.pending()).isZero();
        assertThat(REDIS.batches()).isEmpty();
    }

    @Test
    void what_was_said_of_some_before_holds() {
        List<Lease<String>> leases = batch(billing);
        assertThat(leases.get(0).retry(MINUTE, "no")).isEqualTo(Settled.DONE);
        assertThat(leases.get(1).extend(MINUTE)).isEqualTo(Settled.DONE);
        assertThat(leases.get(2).deadLetter("never")).isEqualTo(Settled.DONE);
        assertThat(billing.ackAll(leases))
                .startsWith(Settled.LEASE_LOST, Settled.DONE, Settled.LEASE_LOST, Settled.DONE);
        assertThat(billing.retries().dead()).isEqualTo(1);
        assertThat(billing.retries().delayed()).isEqualTo(1);
        assertThat(REDIS.pending()).isZero();
        assertThat(REDIS.batches()).isEmpty();
    }

    @Test
    void an_extended_entry_stays_in_its_batch() {
        List<Lease<String>> leases = batch(billing);
        assertThat(leases.get(5).extend(Duration.ofSeconds(5))).isEqualTo(Settled.DONE);
        reset();
        assertThat(billing.ackAll(leases)).containsOnly(Settled.DONE);
        assertThat(acksById()).isZero();
        assertThat(leases.get(5).extend(Duration.ofSeconds(5))).isEqualTo(Settled.LEASE_LOST);
        assertThat(REDIS.pending()).isZero();
        assertThat(REDIS.batches()).isEmpty();
    }

    @Test
    void an_entry_that_is_named_twice_is_acked_once() {
        List<Lease<String>> leases = new ArrayList<>(batch(billing));
        leases.add(leases.get(0));
        assertThat(billing.ackAll(leases)).startsWith(Settled.DONE).endsWith(Settled.LEASE_LOST);
    }

    @Test
    void acked_one_by_one_a_batch_leaves_no_name_either() {
        for (Lease<String> lease : batch(billing)) {
            assertThat(REDIS.batches()).hasSize(1);
            assertThat(lease.ack()).isEqualTo(Settled.DONE);
        }
        assertThat(REDIS.batches()).isEmpty();
        for (Lease<String> lease : batch(billing)) {
            assertThat(lease.retry(MINUTE, "no")).isEqualTo(Settled.DONE);
        }
        assertThat(REDIS.batches()).isEmpty();
        assertThat(billing.retries().delayed()).isEqualTo(BATCH);
    }

    @Test
    void two_callers_that_ack_the_same_entries_at_once_both_receive_done() {
        for (int turn = 0; turn < 5; turn++) {
            List<Lease<String>> leases = batch(billing);
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
    void of_a_group_that_was_destroyed_or_lost_nothing_is_acked() {
        List<Lease<String>> leases = batch(billing);
        List<Lease<String>> more = batch(billing);
        REDIS.probe.command("XGROUP", "DESTROY", OwnStreams.KEY, "billing");
        assertThat(billing.ackAll(leases)).hasSize(BATCH).containsOnly(Settled.LEASE_LOST);
        List<Lease<String>> claimedAgain = batch(billing);
        assertThat(billing.ackAll(more)).hasSize(BATCH).containsOnly(Settled.LEASE_LOST);
        REDIS.probe.flushAll();
        assertThat(billing.ackAll(claimedAgain)).hasSize(BATCH).containsOnly(Settled.LEASE_LOST);
    }

    @Test
    void of_a_group_that_somebody_else_has_made_again_nothing_is_acked() {
        List<Lease<String>> leases = batch(billing);
        List<Lease<String>> more = batch(billing);
        REDIS.probe.command("XGROUP", "DESTROY", OwnStreams.KEY, "billing");
        REDIS.probe.command("XGROUP", "CREATE", OwnStreams.KEY, "billing", "0");
        assertThat(billing.ackAll(leases)).hasSize(BATCH).containsOnly(Settled.LEASE_LOST);
        // The same entries in the hands of others, and for the first time by what Redis counts.
        REDIS.forgetFence();
        List<Lease<String>> claimedAgain = new ArrayList<>(batch(others));
        claimedAgain.addAll(batch(others));
        claimedAgain.addAll(batch(others));
        claimedAgain.addAll(batch(others));
        assertThat(OwnStreams.payloads(claimedAgain)).containsAll(OwnStreams.payloads(more));
        assertThat(billing.ackAll(more.subList(0, 5))).hasSize(5).containsOnly(Settled.LEASE_LOST);
        assertThat(billing.ackAll(more)).hasSize(BATCH).containsOnly(Settled.LEASE_LOST);
        assertThat(REDIS.pending()).isEqualTo(claimedAgain.size());
        assertThat(others.ackAll(claimedAgain)).containsOnly(Settled.DONE);
    }

    @Test
    void a_batch_that_was_taken_over_leaves_no_name() {
        batch(billing).forEach(lease -> REDIS.age(lease, MINUTE));
        List<Lease<String>> taken = batch(others);
        Await.until("the end of a look for expired leases", MINUTE, () -> {
            REDIS.lookNow();
            others.claim(1);
            return REDIS.batches().isEmpty();
        });
        assertThat(others.ackAll(taken)).containsOnly(Settled.DONE);
    }

    @Test
    void without_its_fence_a_group_reads_the_entries_of_the_batch() {
        List<Lease<String>> leases = batch(billing);
        REDIS.forgetFence();
        assertThat(billing.ackAll(leases)).hasSize(BATCH).containsOnly(Settled.DONE);
        assertThat(REDIS.pending()).isZero();
        assertThat(REDIS.batches()).isEmpty();
    }

    @Test
    void a_script_that_redis_has_forgotten_acks_a_batch_all_the_same() {
        List<Lease<String>> leases = batch(billing);
        REDIS.probe.command("SCRIPT", "FLUSH");
        assertThat(billing.ackAll(leases)).hasSize(BATCH).containsOnly(Settled.DONE);
    }

    @Test
    void a_redis_without_memory_left_acks_a_batch_all_the_same() {
        List<Lease<String>> leases = batch(billing);
        REDIS.probe.command("CONFIG", "SET", "maxmemory", "1");
        try {
            assertThat(billing.ackAll(leases)).hasSize(BATCH).containsOnly(Settled.DONE);
        } finally {
            REDIS.probe.command("CONFIG", "SET", "maxmemory", "0");
        }
        assertThat(REDIS.pending()).isZero();
    }

    @Test
    void what_a_dead_process_had_in_batches_is_taken_over_and_its_names_go() {
        GroupSettings quick = GroupSettings.of("billing").withMinIdle(Duration.ofMillis(200));
        ConsumerGroup<String> dying = REDIS.billing(quick);
        batch(dying);
        List<String> left = new ArrayList<>(OwnStreams.payloads(batch(dying)));
        left.addAll(OwnStreams.payloads(batch(dying)));
        assertThat(REDIS.batches()).hasSize(2);
        ConsumerGroup<String> heirs = REDIS.othersBilling(quick);
        Await.until("all to be taken over and the names to go", MINUTE, () -> {
            List<Lease<String>> taken = heirs.claim(BATCH);
            left.removeAll(OwnStreams.payloads(taken));
            taken.forEach(Lease::ack);
            return left.isEmpty() && REDIS.batches().isEmpty();
        });
    }

    @Test
    void to_who_looks_it_is_one_consumer() {
        batch(billing);
        batch(billing);
        batch(others);
        assertThat(REDIS.batches()).hasSize(3);
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
            claimed.add(batch(billing));
        }
        assertThat(REDIS.batches()).hasSize(64);
        claimed.forEach(
                leases -> assertThat(billing.ackAll(leases)).hasSize(BATCH).containsOnly(Settled.DONE));
        assertThat(REDIS.batches()).isEmpty();
        assertThat(REDIS.pending()).isZero();
        batch(billing);
        assertThat(REDIS.batches()).hasSize(1);
    }
}
