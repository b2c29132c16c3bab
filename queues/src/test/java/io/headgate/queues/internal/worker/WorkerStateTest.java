package io.headgate.queues.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.queues.Job;
import io.headgate.queues.JobId;
import io.headgate.queues.QueueException;
import io.headgate.queues.Settled;
import io.headgate.queues.internal.worker.InFlightJobs.InFlightJob;
import io.headgate.queues.internal.worker.PendingSettlements.Outcome;
import io.headgate.queues.internal.worker.PendingSettlements.PendingSettlement;
import io.headgate.queues.internal.worker.WorkerState.Poll;
import io.headgate.queues.worker.ClaimedJob;
import io.headgate.queues.worker.PollResult;
import io.headgate.queues.worker.Settlement;
import io.headgate.queues.worker.WorkerListener;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Tests the polls, started jobs and settlements of a worker with two handlers, event by event, without a queue. */
class WorkerStateTest {

    private static final Duration LEASE = Duration.ofSeconds(30);

    /** Close to the overflow of the clock, which happens during a test. */
    private long now = Long.MAX_VALUE - Duration.ofMillis(5).toNanos();

    private final WorkerState<String> state = new WorkerState<>(2, LEASE, now);
    private final List<String> events = new ArrayList<>();

    private record TestSettlement(Kind kind) implements Settlement {}

    private record TestJob(int number, int shard, int crashes) implements ClaimedJob<String> {

        TestJob(int number) {
            this(number, 0, 0);
        }

        @Override
        public JobId id() {
            return new JobId("%030x".formatted(number));
        }

        @Override
        public Job<String> job() {
            throw new UnsupportedOperationException();
        }

        @Override
        public Settlement ackSettlement() {
            return new TestSettlement(Settlement.Kind.ACK);
        }

        @Override
        public Settlement handBackSettlement(Duration delay) {
            return new TestSettlement(Settlement.Kind.HAND_BACK);
        }

        @Override
        public Settlement retrySettlement(Duration delay, String cause) {
            return new TestSettlement(Settlement.Kind.RETRY);
        }

        @Override
        public Settlement deadLetterSettlement(String cause) {
            return new TestSettlement(Settlement.Kind.DEAD_LETTER);
        }

        @Override
        public Settlement extendSettlement(Duration lease) {
            return new TestSettlement(Settlement.Kind.EXTEND);
        }
    }

    private Poll<String> nextPoll() {
        return Objects.requireNonNull(state.nextPoll(now), "a poll is due");
    }

    private static List<Settlement.Kind> kinds(Poll<String> poll) {
        return poll.settlements().stream()
                .map(PendingSettlement::settlement)
                .map(Settlement::kind)
                .toList();
    }

    private static List<Integer> numbers(List<InFlightJob<String>> jobs) {
        return jobs.stream().map(job -> ((TestJob) job.claimed()).number()).toList();
    }

    /** Ends a poll that settled everything and claimed these jobs; returns the jobs that are started. */
    private List<InFlightJob<String>> succeed(Poll<String> poll, TestJob... claimed) {
        List<Settled> settled = Collections.nCopies(poll.settlements().size(), Settled.DONE);
        state.pollSucceeded(poll, new PollResult<>(List.<ClaimedJob<String>>of(claimed), 0, settled), now);
        return state.startJobs(now);
    }

    /** Ends the handler of a job with an ack; returns whether the handler then starts another job. */
    private boolean finish(InFlightJob<String> job) {
        Outcome outcome = new Outcome(job.claimed().ackSettlement(), Optional.empty(), listener -> {}, false, () -> {});
        return state.finished(job, outcome, now) != null;
    }

    private void advance(Duration time) {
        now += time.toNanos();
    }

    private List<String> drainedEvents() {
        WorkerListener recorder = new WorkerListener() {
            @Override
            public void onLeaseLost(JobId id) {
                events.add("lease lost");
            }

            @Override
            public void onHandedBack(JobId id) {
                events.add("handed back");
            }

            @Override
            public void onQueueError(QueueException problem) {
                events.add("trouble");
            }
        };
        state.drainEvents().forEach(event -> event.accept(recorder));
        return events;
    }

    @Test
    void the_first_poll_claims_a_job_for_each_handler() {
        Poll<String> poll = nextPoll();
        assertThat(poll.max()).isEqualTo(2);
        assertThat(poll.settlements()).isEmpty();
        assertThat(state.isPolling()).isTrue();
        assertThat(numbers(succeed(poll, new TestJob(1), new TestJob(2)))).containsExactly(1, 2);
        assertThat(state.isPolling()).isFalse();
    }

    @Test
    void the_next_poll_settles_finished_jobs_and_claims_as_many() {
        List<InFlightJob<String>> jobs = succeed(nextPoll(), new TestJob(1), new TestJob(2));
        assertThat(state.nextPoll(now)).isNull();
        assertThat(finish(jobs.get(0))).isFalse();
        Poll<String> poll = nextPoll();
        assertThat(kinds(poll)).containsExactly(Settlement.Kind.ACK);
        assertThat(poll.max()).isEqualTo(1);
    }

