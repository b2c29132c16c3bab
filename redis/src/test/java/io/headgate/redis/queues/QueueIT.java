package io.headgate.redis.queues;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.queues.DeadLetter;
import io.headgate.queues.DeadLetters;
import io.headgate.queues.Enqueued;
import io.headgate.queues.Job;
import io.headgate.queues.JobId;
import io.headgate.queues.JobQueue;
import io.headgate.queues.Lease;
import io.headgate.queues.NewJob;
import io.headgate.queues.Priority;
import io.headgate.queues.QueueFullException;
import io.headgate.queues.QueueSettings;
import io.headgate.queues.Settled;
import io.headgate.queues.inspect.Page;
import io.headgate.queues.inspect.QueueCounts;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Each operation of a queue, with a clock that the test advances. */
class QueueIT {

    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Duration MICRO = Duration.ofNanos(1000);

    @RegisterExtension
    final OwnQueues redis = new OwnQueues();

    private JobQueue<String> queue() {
        return redis.queue();
    }

    private List<String> payloads(List<Lease<String>> leases) {
        return leases.stream().map(lease -> lease.job().payload()).toList();
    }

    private List<String> claimPayloads(int max) {
        return payloads(queue().claim(max, LEASE));
    }

    private Lease<String> claimOne() {
        List<Lease<String>> leases = queue().claim(1, LEASE);
        assertThat(leases).hasSize(1);
        return leases.get(0);
    }

    private void assertCounts(long ready, long delayed, long leased, long dead) {
        QueueCounts counts = queue().counts();
        assertThat(List.of(counts.ready(), counts.delayed(), counts.leased(), counts.dead()))
                .containsExactly(ready, delayed, leased, dead);
    }

    @Test
    void a_job_is_handed_out_once_and_deleted_by_its_ack() {
        JobId id = queue().enqueue("a").id();
        assertCounts(1, 0, 0, 0);
        Lease<String> lease = claimOne();
        assertThat(lease.id()).isEqualTo(id);
        assertCounts(0, 0, 1, 0);
        assertThat(claimPayloads(10)).isEmpty();
        assertThat(lease.ack()).isEqualTo(Settled.DONE);
        assertThat(lease.ack()).isEqualTo(Settled.LEASE_LOST);
        assertCounts(0, 0, 0, 0);
        assertThat(redis.probe.command("KEYS", "hg:q:*")).isEqualTo(List.of("hg:q:{orders}"));
    }

    @Test
    void a_claimed_job_has_the_fields_with_which_it_was_enqueued() {
        queue().enqueue(NewJob.of("größer")
                .priority(Priority.HIGH)
                .once("k1")
                .header("trace", "4711")
                .header("lang", "de"));
        Job<String> job = claimOne().job();
        assertThat(job.payload()).isEqualTo("größer");
        assertThat(job.priority()).isEqualTo(Priority.HIGH);
        assertThat(job.key()).contains("k1");
        assertThat(job.headers()).containsEntry("trace", "4711").containsEntry("lang", "de");
        assertThat(job.dueAt()).isEqualTo(OwnQueues.START);
        assertThat(List.of(job.attempt(), job.delivery(), job.crashes())).containsExactly(1, 1, 0);
    }

    /** Defect in asynq (#721, #548): delays in steps of 5 seconds. */
    @Test
    void a_delayed_job_is_not_handed_out_a_microsecond_early() {
        queue().enqueue("later", MINUTE);
        redis.clock.advance(MINUTE.minus(MICRO));
        assertThat(claimPayloads(1)).isEmpty();
        assertCounts(0, 1, 0, 0);
        redis.clock.advance(MICRO);
        assertCounts(1, 0, 0, 0);
        assertThat(claimPayloads(1)).containsExactly("later");
    }

