package io.headgate.queues.internal;

import io.headgate.queues.AsyncHandler;
import io.headgate.queues.FailurePolicy;
import io.headgate.queues.Handler;
import io.headgate.queues.Job;
import io.headgate.queues.RetryPolicy;
import io.headgate.queues.WorkerListener;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import org.jspecify.annotations.Nullable;

/**
 * Calls the handler, on threads of the worker's, and judges what came of it. The public face is {@code Worker}.
 *
 * @param <T> what a payload is
 */
public final class Handling<T> {

    private final AsyncHandler<T> handler;
    private final RetryPolicy retries;
    private final FailurePolicy failures;
    private final Listeners listeners;
    private final ExecutorService threads;
    private final WorkLoop<T> loop;

    private Handling(
            AsyncHandler<T> handler, WorkSource<T> source, Plan plan, List<WorkerListener> heard, boolean blocking) {
        this.handler = handler;
        this.retries = plan.retries();
        this.failures = plan.failures();
        this.listeners = new Listeners(heard);
        this.threads = blocking ? HandlerThreads.open(plan.concurrency()) : HandlerThreads.open(1);
        this.loop = new WorkLoop<>(source, plan.concurrency(), plan.lease(), listeners, this::start);
    }

    /**
     * What a worker was told.
     *
     * @param concurrency how many jobs are handled at once
     * @param lease how long a job is in hand until it is extended
     * @param retries how often and when a job is tried again
     * @param failures what becomes of a job that failed
     */
    public record Plan(int concurrency, Duration lease, RetryPolicy retries, FailurePolicy failures) {}

    /** A worker whose handler holds a thread. */
    public static <T> Handling<T> blocking(
            Handler<T> handler, WorkSource<T> source, Plan plan, List<WorkerListener> heard) {
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
            AsyncHandler<T> handler, WorkSource<T> source, Plan plan, List<WorkerListener> heard) {
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

    /** Handles a job; returns the next one if this one has come to an end on this thread. */
    private @Nullable Held<T> handle(Held<T> held) {
        Job<T> job;
        try {
            job = held.work.job();
        } catch (RuntimeException e) {
            return loop.finished(held, deadLetter(held.work, "can't be decoded: " + e, e));
        }
        held.job = job;
        listeners.tell(listener -> listener.onStarted(job));
        CompletableFuture<?> done;
        try {
            done = handler.handle(job).toCompletableFuture();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return loop.finished(held, failed(held.work, job, e));
        } catch (Exception | LinkageError | StackOverflowError | AssertionError e) {
            return loop.finished(held, failed(held.work, job, e));
        }
        if (done.isDone() && !done.isCompletedExceptionally()) {
            return loop.finished(held, acked(held.work));
        }
        done.whenComplete((result, problem) -> {
            Outcome outcome = problem == null ? acked(held.work) : failed(held.work, job, problem);
            Held<T> next = loop.finished(held, outcome);
            if (next != null) {
                start(next);
            }
        });
        return null;
    }

    private Outcome acked(Work<T> work) {
        return new Outcome(work.acking(), WorkerListener::onAcked);
    }

    private Outcome failed(Work<T> work, Job<T> job, Throwable problem) {
        Throwable failure =
                problem instanceof CompletionException && problem.getCause() != null ? problem.getCause() : problem;
        FailurePolicy.Action action = action(job, failure);
        if (action == FailurePolicy.Action.DISCARD) {
            return new Outcome(work.acking(), (listener, done) -> listener.onDiscarded(done, failure));
        }
        if (action == FailurePolicy.Action.DEAD_LETTER || job.attempt() >= retries.attempts()) {
            return deadLetter(work, failure.toString(), failure);
        }
        Duration delay = retries.waitAfter(job.attempt());
        return new Outcome(
                work.retrying(delay, failure.toString()),
                (listener, again) -> listener.onRetried(again, failure, delay));
    }

    private FailurePolicy.Action action(Job<T> job, Throwable failure) {
        try {
            return failures.onFailure(job, failure);
        } catch (RuntimeException e) {
            failure.addSuppressed(e);
            return FailurePolicy.Action.RETRY;
        }
    }

    private Outcome deadLetter(Work<T> work, String cause, Throwable failure) {
        return new Outcome(work.buryingFor(cause), (listener, dead) -> listener.onDeadLettered(dead, failure));
    }
}
