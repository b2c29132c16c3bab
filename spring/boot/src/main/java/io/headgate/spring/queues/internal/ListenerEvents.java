package io.headgate.spring.queues.internal;

import io.headgate.queues.Job;
import io.headgate.queues.JobId;
import io.headgate.queues.QueueException;
import io.headgate.queues.worker.WorkerListener;
import io.headgate.spring.internal.FailureLog;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Passes the events of a worker to the beans of the application that listen to workers, with the payloads that they know. Logs failed calls
 * to the queue, at most once a minute.
 */
final class ListenerEvents implements WorkerListener {

    private static final System.Logger LOG = System.getLogger(ListenerEvents.class.getName());

    private final List<WorkerListener> beans;
    private final FailureLog log;

    /** Logs failures of a listener of dead letters, which a worker does not log as warnings. */
    private final Optional<FailureLog> deadLetters;

    /**
     * Creates the listener of a worker.
     *
     * @param listener the listener of jobs. If it receives dead letters, the beans are not notified, as its jobs are not theirs
     */
    ListenerEvents(ListenerSpec listener, List<WorkerListener> beans) {
        this.beans = listener.deadLetters() ? List.of() : beans;
        this.log = new FailureLog("A call to Redis for the listener " + listener.id());
        this.deadLetters = listener.deadLetters()
                ? Optional.of(new FailureLog("The listener " + listener.id() + " of dead letters"))
                : Optional.empty();
    }

    private void each(Consumer<WorkerListener> event) {
        for (WorkerListener bean : beans) {
            try {
                event.accept(bean);
            } catch (RuntimeException e) {
                LOG.log(System.Logger.Level.WARNING, "a listener of workers failed", e);
            }
        }
    }

    /** The worker has no other jobs than those of {@link ListenerSource}. */
    @SuppressWarnings("unchecked")
    private static Job<?> enqueued(Job<?> job) {
        return Delivery.job((Job<Delivery>) job);
    }

    @Override
    public boolean handlesFailures() {
        return beans.stream().anyMatch(WorkerListener::handlesFailures);
    }

    @Override
    public void onStarted(Job<?> job) {
        each(bean -> bean.onStarted(enqueued(job)));
    }

    @Override
    public void onAcked(Job<?> job) {
        Delivery.Decision decision = ((Delivery) job.payload()).decision().orElseGet(Delivery.Ack::new);
        if (decision instanceof Delivery.Retry retry) {
            Delivery.SettledFailure failure = new Delivery.SettledFailure(retry.cause(), false);
            each(bean -> bean.onRetried(enqueued(job), failure, retry.delay()));
        } else if (decision instanceof Delivery.HandBack) {
            each(bean -> bean.onHandedBack(job.id()));
        } else {
            each(bean -> bean.onAcked(enqueued(job)));
        }
    }

    @Override
    public void onRetried(Job<?> job, Throwable failure, Duration delay) {
        each(bean -> bean.onRetried(enqueued(job), failure, delay));
    }

    @Override
    public void onDeadLettered(Job<?> job, Throwable failure) {
        each(bean -> bean.onDeadLettered(enqueued(job), failure));
    }

    @Override
    public void onDiscarded(Job<?> job, Throwable failure) {
        each(bean -> bean.onDiscarded(enqueued(job), failure));
    }

    @Override
    public void onParked(Job<?> job, Throwable failure, Duration delay) {
        deadLetters.ifPresent(found -> found.failed("", "the dead letter is delivered again after " + delay, failure));
        each(bean -> bean.onParked(enqueued(job), failure, delay));
    }

    @Override
    public void onHandedBack(JobId id) {
        each(bean -> bean.onHandedBack(id));
    }

    @Override
    public void onLeaseLost(JobId id) {
        each(bean -> bean.onLeaseLost(id));
    }

    @Override
    public void onUnconfirmed(Job<?> job, QueueException failure) {
        log.failed("", "it is not confirmed, and the job may be delivered once more", failure);
        each(bean -> bean.onUnconfirmed(enqueued(job), failure));
    }

    @Override
    public void onQueueError(QueueException problem) {
        log.failed("", "the listener retries", problem);
        each(bean -> bean.onQueueError(problem));
    }
}
