package io.headgate.queues.internal.worker;

import io.headgate.queues.QueueException;
import io.headgate.queues.Settled;
import io.headgate.queues.internal.worker.InFlightJobs.InFlightJob;
import io.headgate.queues.internal.worker.PendingSettlements.Outcome;
import io.headgate.queues.internal.worker.PendingSettlements.PendingSettlement;
import io.headgate.queues.worker.ClaimedJob;
import io.headgate.queues.worker.PollResult;
import io.headgate.queues.worker.WorkerListener;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The state of a worker: jobs in flight, pending settlements, the schedule of polls, and events that listeners have not received yet.
 * It is a state machine without threads, clock and I/O; {@link WorkerLoop} drives it and guards it with its lock.
 *
 * @param <T> the type of the payload
 */
final class WorkerState<T> {

    private final InFlightJobs<T> jobs;
    private final PendingSettlements<T> settlements;
    private final PollSchedule schedule = new PollSchedule();
    private final ShardBackoff backoff = new ShardBackoff();
    private List<Consumer<WorkerListener>> events = new ArrayList<>();
    private boolean polling;
    private boolean closing;
    private boolean abandoned;

    WorkerState(int concurrency, Duration lease, long nowNanos) {
        this.jobs = new InFlightJobs<>(concurrency, lease.toNanos(), nowNanos);
        this.settlements = new PendingSettlements<>(lease);
    }

    /**
     * A poll to send.
     *
     * @param sentNanos when it is sent
     * @param max how many jobs it claims at most
     * @param excludedShards the shards from which it claims no job
     * @param settlements the settlements that it sends
     */
    record Poll<T>(long sentNanos, int max, Set<Integer> excludedShards, List<PendingSettlement<T>> settlements) {}

    /** More jobs may be due now. */
    void signalled() {
        schedule.signalled();
    }

    boolean isPolling() {
        return polling;
    }

    /** A handler has ended; returns the job that it handles next, or null. */
    @Nullable
    InFlightJob<T> finished(InFlightJob<T> job, Outcome outcome, long nowNanos) {
        settle(job, outcome);
        jobs.handlerEnded();
        return closing ? null : started(jobs.next(), nowNanos);
    }

    private void settle(InFlightJob<T> job, Outcome outcome) {
        if (!job.isSettled()) {
            jobs.remove(job);
            settlements.add(job, outcome);
        }
    }

    /**
     * Starts the job, or if its lease has expired, the next one with a valid lease. Another worker may have a job whose lease has expired.
     */
    private @Nullable InFlightJob<T> started(@Nullable InFlightJob<T> first, long nowNanos) {
        InFlightJob<T> next = first;
        while (next != null && next.isExpired(nowNanos)) {
            leaseLost(next);
            next = jobs.next();
        }
        if (next != null) {
            jobs.handlerStarted(next);
        }
        return next;
    }

    private void leaseLost(InFlightJob<T> job) {
        jobs.remove(job);
        events.add(listener -> listener.onLeaseLost(job.claimed().id()));
    }

    /**
     * Returns the poll that is due now, or null. In that case, {@link #wakeUpNanos} returns when to call this method again. No other
     * poll may be in flight.
     */
    @Nullable
    Poll<T> nextPoll(long nowNanos) {
        if (backoff.endIfOver(nowNanos)) {
            schedule.signalled();
        }
        if (schedule.isBackingOff(nowNanos)) {
            return null;
        }
        Set<Integer> failing = backoff.shards();
        // Claim nothing from a shard until it has settled its jobs: otherwise it could deliver more and more jobs that
        // are never settled.
        Set<Integer> excluded = settlements.withRetainedShards(failing);
        int max = !closing && schedule.isClaimDue(nowNanos) ? jobs.capacity(nowNanos) : 0;
        List<PendingSettlement<T>> toSettle = settlements.take(jobs, failing, nowNanos);
        if (max == 0 && toSettle.isEmpty()) {
            return null;
        }
        polling = true;
        if (max > 0) {
            schedule.claimSent();
        }
        return new Poll<>(nowNanos, max, excluded, toSettle);
    }

    /** Returns when the next poll is due unless there is a signal. */
    long wakeUpNanos(long nowNanos) {
        long next = schedule.nextPollNanos(nowNanos);
        // Renewals that are due during the backoff wait for its end, because no poll is sent before.
        return schedule.isBackingOff(nowNanos) ? next : backoff.endOr(jobs.firstRenewal(next, backoff.shards()));
    }

    /** A poll has failed: its settlements are retained. */
    void pollFailed(Poll<T> poll, QueueException failure, long nowNanos) {
        polling = false;
        publishTrouble(failure);
        settlements.retain(poll.settlements());
        schedule.pollFailed(nowNanos);
    }

