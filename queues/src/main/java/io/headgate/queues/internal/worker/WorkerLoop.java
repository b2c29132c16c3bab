package io.headgate.queues.internal.worker;

import io.headgate.queues.internal.QueueExceptions;
import io.headgate.queues.internal.worker.InFlightJobs.InFlightJob;
import io.headgate.queues.internal.worker.PendingSettlements.Outcome;
import io.headgate.queues.internal.worker.PendingSettlements.PendingSettlement;
import io.headgate.queues.internal.worker.WorkerState.Poll;
import io.headgate.queues.worker.JobSource;
import io.headgate.queues.worker.PollRequest;
import io.headgate.queues.worker.PollResult;
import io.headgate.queues.worker.Settlement;
import io.headgate.queues.worker.WorkerListener;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The loop of a worker between its source and its handlers. It sends one poll at a time. A poll settles the jobs that handlers have
 * finished, extends leases, and claims as many jobs as there is room for. Jobs that finish while a poll is in flight are settled by the
 * next one. So with more load, polls become larger, not more frequent.
 *
 * <p>No method blocks except {@link #close}. A poll is sent when there is something to settle, or when jobs may be due, as {@link
 * PollSchedule} decides, and there is room. A failed poll is retried; settlements are idempotent. Safe for use by several threads: one
 * lock guards the {@link WorkerState}, and is never held during I/O, handlers or listeners.
 *
 * @param <T> the type of the payload
 */
final class WorkerLoop<T> {

    private final JobSource<T> source;
    private final Duration lease;
    private final WorkerEvents events;
    private final Consumer<InFlightJob<T>> starter;
    private final WakeUpTimer timer = new WakeUpTimer(this::wakeUp);

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    /** Guarded by the lock, as is the timer. */
    private final WorkerState<T> state;

    private JobSource.@Nullable Subscription subscription;

    /**
     * Creates a loop that is not started.
     *
     * @param starter starts a handler for a job, and does not block
     */
    WorkerLoop(
            JobSource<T> source,
            int concurrency,
            Duration lease,
            WorkerEvents events,
            Consumer<InFlightJob<T>> starter) {
        this.source = source;
        this.lease = lease;
        this.events = events;
        this.starter = starter;
        this.state = new WorkerState<>(concurrency, lease, System.nanoTime());
    }

    /**
     * Starts polling.
     *
     * @throws RuntimeException if subscribing to the source fails; then nothing was started
     */
    void start() {
        subscription = source.subscribe(this::signal);
        timer.start();
        pollIfDue();
    }

    private void wakeUp() {
        lock.lock();
        try {
            timer.fired();
        } finally {
            lock.unlock();
        }
        pollIfDue();
    }

    private void signal() {
        lock.lock();
        try {
            state.signalled();
        } finally {
            lock.unlock();
        }
        pollIfDue();
    }

    /** A handler has ended; returns the job for the same thread to handle next, or null. */
    @Nullable
    InFlightJob<T> finished(InFlightJob<T> job, Outcome outcome) {
        InFlightJob<T> next;
        boolean settles;
        lock.lock();
        try {
            settles = !job.isSettled();
            next = state.finished(job, outcome, System.nanoTime());
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        if (settles) {
            outcome.log().run();
        }
        publishAndPoll();
        return next;
    }

    private void publishAndPoll() {
        List<Consumer<WorkerListener>> drained;
        lock.lock();
        try {
            drained = state.drainEvents();
        } finally {
            lock.unlock();
        }
        drained.forEach(events::publish);
        pollIfDue();
    }

    /** Sends the poll that is due now, or sets the timer for the next one. */
    private void pollIfDue() {
        Poll<T> poll;
        long now = System.nanoTime();
        lock.lock();
        try {
            if (state.isPolling()) {
                return;
            }
            poll = state.nextPoll(now);
            if (poll == null) {
                timer.setTo(state.wakeUpNanos(now), now);
                return;
            }
        } finally {
            lock.unlock();
        }
        List<Settlement> settlements =
                poll.settlements().stream().map(PendingSettlement::settlement).toList();
        try {
            source.poll(new PollRequest(poll.max(), lease, settlements, poll.excludedShards()))
                    .thenApply(result -> checked(result, settlements.size()))
                    .whenComplete((result, problem) -> polled(poll, result, problem));
        } catch (RuntimeException | Error e) {
            polled(poll, null, e);
        }
    }

    /** Checks that a result matches its request. The application may implement the source, and a wrong result must not break the loop. */
    private PollResult<T> checked(PollResult<T> result, int settlements) {
        if (result.settled().size() != settlements) {
            throw new IllegalStateException(
                    "the source " + source.name() + " must return a result for each of " + settlements
                            + " settlements, but returned " + result.settled().size());
        }
        return result;
    }

    private void polled(Poll<T> poll, @Nullable PollResult<T> result, @Nullable Throwable problem) {
        List<InFlightJob<T>> started;
        lock.lock();
        try {
            long now = System.nanoTime();
            if (result == null) {
                state.pollFailed(poll, QueueExceptions.of(problem), now);
            } else {
                state.pollSucceeded(poll, result, now);
            }
            started = state.startJobs(now);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        started.forEach(starter);
        publishAndPoll();
    }

    /**
     * Stops claiming, hands back the jobs that no handler has started, and waits for running handlers. When the time is up, hands back
     * their jobs too.
     *
     * @param interrupt interrupts the handlers; called if some still run when the time is up
     */
    void close(Duration atMost, Runnable interrupt) {
        long deadline = System.nanoTime() + atMost.toNanos();
        lock.lock();
        try {
            state.close();
        } finally {
            lock.unlock();
        }
        publishAndPoll();
        awaitQuiet(deadline);
        if (abandonRunning()) {
            interrupt.run();
        }
        awaitQuiet(System.nanoTime() + PollSchedule.MAX_WAIT_NANOS);
        if (subscription != null) {
            subscription.close();
        }
        timer.stop();
    }

    private boolean abandonRunning() {
        boolean any;
        lock.lock();
        try {
            any = state.abandon();
        } finally {
            lock.unlock();
        }
        publishAndPoll();
        return any;
    }

    private void awaitQuiet(long deadlineNanos) {
        lock.lock();
        try {
            long left = deadlineNanos - System.nanoTime();
            while (!state.isQuiet() && left > 0) {
                left = changed.awaitNanos(left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            lock.unlock();
        }
    }
}