    @Test
    void a_job_enqueued_for_a_past_instant_is_due_immediately() {
        queue().enqueue(NewJob.of("at").at(OwnQueues.START.plusSeconds(5)));
        queue().enqueue(NewJob.of("past").at(OwnQueues.START.minusSeconds(5)));
        assertThat(claimPayloads(2)).containsExactly("past");
        redis.clock.advance(Duration.ofSeconds(5));
        assertThat(claimPayloads(2)).containsExactly("at");
    }

    @Test
    void jobs_are_claimed_in_the_order_of_their_due_times_and_then_of_enqueueing() {
        queue().enqueue("third", Duration.ofSeconds(2));
        queue().enqueue("first", Duration.ofSeconds(1));
        queue().enqueue("second", Duration.ofSeconds(1));
        redis.clock.advance(Duration.ofSeconds(2));
        queue().enqueue("fourth");
        redis.clock.advance(MICRO);
        queue().enqueue("fifth");
        assertThat(claimPayloads(10)).containsExactly("first", "second", "third", "fourth", "fifth");
    }

    @Test
    void small_claims_merge_delayed_and_immediate_jobs_in_the_order_of_their_due_times() {
        for (int i = 0; i < 20; i++) {
            queue().enqueue("delayed" + i, Duration.ofSeconds(20));
        }
        redis.clock.advance(Duration.ofSeconds(10));
        queue().enqueue("early");
        redis.clock.advance(Duration.ofSeconds(20));
        queue().enqueue("late");
        List<String> all = IntStream.range(0, 8)
                .mapToObj(i -> claimPayloads(3))
                .flatMap(List::stream)
                .toList();
        assertThat(all).hasSize(22).startsWith("early", "delayed0", "delayed1").endsWith("delayed19", "late");
    }

    @Test
    void a_higher_priority_goes_first() {
        queue().enqueue(NewJob.of("low").priority(Priority.LOW));
        queue().enqueue("normal");
        queue().enqueue(NewJob.of("high").priority(Priority.HIGH));
        assertThat(claimPayloads(10)).containsExactly("high", "normal", "low");
    }

    @Test
    void jobs_of_several_priorities_and_due_times_are_enqueued_in_one_call() {
        List<Enqueued> enqueued = queue().enqueueAll(List.of(
                NewJob.of("b"),
                NewJob.of("c").after(MINUTE),
                NewJob.of("a").priority(Priority.HIGH),
                NewJob.of("d").priority(Priority.LOW).once("d")));
        assertThat(enqueued).extracting(Enqueued::outcome).containsOnly(Enqueued.Outcome.ADDED);
        assertThat(enqueued).extracting(Enqueued::id).doesNotHaveDuplicates();
        assertThat(claimPayloads(10)).containsExactly("a", "b", "d");
    }

    /** Defect in asynq (#1144): the jobs of a dead worker stay active forever, without a lease. */
    @Test
    void a_job_whose_lease_expired_is_handed_out_again_and_counts_a_crash() {
        queue().enqueue("first");
        redis.clock.advance(MICRO);
        queue().enqueue("second");
        Lease<String> lost = claimOne();
        redis.clock.advance(LEASE.minus(MICRO));
        assertThat(claimPayloads(1)).containsExactly("second");
        redis.clock.advance(MICRO);
        assertThat(lost.ack()).isEqualTo(Settled.LEASE_LOST);
        Lease<String> again = claimOne();
        assertThat(again.id()).isEqualTo(lost.id());
        assertThat(again.job().payload()).isEqualTo("first");
        assertThat(List.of(
                        again.job().attempt(),
                        again.job().delivery(),
                        again.job().crashes()))
                .containsExactly(1, 2, 1);
    }

    @Test
    void only_unsettled_jobs_of_an_expired_claim_are_handed_out_again() {
        queue().enqueueAll(List.of(NewJob.of("a"), NewJob.of("b"), NewJob.of("c")));
        List<Lease<String>> leases = queue().claim(3, LEASE);
        assertThat(leases.get(1).ack()).isEqualTo(Settled.DONE);
        assertThat(leases.get(2).extend(LEASE.multipliedBy(2))).isEqualTo(Settled.DONE);
        redis.clock.advance(LEASE);
        assertThat(claimPayloads(3)).containsExactly("a");
        assertThat(leases.get(2).ack()).isEqualTo(Settled.DONE);
        assertCounts(0, 0, 1, 0);
    }