    @Test
    void a_failed_poll_is_retried_after_a_backoff_with_the_same_settlements() {
        List<InFlightJob<String>> jobs = succeed(nextPoll(), new TestJob(1));
        finish(jobs.get(0));
        state.pollFailed(nextPoll(), new QueueException("claim", "queue", "as a test", true, null), now);
        assertThat(drainedEvents()).containsExactly("trouble");
        assertThat(state.nextPoll(now)).isNull();
        assertThat(state.wakeUpNanos(now) - now).isEqualTo(Duration.ofMillis(20).toNanos());
        advance(Duration.ofMillis(20));
        assertThat(kinds(nextPoll())).containsExactly(Settlement.Kind.ACK);
    }

    @Test
    void leases_are_extended_after_a_third_of_their_time() {
        succeed(nextPoll(), new TestJob(1), new TestJob(2));
        advance(LEASE.dividedBy(3));
        assertThat(kinds(nextPoll())).containsExactly(Settlement.Kind.EXTEND, Settlement.Kind.EXTEND);
    }

    @Test
    void a_job_whose_lease_has_expired_is_not_started() {
        List<InFlightJob<String>> jobs = succeed(nextPoll(), new TestJob(1), new TestJob(2), new TestJob(3));
        assertThat(numbers(jobs)).containsExactly(1, 2);
        advance(LEASE);
        assertThat(finish(jobs.get(0))).isFalse();
        assertThat(drainedEvents()).containsExactly("lease lost");
    }

    @Test
    void a_suspect_is_handled_alone_and_a_second_one_is_handed_back() {
        // Jobs 1 and 3 are suspects, because two of their leases have expired.
        List<InFlightJob<String>> jobs =
                succeed(nextPoll(), new TestJob(1, 0, 2), new TestJob(2), new TestJob(3, 0, 2));
        assertThat(numbers(jobs)).containsExactly(2);
        Poll<String> handBack = nextPoll();
        assertThat(kinds(handBack)).containsExactly(Settlement.Kind.HAND_BACK);
        assertThat(handBack.max()).isZero();
        assertThat(succeed(handBack)).isEmpty();
        finish(jobs.get(0));
        Poll<String> ack = nextPoll();
        assertThat(ack.max()).isZero();
        assertThat(numbers(succeed(ack))).containsExactly(1);
    }

    @Test
    void nothing_is_claimed_from_a_failing_shard_until_it_has_settled() {
        List<InFlightJob<String>> jobs = succeed(nextPoll(), new TestJob(1, 1, 0), new TestJob(2, 0, 0));
        finish(jobs.get(0));
        Poll<String> poll = nextPoll();
        // Shard 1 has failed: settlement 0 was not processed, so its result does not count.
        PollResult<String> failed = new PollResult<>(
                List.of(), 0, List.of(Settled.LEASE_LOST), Map.of(), Optional.empty(), Set.of(0), Set.of(1));
        state.pollSucceeded(poll, failed, now);
        Poll<String> duringBackoff = nextPoll();
        assertThat(duringBackoff.settlements()).isEmpty();
        assertThat(duringBackoff.excludedShards()).containsExactly(1);
        succeed(duringBackoff);
        advance(Duration.ofMillis(20));
        Poll<String> afterBackoff = nextPoll();
        assertThat(kinds(afterBackoff)).containsExactly(Settlement.Kind.ACK);
        assertThat(afterBackoff.excludedShards()).containsExactly(1);
        succeed(afterBackoff);
        assertThat(nextPoll().excludedShards()).isEmpty();
    }

    @Test
    void a_closed_worker_hands_back_unstarted_jobs_and_waits_for_its_handlers() {
        List<InFlightJob<String>> jobs = succeed(nextPoll(), new TestJob(1), new TestJob(2), new TestJob(3));
        state.close();
        Poll<String> poll = nextPoll();
        assertThat(kinds(poll)).containsExactly(Settlement.Kind.HAND_BACK);
        assertThat(poll.max()).isZero();
        assertThat(succeed(poll)).isEmpty();
        assertThat(state.isQuiet()).isFalse();
        finish(jobs.get(0));
        finish(jobs.get(1));
        succeed(nextPoll());
        assertThat(state.isQuiet()).isTrue();
    }

    @Test
    void an_abandoned_job_is_handed_back_and_its_outcome_ignored() {
        List<InFlightJob<String>> jobs = succeed(nextPoll(), new TestJob(1));
        state.close();
        assertThat(state.abandon()).isTrue();
        assertThat(finish(jobs.get(0))).isFalse();
        Poll<String> poll = nextPoll();
        assertThat(kinds(poll)).containsExactly(Settlement.Kind.HAND_BACK);
        succeed(poll);
        assertThat(drainedEvents()).containsExactly("handed back");
        assertThat(state.isQuiet()).isTrue();
    }
}
