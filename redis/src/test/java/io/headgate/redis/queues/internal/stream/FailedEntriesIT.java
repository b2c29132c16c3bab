package io.headgate.redis.queues.internal.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.queues.Codec;
import io.headgate.queues.DeadLetter;
import io.headgate.queues.Job;
import io.headgate.queues.Lease;
import io.headgate.queues.Settled;
import io.headgate.queues.inspect.JobState;
import io.headgate.queues.inspect.QueueCounts;
import io.headgate.queues.streams.ConsumerGroup;
import io.headgate.queues.streams.EntryId;
import io.headgate.queues.streams.GroupSettings;
import io.headgate.queues.streams.NewEntry;
import io.headgate.queues.streams.RetriedEntries;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** An entry whose handling failed is retried by its group, or becomes a dead letter of the group. */
class FailedEntriesIT {

    private static final Duration MINUTE = Duration.ofMinutes(1);

    @RegisterExtension
    static final OwnStreams REDIS = new OwnStreams();

    private final ConsumerGroup<String> billing = REDIS.billing();
    private final ConsumerGroup<String> others = REDIS.otherBilling();

    private static EntryId produce() {
        return REDIS.stream().produce(NewEntry.of("a").header("trace", "4711"));
    }

    private static Lease<String> claimOne(ConsumerGroup<String> group) {
        List<Lease<String>> leases = group.claim(1);
        assertThat(leases).hasSize(1);
        return leases.get(0);
    }

    private void assertRetries(long ready, long delayed, long leased, long dead) {
        QueueCounts counts = billing.retryCounts();
        assertThat(List.of(counts.ready(), counts.delayed(), counts.leased(), counts.dead()))
                .containsExactly(ready, delayed, leased, dead);
    }

    private static void assertCounters(Job<String> job, int attempt, int delivery, int crashes) {
        assertThat(List.of(job.attempt(), job.delivery(), job.crashes())).containsExactly(attempt, delivery, crashes);
    }

    @Test
    void an_entry_is_retried_by_any_consumer_of_its_group_with_its_id_and_content() {
        EntryId id = produce();
        assertThat(claimOne(billing).retry(Duration.ZERO, "first failure")).isEqualTo(Settled.DONE);
        assertThat(REDIS.pending()).isZero();
        assertRetries(1, 0, 0, 0);
        Lease<String> again = claimOne(others);
        assertThat(OwnStreams.entry(again)).isEqualTo(id);
        Job<String> job = again.job();
        assertThat(EntryId.of(job.id())).isEqualTo(id);
        assertThat(job.payload()).isEqualTo("a");
        assertThat(job.headers()).containsOnlyKeys("trace").containsEntry("trace", "4711");
        assertCounters(job, 2, 2, 0);
        assertThat(job.causes()).containsExactly("first failure");
        assertRetries(0, 0, 1, 0);
        assertThat(again.retry(Duration.ZERO, "second failure")).isEqualTo(Settled.DONE);
        Lease<String> third = claimOne(billing);
        assertThat(third.job().causes()).containsExactly("first failure", "second failure");
        assertThat(third.extend(MINUTE)).isEqualTo(Settled.DONE);
        assertThat(third.ack()).isEqualTo(Settled.DONE);
        assertThat(third.ack()).isEqualTo(Settled.LEASE_LOST);
        assertRetries(0, 0, 0, 0);
    }

    @Test
    void an_entry_is_not_retried_before_its_delay_has_passed() {
        produce();
        claimOne(billing).retry(MINUTE, "no");
        assertRetries(0, 1, 0, 0);
        assertThat(billing.claim(1)).isEmpty();
    }

    @Test
    void other_groups_receive_an_entry_once_however_often_one_group_fails() {
        produce();
        ConsumerGroup<String> search = REDIS.stream().group("search");
        claimOne(billing).retry(Duration.ZERO, "no");
        claimOne(billing).retry(Duration.ZERO, "no");
        claimOne(search).ack();
        assertThat(search.claim(9)).isEmpty();
        assertThat(REDIS.stream().state().length()).isEqualTo(1);
    }

    @Test
    void a_waiting_consumer_is_signalled_when_an_entry_is_to_be_retried() {
        produce();
        Lease<String> lease = claimOne(billing);
        assertThat(others.claim(1)).isEmpty();
        REDIS.probe.command("CONFIG", "RESETSTAT");
        lease.retry(Duration.ZERO, "no");
        assertThat(REDIS.probe.commandCalls()).containsEntry("PUBLISH", 1L);
    }