    @Test
    void an_expired_lease_settles_nothing() {
        queue().enqueue("a");
        Lease<String> stale = claimOne();
        redis.clock.advance(LEASE);
        Lease<String> valid = claimOne();
        assertThat(stale.ack()).isEqualTo(Settled.LEASE_LOST);
        assertThat(stale.extend(LEASE)).isEqualTo(Settled.LEASE_LOST);
        assertThat(stale.handBack()).isEqualTo(Settled.LEASE_LOST);
        assertThat(stale.retry(MINUTE, "no")).isEqualTo(Settled.LEASE_LOST);
        assertThat(stale.deadLetter("no")).isEqualTo(Settled.LEASE_LOST);
        assertCounts(0, 0, 1, 0);
        assertThat(valid.ack()).isEqualTo(Settled.DONE);
    }

    @Test
    void a_job_that_is_handed_back_counts_no_attempt() {
        queue().enqueue("a");
        assertThat(claimOne().handBack()).isEqualTo(Settled.DONE);
        Job<String> again = claimOne().job();
        assertThat(List.of(again.attempt(), again.delivery(), again.crashes())).containsExactly(1, 2, 0);
    }

    @Test
    void a_failed_attempt_is_counted_and_its_cause_kept() {
        JobId id = queue().enqueue("a").id();
        claimOne().retry(MINUTE, "first failure");
        assertCounts(0, 1, 0, 0);
        redis.clock.advance(MINUTE);
        claimOne().retry(MINUTE, "second failure");
        redis.clock.advance(MINUTE);
        Lease<String> third = claimOne();
        assertThat(third.id()).isEqualTo(id);
        assertThat(third.job().attempt()).isEqualTo(3);
        assertThat(third.job().causes()).containsExactly("first failure", "second failure");
        assertThat(third.deadLetter("third failure")).isEqualTo(Settled.DONE);
        assertCounts(0, 0, 0, 1);
    }

    @Test
    void a_job_whose_lease_expires_too_often_is_a_dead_letter() {
        JobQueue<String> queue = redis.queue(QueueSettings.of("orders").withMaxCrashes(2));
        queue.enqueue("kills its worker");
        queue.claim(1, LEASE);
        redis.clock.advance(LEASE);
        assertThat(queue.claim(1, LEASE)).hasSize(1);
        redis.clock.advance(LEASE);
        assertThat(queue.claim(1, LEASE)).isEmpty();
        assertCounts(0, 0, 0, 1);
    }

    private JobId createDeadLetter(String payload) {
        JobId id = queue().enqueue(NewJob.of(payload).once(payload)).id();
        assertThat(claimOne().deadLetter("no " + payload)).isEqualTo(Settled.DONE);
        redis.clock.advance(MICRO);
        return id;
    }

    @Test
    void dead_letters_are_listed_oldest_first() {
        JobId first = createDeadLetter("first");
        JobId second = createDeadLetter("second");
        List<DeadLetter<String>> letters = queue().deadLetters().list(10).items();
        assertThat(letters).extracting(letter -> letter.job().id()).containsExactly(first, second);
        assertThat(letters.get(0).diedAt()).isEqualTo(OwnQueues.START);
        assertThat(letters.get(0).job().causes()).containsExactly("no first");
        assertThat(List.of(letters.get(0).job().attempt(), letters.get(0).job().delivery()))
                .containsExactly(1, 1);
        Page<DeadLetter<String>> page = queue().deadLetters().list(1);
        assertThat(page.items()).containsExactly(letters.get(0));
        queue().deadLetters().discard(first);
        Page<DeadLetter<String>> last = queue().deadLetters().list(page.next().orElseThrow(), 1);
        assertThat(last.items()).containsExactly(letters.get(1));
        assertThat(last.next()).isEmpty();
    }

