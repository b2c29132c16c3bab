package io.headgate.queues.internal;

import io.headgate.queues.AsyncHandler;
import io.headgate.queues.FailurePolicy;
import io.headgate.queues.Handler;
import io.headgate.queues.Job;
import io.headgate.queues.JobId;
import io.headgate.queues.RetryPolicy;
import io.headgate.queues.WorkerListener;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Calls the handler, on threads of the worker's, and judges what came of it. The public face is {@code Worker}.
 *
 * @param <T> what a payload is
 */
public final class Handling<T> {

    /** How long a job is parked where the policy has no waits. */
    private static final Duration LEAST_PARKING = Duration.ofSeconds(1);

    private final AsyncHandler<T> handler;
    private final RetryPolicy retries;
    private final FailurePolicy failures;
    private final Listeners listeners;
    private final FailureLog log;
    private final boolean logsFailures;
    private final ExecutorService threads;
    private final WorkLoop<T> loop;

    private Handling(
            AsyncHandler<T> handler, JobSource<T> source, Plan plan, List<WorkerListener> heard, boolean blocking) {
        this.handler = handler;
        this.retries = plan.retries();
        this.failures = plan.failures();
        this.listeners = new Listeners(heard);
        this.log = new FailureLog(plan.source(), System::nanoTime);
        this.logsFailures = !listeners.handleFailures();
        this.threads = blocking ? HandlerThreads.open(plan.concurrency()) : HandlerThreads.open(1);
        this.loop = new WorkLoop<>(source, plan.concurrency(), plan.lease(), listeners, this::start);
    }

    /**
     * What a worker was told.
     *
     * @param source what it takes jobs of, for the log, such as {@code queue mails}
     * @param concurrency how many jobs are handled at once
     * @param lease how long a job is in hand until it is extended
     * @param retries how often and when a job is tried again
     * @param failures what becomes of a job that failed
     */
    public record Plan(String source, int concurrency, Duration lease, RetryPolicy retries, FailurePolicy failures) {}

    /** A worker whose handler holds a thread. */
    public static <T> Handling<T> blocking(
            Handler<T> handler, JobSource<T> source, Plan plan, List<WorkerListener> heard) {
        CompletionStage<Boolean> done = CompletableFuture.completedFuture(true);
        return new Handling<>(
                job -> {
                    handler.handle(job);
                    return done;
                },
                source,
                plan,
                heard,
                true);
    }

    /** A worker whose handler holds no thread. */
    public static <T> Handling<T> async(
            AsyncHandler<T> handler, JobSource<T> source, Plan plan, List<WorkerListener> heard) {
        return new Handling<>(handler, source, plan, heard, false);
    }

    /** Looks for jobs from now on. */
    public void begin() {
        loop.begin();
    }

    /** Claims nothing more, and waits so long for what is being handled. */
    public void end(Duration atMost) {
        loop.end(atMost, threads::shutdownNow);
        threads.shutdownNow();
    }

    private void start(Held<T> first) {
        threads.execute(() -> {
            Held<T> next = first;
            while (next != null) {
                next = handle(next);
            }
        });
    }

    /**
     * Handles a job; returns the next one if this one has come to an end on this thread. Whatever is thrown, the job comes to an
     * end: it would stay in hand for ever.
     */
    private @Nullable Held<T> handle(Held<T> held) {
        Job<T> job;
        try {
            job = held.work.job();
        } catch (Throwable e) {
            // Without a job there is nothing to tell listeners of.
            JobId id = held.work.id();
            return loop.finished(
                    held,
                    new Outcome(
                            held.work.deadLetterSettlement("can't be decoded: " + FailureText.of(e)),
                            Optional.empty(),
                            listener -> {},
                            false,
                            () -> log.warn(id, "can't be decoded, and is a dead letter", e)));
        }
        listeners.tell(listener -> listener.onStarted(job));
        CompletableFuture<Outcome> done = called(job)
                .handle((result, problem) -> problem == null ? acked(held.work, job) : failed(held.work, job, problem));
        if (done.isDone()) {
            return loop.finished(held, done.join());
        }
        done.thenAccept(outcome -> {
            Held<T> next = loop.finished(held, outcome);
            if (next != null) {
                start(next);
            }
        });
        return null;
    }

    private CompletableFuture<?> called(Job<T> job) {
        try {
            return handler.handle(job).toCompletableFuture();
        } catch (Throwable e) {
            return CompletableFuture.failedFuture(e);
        } finally {
            // An interrupt was meant for this handler, and not for the next one on this thread.
            Thread.interrupted();
        }
    }

    private Outcome acked(ClaimedJob<T> work, Job<T> job) {
        return new Outcome(work.ackSettlement(), Optional.of(job), listener -> listener.onAcked(job), true, () -> {});
    }

    private Outcome failed(ClaimedJob<T> work, Job<T> job, Throwable problem) {
        Throwable failure =
                problem instanceof CompletionException && problem.getCause() != null ? problem.getCause() : problem;
        FailurePolicy.Action action = action(job, failure);
        if (action == FailurePolicy.Action.DISCARD) {
            return of(
                    job,
                    work.ackSettlement(),
                    listener -> listener.onDiscarded(job, failure),
                    logged(false, job, "is discarded by the failure policy", failure));
        }
        if (action == FailurePolicy.Action.PARK) {
            Duration wait = retries.waitAfter(Math.max(1, job.delivery()));
            Duration delay = wait.isZero() ? LEAST_PARKING : wait;
            return of(
                    job,
                    work.handBackSettlement(delay),
                    listener -> listener.onParked(job, failure, delay),
                    logged(false, job, "is parked for " + delay + " by the failure policy", failure));
        }
        if (action == FailurePolicy.Action.DEAD_LETTER || job.attempt() >= retries.attempts()) {
            return of(
                    job,
                    work.deadLetterSettlement(FailureText.of(failure)),
                    listener -> listener.onDeadLettered(job, failure),
                    logged(true, job, "is a dead letter", failure));
        }
        Duration delay = retries.waitAfter(job.attempt());
        return of(
                job,
                work.retrySettlement(delay, FailureText.of(failure)),
                listener -> listener.onRetried(job, failure, delay),
                logged(job.attempt() == 1, job, "is due again after " + delay, failure));
    }

    private static Outcome of(Job<?> job, Settlement settling, Consumer<WorkerListener> heard, Runnable log) {
        return new Outcome(settling, Optional.of(job), heard, false, log);
    }

    private Runnable logged(boolean warns, Job<?> job, String next, Throwable failure) {
        if (!logsFailures) {
            return () -> {};
        }
        String what = "attempt " + job.attempt() + " of " + retries.attempts() + " failed; the job " + next;
        return warns ? () -> log.warn(job.id(), what, failure) : () -> log.debug(job.id(), what, failure);
    }

    private FailurePolicy.Action action(Job<T> job, Throwable failure) {
        try {
            return failures.onFailure(job, failure);
        } catch (Throwable e) {
            if (e != failure) {
                failure.addSuppressed(e);
            }
            return FailurePolicy.Action.RETRY;
        }
    }
}