    @Test
    void retried_entries_are_claimed_before_new_entries() {
        produce();
        claimOne(billing).retry(Duration.ZERO, "no");
        REDIS.stream().produce("b");
        REDIS.stream().produce("c");
        assertThat(OwnStreams.payloads(billing.claim(2))).containsExactly("a", "b");
    }

    @Test
    void an_entry_that_is_handed_back_counts_no_attempt() {
        produce();
        assertThat(claimOne(billing).handBack()).isEqualTo(Settled.DONE);
        Lease<String> again = claimOne(others);
        assertCounters(again.job(), 1, 2, 0);
        assertThat(again.handBack(MINUTE)).isEqualTo(Settled.DONE);
        assertRetries(0, 1, 0, 0);
    }

    /** Defect in asynq (#1015): a crash of the worker uses up the retries. Headgate counts crashes and attempts separately. */
    @Test
    void a_retried_entry_keeps_its_number_of_crashes() {
        produce();
        REDIS.setIdle(claimOne(billing), MINUTE);
        claimOne(others).retry(Duration.ZERO, "no");
        assertCounters(claimOne(billing).job(), 2, 3, 1);
    }

    @Test
    void a_dead_letter_is_not_handed_out_again() {
        produce();
        produce();
        assertThat(claimOne(billing).deadLetter("hopeless")).isEqualTo(Settled.DONE);
        claimOne(billing).retry(Duration.ZERO, "no");
        assertThat(claimOne(billing).deadLetter("hopeless")).isEqualTo(Settled.DONE);
        assertThat(billing.claim(9)).isEmpty();
        assertRetries(0, 0, 0, 2);
        assertThat(REDIS.pending()).isZero();
    }

    @Test
    void dead_letters_can_be_listed_redriven_and_discarded() {
        EntryId first = produce();
        produce();
        billing.claim(2).forEach(lease -> lease.deadLetter("hopeless"));
        List<DeadLetter<String>> letters = billing.deadLetters().list(10).items();
        assertThat(letters).extracting(letter -> letter.job().payload()).containsExactly("a", "a");
        assertThat(letters.get(0).job().causes()).containsExactly("hopeless");
        assertThat(letters.get(0).job().headers())
                .containsEntry("headgate-entry", first.toString())
                .containsEntry("trace", "4711");
        assertThat(billing.deadLetters().redrive(letters.get(0).job().id())).isTrue();
        assertThat(billing.deadLetters().discard(letters.get(1).job().id())).isTrue();
        Lease<String> again = claimOne(others);
        assertThat(OwnStreams.entry(again)).isEqualTo(first);
        assertThat(again.job().attempt()).isEqualTo(1);
        again.deadLetter("hopeless");
        assertThat(billing.deadLetters().redriveOldest(10, Duration.ZERO)).isEqualTo(1);
        claimOne(others).deadLetter("hopeless");
        assertThat(billing.deadLetters().discardOldest(10)).isEqualTo(1);
        assertRetries(0, 0, 0, 0);
    }

    @Test
    void retried_entries_can_be_listed_found_audited_and_repaired() {
        EntryId first = produce();
        produce();
        produce();
        List<Lease<String>> leases = billing.claim(3);
        leases.get(0).retry(MINUTE, "no");
        leases.get(1).retry(Duration.ZERO, "no");
        leases.get(2).deadLetter("hopeless");
        RetriedEntries<String> retried = others.retriedEntries();
        Job<String> later =
                retried.list(JobState.Kind.DELAYED, 10).items().get(0).job();
        assertThat(later.payload()).isEqualTo("a");
        assertThat(later.headers()).containsEntry("headgate-entry", first.toString());
        assertThat(retried.find(later.id()))
                .get()
                .satisfies(found -> assertThat(found.state().kind()).isEqualTo(JobState.Kind.DELAYED));
        assertThat(retried.list(JobState.Kind.READY, 10).items()).hasSize(1);
        assertThat(retried.list(JobState.Kind.DEAD, 10).items()).hasSize(1);
        assertThat(retried.audit().findings()).isEmpty();
        REDIS.probe.command("DEL", OwnStreams.KEY + ":g:billing");
        assertThat(retried.repair().findings()).isNotEmpty();
        assertThat(retried.audit().findings()).isEmpty();
        billing.resume();
        assertThat(billing.claim(9)).hasSize(1);
        assertRetries(0, 1, 1, 1);
    }

