package io.headgate.queues.internal;

import io.headgate.queues.Enqueued;
import io.headgate.queues.QueueException;
import io.headgate.queues.QueueHealth;
import io.headgate.queues.QueueListener;
import io.headgate.queues.QueueListener.ClaimedJobs;
import io.headgate.queues.QueueListener.EnqueuedJobs;
import io.headgate.queues.QueueListener.SettledJobs;
import io.headgate.queues.QueueListener.Source;
import io.headgate.queues.Settled;
import io.headgate.queues.inspect.JobState;
import io.headgate.queues.worker.Settlement;
import java.lang.System.Logger.Level;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Notifies the listeners of an engine of the outcomes of operations on one queue, stream or group.
 *
 * <p>An exception of a listener is logged; it affects neither other listeners nor the caller. Without listeners, nothing is counted.
 * Safe for use by several threads.
 */
public final class QueueEvents {

    private static final System.Logger LOG = System.getLogger(QueueListener.class.getName());

    private final List<QueueListener> listeners;
    private final Source source;

    /**
     * Creates the events of a source.
     *
     * @param listeners the listeners; they may be added and removed at any time, so the list must be safe for use by several threads
     */
    public QueueEvents(List<QueueListener> listeners, Source source) {
        this.listeners = listeners;
        this.source = source;
    }

    /** Whether there are no listeners. */
    public boolean hasNoListeners() {
        return listeners.isEmpty();
    }

    /**
     * Returns a future with the result of a call. If the call fails, listeners are notified before the future completes.
     *
     * @param onReply receives the reply before the future completes; not called if there are no listeners
     */
    public <A> CompletableFuture<A> observe(CompletableFuture<A> call, Consumer<A> onReply) {
        if (hasNoListeners()) {
            return call;
        }
        CompletableFuture<A> observed = new CompletableFuture<>();
        call.whenComplete((reply, problem) -> {
            if (problem != null) {
                failed(problem);
                observed.completeExceptionally(problem);
            } else {
                onReply.accept(reply);
                observed.complete(reply);
            }
        });
        return observed;
    }

    /**
     * An enqueue call ended.
     *
     * @param jobs the outcome of each accepted job
     * @param full the number of jobs that were rejected because the queue is full
     */
    public void enqueued(List<Enqueued> jobs, int full) {
        if (hasNoListeners()) {
            return;
        }
        Map<Enqueued.Outcome, Integer> counts = new EnumMap<>(Enqueued.Outcome.class);
        jobs.forEach(job -> counts.merge(job.outcome(), 1, Integer::sum));
        enqueued(new EnqueuedJobs(
                counts.getOrDefault(Enqueued.Outcome.ADDED, 0),
                counts.getOrDefault(Enqueued.Outcome.REPLACED, 0),
                counts.getOrDefault(Enqueued.Outcome.SAME, 0),
                full));
    }

    /** An enqueue call ended. */
    public void enqueued(EnqueuedJobs jobs) {
        publish(listener -> listener.onEnqueued(source, jobs));
    }

    /** A claim ended. Its jobs are counted only if there are listeners. */
    public void claimed(Supplier<ClaimedJobs> count) {
        if (!hasNoListeners()) {
            ClaimedJobs jobs = count.get();
            publish(listener -> listener.onClaimed(source, jobs));
        }
    }

    /**
     * Settlements were processed.
     *
     * @param settlements what was requested
     * @param results the result of each, in the same order
     */
    public void settled(List<? extends Settlement> settlements, List<Settled> results) {
        if (hasNoListeners() || settlements.isEmpty()) {
            return;
        }
        Map<Settlement.Kind, Integer> counts = new EnumMap<>(Settlement.Kind.class);
        int lost = 0;
        for (int i = 0; i < settlements.size(); i++) {
            if (results.get(i) == Settled.DONE) {
                counts.merge(settlements.get(i).kind(), 1, Integer::sum);
            } else {
                lost++;
            }
        }
        SettledJobs jobs = new SettledJobs(
                counts.getOrDefault(Settlement.Kind.ACK, 0),
                counts.getOrDefault(Settlement.Kind.RETRY, 0),
                counts.getOrDefault(Settlement.Kind.HAND_BACK, 0),
                counts.getOrDefault(Settlement.Kind.DEAD_LETTER, 0),
                counts.getOrDefault(Settlement.Kind.EXTEND, 0),
                lost);
        publish(listener -> listener.onSettled(source, jobs));
    }

    /** Dead letters were redriven; publishes nothing for 0. */
    public void redriven(int jobs) {
        if (jobs > 0) {
            publish(listener -> listener.onRedriven(source, jobs));
        }
    }

    /** Jobs in a state were removed; publishes nothing for 0. */
    public void removed(JobState.Kind state, int jobs) {
        if (jobs > 0) {
            publish(listener -> listener.onRemoved(source, state, jobs));
        }
    }

    /** A cancel call ended; publishes nothing if the job was not waiting. */
    public void cancelled(boolean wasWaiting) {
        if (wasWaiting) {
            publish(listener -> listener.onCancelled(source));
        }
    }

    /** A call failed; publishes only a {@link QueueException}, and so not the exception of a closed engine. */
    public void failed(@Nullable Throwable problem) {
        Throwable cause =
                problem instanceof CompletionException && problem.getCause() != null ? problem.getCause() : problem;
        if (cause instanceof QueueException failure) {
            publish(listener -> listener.onFailed(source, failure));
        }
    }

    /** The health of an engine has changed. */
    public static void healthChanged(
            List<QueueListener> listeners, QueueHealth before, QueueHealth now, String reason) {
        publish(listeners, listener -> listener.onHealthChange(before, now, reason));
    }

    private void publish(Consumer<QueueListener> event) {
        publish(listeners, event);
    }

    @SuppressWarnings("CatchingUnchecked")
    private static void publish(List<QueueListener> listeners, Consumer<QueueListener> event) {
        for (QueueListener listener : listeners) {
            try {
                event.accept(listener);
            } catch (Throwable thrown) {
                LOG.log(Level.WARNING, "listener " + listener.getClass().getName() + " threw", thrown);
            }
        }
    }
}