    @Test
    void a_redriven_dead_letter_starts_with_its_first_attempt_again() {
        createDeadLetter("other");
        JobId id = createDeadLetter("a");
        assertThat(queue().deadLetters().redrive(id)).isTrue();
        assertThat(queue().deadLetters().redrive(id)).isFalse();
        assertCounts(1, 0, 0, 1);
        assertThat(queue().enqueue(NewJob.of("again").once("a")).id()).isEqualTo(id);
        Lease<String> lease = claimOne();
        assertThat(lease.id()).isEqualTo(id);
        assertThat(List.of(
                        lease.job().attempt(),
                        lease.job().delivery(),
                        lease.job().crashes()))
                .containsExactly(1, 2, 0);
        assertThat(lease.job().causes()).containsExactly("no a");
        lease.ack();
        assertCounts(0, 0, 0, 1);
    }

    @Test
    void dead_letters_can_be_redriven_at_a_rate() {
        for (int i = 0; i < 5; i++) {
            createDeadLetter("job" + i);
        }
        assertThat(queue().deadLetters().redriveOldest(3, MINUTE)).isEqualTo(3);
        assertCounts(1, 2, 0, 2);
        redis.clock.advance(MINUTE.multipliedBy(2));
        assertThat(claimPayloads(5)).containsExactly("job0", "job1", "job2");
        assertThat(queue().deadLetters().redriveOldest(3, Duration.ZERO)).isEqualTo(2);
        assertThat(queue().deadLetters().redriveOldest(3, Duration.ZERO)).isZero();
        assertThat(claimPayloads(5)).containsExactly("job3", "job4");
    }