    /** A poll has succeeded: adds the jobs that it claimed, and retains the settlements that were not processed. */
    void pollSucceeded(Poll<T> poll, PollResult<T> result, long nowNanos) {
        polling = false;
        result.failure().ifPresent(this::publishTrouble);
        backoff.failed(result.failedShards(), poll.sentNanos(), nowNanos);
        settlements.retain(result.unsettled().stream()
                .sorted()
                .map(poll.settlements()::get)
                .toList());
        applySettlements(poll, result);
        addClaimed(poll, result, nowNanos);
        schedule.pollSucceeded();
        if (!settlements.withRetainedShards(backoff.shards()).containsAll(poll.excludedShards())) {
            // A shard that was excluded has settled its jobs, and may have due ones.
            schedule.signalled();
        }
    }

    private void applySettlements(Poll<T> poll, PollResult<T> result) {
        QueueException trouble = null;
        for (int i = 0; i < poll.settlements().size(); i++) {
            if (result.unsettled().contains(i)) {
                continue;
            }
            InFlightJob<T> job = poll.settlements().get(i).job();
            Outcome outcome = poll.settlements().get(i).outcome();
            QueueException unconfirmed = result.unconfirmed().get(i);
            // Without an outcome, the settlement renews a lease. If its job was settled meanwhile, that settlement
            // reports a lost lease.
            if (result.settled().get(i) == Settled.LEASE_LOST) {
                if (outcome != null || !job.isSettled()) {
                    leaseLost(job);
                }
            } else if (outcome == null) {
                jobs.leased(job, poll.sentNanos());
                trouble = unconfirmed == null ? trouble : unconfirmed;
            } else {
                publishOutcome(outcome, unconfirmed);
                // For an outcome with a job, onUnconfirmed reports it.
                trouble = unconfirmed == null || outcome.job().isPresent() ? trouble : unconfirmed;
            }
        }
        if (trouble != null) {
            publishTrouble(trouble);
        }
    }

    /** Publishes the event of a settlement, also of an unconfirmed one: if Redis loses that, the job is only delivered once more. */
    private void publishOutcome(Outcome outcome, @Nullable QueueException unconfirmed) {
        if (unconfirmed != null) {
            outcome.job().ifPresent(job -> events.add(listener -> listener.onUnconfirmed(job, unconfirmed)));
        }
        if (unconfirmed == null || !outcome.requiresConfirmation()) {
            events.add(outcome.event());
        }
    }

    private void publishTrouble(QueueException trouble) {
        events.add(listener -> listener.onQueueError(trouble));
    }

    private void addClaimed(Poll<T> poll, PollResult<T> result, long nowNanos) {
        if (poll.max() > 0) {
            schedule.claimed(result.moreInMicros(), nowNanos);
        }
        for (ClaimedJob<T> claimed : result.claimed()) {
            InFlightJob<T> job = new InFlightJob<>(claimed);
            if (closing || !jobs.add(job, poll.sentNanos())) {
                settle(job, Outcome.handedBack(claimed));
            }
        }
    }

    /** Starts jobs for handlers that are free, and returns them. */
    List<InFlightJob<T>> startJobs(long nowNanos) {
        List<InFlightJob<T>> started = new ArrayList<>();
        if (closing) {
            return started;
        }
        boolean othersSettled = settlements.isEmptyExcept(backoff.shards());
        InFlightJob<T> next = started(jobs.nextToStart(othersSettled), nowNanos);
        while (next != null) {
            started.add(next);
            next = started(jobs.nextToStart(othersSettled), nowNanos);
        }
        return started;
    }

    /** Removes and returns the events that listeners have not received yet. */
    List<Consumer<WorkerListener>> drainEvents() {
        List<Consumer<WorkerListener>> drained = events;
        events = new ArrayList<>();
        return drained;
    }

    /** Stops claiming, and hands back the jobs that no handler has started. */
    void close() {
        closing = true;
        // The last settlements are sent to failed shards, too.
        backoff.end();
        jobs.notStarted().forEach(job -> settle(job, Outcome.handedBack(job.claimed())));
    }

    /** Hands back the jobs whose handlers still run, and ignores their outcomes. Returns whether there are any. */
    boolean abandon() {
        backoff.end();
        List<InFlightJob<T>> rest = jobs.all();
        rest.forEach(job -> settle(job, Outcome.handedBack(job.claimed())));
        abandoned = true;
        return !rest.isEmpty();
    }

    /** Whether handlers have ended, or are abandoned, and all settlements are processed. */
    boolean isQuiet() {
        return (abandoned || !jobs.hasRunningHandlers()) && !polling && settlements.isEmpty();
    }
}