    /** Libraries that count only handler errors deliver such an entry forever if it kills its process. */
    @Test
    void an_entry_whose_lease_expires_too_often_is_a_dead_letter() {
        ConsumerGroup<String> twice =
                REDIS.otherBilling(GroupSettings.of("billing").withMaxCrashes(2));
        EntryId id = produce();
        REDIS.setIdle(claimOne(twice), MINUTE);
        Lease<String> second = claimOne(twice);
        assertCounters(second.job(), 1, 2, 1);
        REDIS.setIdle(second, MINUTE);
        assertThat(twice.claim(1)).isEmpty();
        assertThat(second.ack()).isEqualTo(Settled.LEASE_LOST);
        assertThat(REDIS.pending()).isZero();
        assertRetries(0, 0, 0, 1);
        assertThat(String.valueOf(REDIS.probe.command("ZRANGE", OwnStreams.KEY + ":g:billing:dead", "0", "-1")))
                .contains(id.toString())
                .contains("its lease expired 2 times");
    }

    @Test
    void a_deleted_entry_can_not_be_retried() {
        EntryId id = produce();
        Lease<String> lease = claimOne(billing);
        REDIS.probe.command("XDEL", OwnStreams.KEY, id.toString());
        assertThat(lease.retry(MINUTE, "no")).isEqualTo(Settled.LEASE_LOST);
        assertRetries(0, 0, 0, 0);
        assertThat(REDIS.pending()).isZero();
    }

    @Test
    void a_retried_foreign_entry_keeps_only_as_many_headers_as_a_job_may_have() {
        String large = "x".repeat(30_000);
        REDIS.probe.command("XADD", OwnStreams.KEY, "*", "one", large, "two", large, "three", large, "p", "a");
        claimOne(billing).retry(Duration.ZERO, "no");
        Job<String> job = claimOne(others).job();
        assertThat(job.payload()).isEqualTo("a");
        assertThat(job.headers()).containsOnlyKeys("one", "two");
    }

    @Test
    void a_foreign_entry_that_is_too_large_for_a_job_stays_pending() {
        REDIS.probe.command("XADD", OwnStreams.KEY, "*", "p", "x".repeat(16 << 20));
        Lease<String> lease = claimOne(billing);
        assertThat(lease.retry(Duration.ZERO, "no")).isEqualTo(Settled.LEASE_LOST);
        assertRetries(0, 0, 0, 0);
        assertThat(lease.ack()).isEqualTo(Settled.DONE);
    }

    @Test
    void new_and_retried_entries_are_acked_in_one_call() {
        produce();
        claimOne(billing).retry(Duration.ZERO, "no");
        produce();
        produce();
        List<Lease<String>> leases = billing.claim(3);
        leases.get(1).ack();
        assertThat(billing.ackAll(leases)).containsExactly(Settled.DONE, Settled.LEASE_LOST, Settled.DONE);
        assertRetries(0, 0, 0, 0);
        assertThat(REDIS.pending()).isZero();
    }

    @Test
    void the_lease_of_a_retried_entry_can_not_be_extended_beyond_the_minimum_idle_time() {
        produce();
        claimOne(billing).retry(Duration.ZERO, "no");
        Lease<String> again = claimOne(billing);
        assertThatThrownBy(() -> again.extend(MINUTE.plusMillis(1))).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void an_entry_that_can_not_be_decoded_can_be_retried_and_dead_lettered() {
        produce();
        ConsumerGroup<Integer> numbers = REDIS.engine.stream("orders", Codec.<Integer>of(n -> new byte[0], bytes -> {
                    throw new IllegalStateException("no number");
                }))
                .group("billing");
        numbers.claim(1).get(0).retry(Duration.ZERO, "no");
        Lease<Integer> lease = numbers.claim(1).get(0);
        assertThatThrownBy(lease::job).hasMessage("no number");
        assertThat(lease.id()).isNotNull();
        assertThat(lease.deadLetter("no number")).isEqualTo(Settled.DONE);
    }
}
