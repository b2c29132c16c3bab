package io.headgate.spring.queues.internal;

import io.headgate.queues.Job;
import io.headgate.queues.JobId;
import io.headgate.queues.QueueException;
import io.headgate.queues.worker.WorkerListener;
import io.headgate.spring.internal.FailureLog;
import io.headgate.spring.internal.PropertyValues;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Passes the events of a worker to the application's {@link WorkerListener} beans, with the converted payload instead of the internal {@link
 * Delivery}. Logs failed calls to the queue, at most once a minute.
 */
final class ListenerEvents implements WorkerListener {

    private static final System.Logger LOG = System.getLogger(ListenerEvents.class.getName());

    private final List<WorkerListener> beans;
    private final FailureLog queueFailures;

    /** Logs failures of a listener of dead letters. The worker parks these jobs, and logs that only at the debug level. */
    private final Optional<FailureLog> deadLetterFailures;

    /**
     * Creates the listener of a worker.
     *
     * @param listener the listener of jobs. If it receives dead letters, the beans are not notified, as its jobs are not theirs
     */
    ListenerEvents(ListenerSpec listener, List<WorkerListener> beans) {
        this.beans = listener.deadLetters() ? List.of() : beans;
        this.queueFailures = new FailureLog("A call to Redis for the listener " + listener.id());
        this.deadLetterFailures = listener.deadLetters()
                ? Optional.of(new FailureLog("The listener " + listener.id() + " of dead letters"))
                : Optional.empty();
    }

    private void each(Consumer<WorkerListener> event) {
        for (WorkerListener bean : beans) {
            try {
                event.accept(bean);
            } catch (RuntimeException | Error e) {
                LOG.log(System.Logger.Level.WARNING, "a listener of workers failed", e);
            }
        }
    }

    /** Returns the job with the payload of the application. The cast is safe: {@link ListenerSource} creates every job of this worker. */
    @SuppressWarnings("unchecked")
    private static Job<?> ofApplication(Job<?> job) {
        return Delivery.job((Job<Delivery>) job);
    }

    @Override
    public boolean handlesFailures() {
        return beans.stream().anyMatch(WorkerListener::handlesFailures);
    }

    @Override
    public void onStarted(Job<?> job) {
        each(bean -> bean.onStarted(ofApplication(job)));
    }

    @Override
    public void onHandled(Job<?> job, boolean failed, Duration elapsed) {
        boolean retries = ((Delivery) job.payload())
                .decision()
                .filter(Delivery.Retry.class::isInstance)
                .isPresent();
        each(bean -> bean.onHandled(ofApplication(job), failed || retries, elapsed));
    }

    @Override
    public void onAcked(Job<?> job) {
        // The worker acknowledges each job whose listener returned. ListenerSource settles it as the listener decided.
        Delivery.Decision decision = ((Delivery) job.payload()).decision().orElseGet(Delivery.Ack::new);
        if (decision instanceof Delivery.Retry retry) {
            Delivery.SettledFailure failure = new Delivery.SettledFailure(retry.cause(), false);
            each(bean -> bean.onRetried(ofApplication(job), failure, retry.delay()));
        } else if (decision instanceof Delivery.HandBack) {
            each(bean -> bean.onHandedBack(job.id()));
        } else {
            each(bean -> bean.onAcked(ofApplication(job)));
        }
    }

    @Override
    public void onRetried(Job<?> job, Throwable failure, Duration delay) {
        each(bean -> bean.onRetried(ofApplication(job), failure, delay));
    }

    @Override
    public void onDeadLettered(Job<?> job, Throwable failure) {
        each(bean -> bean.onDeadLettered(ofApplication(job), failure));
    }

    @Override
    public void onDiscarded(Job<?> job, Throwable failure) {
        each(bean -> bean.onDiscarded(ofApplication(job), failure));
    }

    @Override
    public void onParked(Job<?> job, Throwable failure, Duration delay) {
        deadLetterFailures.ifPresent(log ->
                log.failed("", "the dead letter is delivered again after " + PropertyValues.text(delay), failure));
        each(bean -> bean.onParked(ofApplication(job), failure, delay));
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
        queueFailures.failed("", "the settlement is not confirmed, and the job may be delivered once more", failure);
        each(bean -> bean.onUnconfirmed(ofApplication(job), failure));
    }

    @Override
    public void onQueueError(QueueException problem) {
        queueFailures.failed("", "the listener retries", problem);
        each(bean -> bean.onQueueError(problem));
    }
}