    @Test
    void dead_letters_are_redriven_only_as_far_as_the_queue_has_room() {
        List<JobId> ids = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            ids.add(createDeadLetter("job" + i));
        }
        DeadLetters<String> letters =
                redis.queue(QueueSettings.of("orders").withMaxJobs(3)).deadLetters();
        queue().enqueue("there");
        assertThat(letters.redriveOldest(5, MINUTE)).isEqualTo(2);
        assertCounts(2, 1, 0, 3);
        for (ThrowingCallable full :
                List.<ThrowingCallable>of(() -> letters.redriveOldest(5, MINUTE), () -> letters.redrive(ids.get(4)))) {
            assertThatThrownBy(full)
                    .isInstanceOf(QueueFullException.class)
                    .hasMessage("redrive hg:q:{orders}: the queue is full: it may have 3 jobs, and another"
                            + " would exceed that; none was redriven");
        }
        assertThat(letters.redrive(ids.get(0))).isFalse();
        assertCounts(2, 1, 0, 3);
        claimOne().ack();
        assertThat(letters.redrive(ids.get(4))).isTrue();
        letters.discardOldest(5);
        assertThat(letters.redriveOldest(5, MINUTE)).isZero();
    }

    @Test
    void discarded_dead_letters_are_deleted() {
        JobId first = createDeadLetter("first");
        JobId second = createDeadLetter("second");
        createDeadLetter("third");
        assertThat(queue().deadLetters().discard(second)).isTrue();
        assertThat(queue().deadLetters().redrive(second)).isFalse();
        assertThat(queue().deadLetters().discardOldest(1)).isEqualTo(1);
        assertThat(queue().deadLetters().discard(first)).isFalse();
        assertThat(queue().deadLetters().discardOldest(10)).isEqualTo(1);
        assertThat(redis.probe.command("KEYS", "hg:q:*")).isEqualTo(List.of("hg:q:{orders}"));
    }

    @Test
    void waiting_and_leased_jobs_can_not_be_redriven_or_discarded() {
        JobId waiting = queue().enqueue("a", MINUTE).id();
        queue().enqueue("b");
        Lease<String> leased = claimOne();
        for (JobId id : List.of(waiting, leased.id())) {
            assertThat(queue().deadLetters().redrive(id)).isFalse();
            assertThat(queue().deadLetters().discard(id)).isFalse();
        }
        assertCounts(0, 1, 1, 0);
    }

    @Test
    void an_id_of_another_queue_finds_no_job_of_the_same_number() {
        JobQueue<String> other = redis.queue(QueueSettings.of("other"));
        JobId inList = other.enqueue("a").id();
        JobId delayed = other.enqueue("b", MINUTE).id();
        redis.clock.advance(MICRO);
        queue().enqueue("a");
        queue().enqueue("b", MINUTE);
        assertThat(queue().cancel(inList)).isFalse();
        assertThat(queue().cancel(delayed)).isFalse();
        claimOne().retry(MINUTE, "no");
        assertThat(queue().reschedule(inList, MINUTE)).isFalse();
        redis.clock.advance(MINUTE);
        queue().claim(2, LEASE).forEach(lease -> lease.deadLetter("no"));
        for (JobId id : List.of(inList, delayed)) {
            assertThat(queue().deadLetters().redrive(id)).isFalse();
            assertThat(queue().deadLetters().discard(id)).isFalse();
        }
        assertCounts(0, 0, 0, 2);
    }

    @Test
    void a_job_with_the_key_of_an_unfinished_job_is_not_added() {
        Enqueued first = queue().enqueue(NewJob.of("a").once("k"));
        Enqueued second = queue().enqueue(NewJob.of("b").priority(Priority.LOW).once("k"));
        assertThat(second).isEqualTo(new Enqueued(Enqueued.Outcome.SAME, first.id()));
        Lease<String> lease = claimOne();
        assertThat(queue().enqueue(NewJob.of("c").once("k")).outcome()).isEqualTo(Enqueued.Outcome.SAME);
        lease.ack();
        assertThat(queue().enqueue(NewJob.of("d").once("k")).outcome()).isEqualTo(Enqueued.Outcome.ADDED);
    }

    @Test
    void a_replacing_job_replaces_only_a_waiting_job_with_its_key() {
        queue().enqueue(NewJob.of("old").after(MINUTE).replacing("k"));
        Enqueued replaced = queue().enqueue(NewJob.of("new").replacing("k"));
        assertThat(replaced.outcome()).isEqualTo(Enqueued.Outcome.REPLACED);
        assertCounts(1, 0, 0, 0);
        Lease<String> leased = claimOne();
        assertThat(queue().enqueue(NewJob.of("newer").replacing("k")).outcome()).isEqualTo(Enqueued.Outcome.ADDED);
        leased.ack();
        assertThat(queue().enqueue(NewJob.of("newest").replacing("k")).outcome())
                .isEqualTo(Enqueued.Outcome.REPLACED);
        assertThat(claimPayloads(5)).containsExactly("newest");
    }

    @Test
    void ready_and_delayed_jobs_can_be_cancelled_and_leased_ones_can_not() {
        JobId[] ready = new JobId[5];
        JobId[] delayed = new JobId[5];
        for (int i = 0; i < 5; i++) {
            ready[i] = queue().enqueue("ready" + i).id();
            delayed[i] = queue().enqueue("delayed" + i, MINUTE).id();
        }
        Lease<String> leased = claimOne();
        assertThat(queue().cancel(leased.id())).isFalse();
        assertThat(queue().cancel(ready[2])).isTrue();
        assertThat(queue().cancel(ready[2])).isFalse();
        assertThat(queue().cancel(delayed[0])).isTrue();
        assertThat(queue().cancel(delayed[4])).isTrue();
        assertCounts(3, 3, 1, 0);
        redis.clock.advance(MINUTE);
        assertThat(claimPayloads(20))
                .containsExactly("ready0", "ready1", "ready3", "ready4", "delayed1", "delayed2", "delayed3");
        assertCounts(0, 0, 7, 0);
    }

    @Test
    void a_retried_or_handed_back_job_can_be_rescheduled_or_cancelled_by_its_id() {
        JobId id = queue().enqueue("a").id();
        claimOne().retry(MINUTE, "no");
        assertThat(queue().reschedule(id, Duration.ofHours(1))).isTrue();
        redis.clock.advance(MINUTE);
        assertThat(claimPayloads(1)).isEmpty();
        assertThat(queue().runNow(id)).isTrue();
        assertThat(claimOne().handBack(MINUTE)).isEqualTo(Settled.DONE);
        assertThat(queue().cancel(id)).isTrue();
        assertThat(queue().cancel(id)).isFalse();
        assertThat(redis.probe.command("KEYS", "hg:q:*")).isEqualTo(List.of("hg:q:{orders}"));
    }

    @Test
    void a_rescheduled_job_keeps_its_id_and_its_attempts() {
        JobId id = queue().enqueue("a").id();
        assertThat(queue().reschedule(id, OwnQueues.START.plus(MINUTE))).isTrue();
        assertCounts(0, 1, 0, 0);
        redis.clock.advance(MINUTE);
        claimOne().retry(Duration.ZERO, "no");
        assertThat(queue().reschedule(id, MINUTE)).isTrue();
        redis.clock.advance(MINUTE);
        Lease<String> lease = claimOne();
        assertThat(lease.id()).isEqualTo(id);
        assertThat(List.of(lease.job().attempt(), lease.job().delivery())).containsExactly(2, 2);
    }

    @Test
    void a_full_queue_rejects_jobs_and_stays_unchanged() {
        JobQueue<String> queue = redis.queue(QueueSettings.of("orders").withMaxJobs(3));
        queue.enqueueAll(List.of(NewJob.of("a"), NewJob.of("b").after(MINUTE)));
        assertThatThrownBy(() -> queue.enqueueAll(List.of(NewJob.of("c"), NewJob.of("d"))))
                .isInstanceOf(QueueFullException.class)
                .hasMessage("enqueue hg:q:{orders}: the queue is full: it may have 3 jobs, and 2 more would"
                        + " exceed that; none was enqueued");
        queue.enqueue("c");
        Lease<String> lease = queue.claim(1, LEASE).get(0);
        assertThatThrownBy(() -> queue.enqueue("d")).isInstanceOf(QueueFullException.class);
        lease.ack();
        queue.enqueue("d");
        assertCounts(2, 1, 0, 0);
    }

    @Test
    void a_paused_queue_hands_out_nothing() {
        queue().enqueue("a");
        queue().pause();
        assertThat(claimPayloads(1)).isEmpty();
        assertThat(queue().counts().paused()).isTrue();
        queue().resume();
        assertThat(claimPayloads(1)).containsExactly("a");
    }

    @Test
    void counts_report_how_long_the_oldest_job_has_been_due() {
        assertThat(queue().counts().oldestDue()).isEmpty();
        queue().enqueue("a", MINUTE);
        assertThat(queue().counts().oldestDue()).isEmpty();
        redis.clock.advance(MINUTE.plusSeconds(5));
        assertThat(queue().counts().oldestDue()).isEqualTo(Optional.of(Duration.ofSeconds(5)));
    }

    @Test
    void several_leases_are_acked_in_one_call() {
        for (int i = 0; i < 10; i++) {
            queue().enqueue("job" + i);
        }
        List<Lease<String>> leases = queue().claim(10, LEASE);
        leases.get(3).ack();
        List<Settled> settled = queue().ackAll(leases);
        assertThat(settled).hasSize(10);
        assertThat(settled.get(3)).isEqualTo(Settled.LEASE_LOST);
        assertThat(settled.stream().filter(Settled.DONE::equals)).hasSize(9);
        assertCounts(0, 0, 0, 0);
    }
}
