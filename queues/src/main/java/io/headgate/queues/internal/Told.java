package io.headgate.queues.internal;

import io.headgate.queues.Enqueued;
import io.headgate.queues.JobState;
import io.headgate.queues.QueueException;
import io.headgate.queues.QueueListener;
import io.headgate.queues.QueueListener.ClaimedJobs;
import io.headgate.queues.QueueListener.EnqueuedJobs;
import io.headgate.queues.QueueListener.SettledJobs;
import io.headgate.queues.QueueListener.Source;
import io.headgate.queues.Settled;
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
 * Tells those who listen to an engine what became of calls to one queue, stream or group; what one of them throws is logged and
 * stops neither the others nor the caller. Where nobody listens, nothing is counted.
 */
public final class Told {

    private static final System.Logger LOG = System.getLogger(QueueListener.class.getName());

    private final List<QueueListener> listeners;
    private final Source source;

    /** What is told to these. */
    public Told(List<QueueListener> listeners, Source source) {
        this.listeners = List.copyOf(listeners);
        this.source = source;
    }

    /** Whether nobody listens. */
    public boolean isSilent() {
        return listeners.isEmpty();
    }

    /** The call, whose answer somebody hears of, or else the listeners of its failure, before it is there. */
    public <A> CompletableFuture<A> first(CompletableFuture<A> call, Consumer<A> heard) {
        if (isSilent()) {
            return call;
        }
        CompletableFuture<A> known = new CompletableFuture<>();
        call.whenComplete((answer, problem) -> {
            if (problem != null) {
                failed(problem);
                known.completeExceptionally(problem);
            } else {
                heard.accept(answer);
                known.complete(answer);
            }
        });
        return known;
    }

    /** Of jobs that were to be enqueued: what became of each, and of how many it was full. */
    public void enqueued(List<Enqueued> jobs, int full) {
        if (isSilent()) {
            return;
        }
        Map<Enqueued.Outcome, Integer> each = new EnumMap<>(Enqueued.Outcome.class);
        jobs.forEach(job -> each.merge(job.outcome(), 1, Integer::sum));
        enqueued(new EnqueuedJobs(
                each.getOrDefault(Enqueued.Outcome.ADDED, 0),
                each.getOrDefault(Enqueued.Outcome.REPLACED, 0),
                each.getOrDefault(Enqueued.Outcome.SAME, 0),
                full));
    }

    /** Of jobs that were to be enqueued. */
    public void enqueued(EnqueuedJobs jobs) {
        tell(listener -> listener.onEnqueued(source, jobs));
    }

    /** Of a claim, which is counted only if somebody listens. */
    public void claimed(Supplier<ClaimedJobs> count) {
        if (!isSilent()) {
            ClaimedJobs jobs = count.get();
            tell(listener -> listener.onClaimed(source, jobs));
        }
    }

    /** Of what was said of jobs in hand, and what became of each. */
    public void settled(List<? extends Settling> said, List<Settled> settled) {
        if (isSilent() || said.isEmpty()) {
            return;
        }
        Map<Settling.Kind, Integer> each = new EnumMap<>(Settling.Kind.class);
        int lost = 0;
        for (int i = 0; i < said.size(); i++) {
            if (settled.get(i) == Settled.DONE) {
                each.merge(said.get(i).kind(), 1, Integer::sum);
            } else {
                lost++;
            }
        }
        SettledJobs jobs = new SettledJobs(
                each.getOrDefault(Settling.Kind.ACK, 0),
                each.getOrDefault(Settling.Kind.RETRY, 0),
                each.getOrDefault(Settling.Kind.HAND_BACK, 0),
                each.getOrDefault(Settling.Kind.DEAD_LETTER, 0),
                each.getOrDefault(Settling.Kind.EXTEND, 0),
                lost);
        tell(listener -> listener.onSettled(source, jobs));
    }

    /** Of dead letters that wait again, if there were any. */
    public void redriven(int jobs) {
        if (jobs > 0) {
            tell(listener -> listener.onRedriven(source, jobs));
        }
    }

    /** Of jobs that were removed, if there were any. */
    public void removed(JobState.Kind were, int jobs) {
        if (jobs > 0) {
            tell(listener -> listener.onRemoved(source, were, jobs));
        }
    }

    /** Of a job that was cancelled, if there was one. */
    public void cancelled(boolean waited) {
        if (waited) {
            tell(listener -> listener.onCancelled(source));
        }
    }

    /** Of a call that failed. */
    public void failed(@Nullable Throwable problem) {
        Throwable cause =
                problem instanceof CompletionException && problem.getCause() != null ? problem.getCause() : problem;
        if (cause instanceof QueueException failure) {
            tell(listener -> listener.onFailed(source, failure));
        }
    }

    @SuppressWarnings("CatchingUnchecked")
    private void tell(Consumer<QueueListener> what) {
        for (QueueListener listener : listeners) {
            try {
                what.accept(listener);
            } catch (Throwable thrown) {
                LOG.log(Level.WARNING, "listener " + listener.getClass().getName() + " threw", thrown);
            }
        }
    }
}
