package io.headgate.queues.internal.worker;

import io.headgate.queues.Job;
import io.headgate.queues.JobId;
import io.headgate.queues.internal.worker.InFlightJobs.InFlightJob;
import io.headgate.queues.internal.worker.PendingSettlements.Outcome;
import io.headgate.queues.worker.AsyncHandler;
import io.headgate.queues.worker.ClaimedJob;
import io.headgate.queues.worker.FailurePolicy;
import io.headgate.queues.worker.Handler;
import io.headgate.queues.worker.JobSource;
import io.headgate.queues.worker.RetryPolicy;
import io.headgate.queues.worker.Settlement;
import io.headgate.queues.worker.WorkerListener;
import java.lang.reflect.InvocationTargetException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Runs the handler of a worker for each claimed job, and determines the settlement from its result. {@code Worker} is its public API.
 *
 * @param <T> the type of the payload
 */
public final class HandlerRunner<T> {

    /** How long a job is parked when the retry policy has no waits. */
    private static final Duration MIN_PARKING = Duration.ofSeconds(1);

    private final AsyncHandler<T> handler;
    private final RetryPolicy retries;
    private final FailurePolicy failures;
    private final WorkerEvents events;
    private final FailureLog log;
    private final boolean logsFailures;
    private final ExecutorService threads;
    private final WorkerLoop<T> loop;

    private HandlerRunner(
            AsyncHandler<T> handler,
            JobSource<T> source,
            Settings settings,
            List<WorkerListener> listeners,
            boolean blocking) {
        this.handler = handler;
        this.retries = settings.retries();
        this.failures = settings.failures();
        this.events = new WorkerEvents(listeners);
        this.log = new FailureLog(settings.source(), System::nanoTime);
        this.logsFailures = !events.handleFailures();
        this.threads = handlerThreads(blocking ? settings.concurrency() : 1);
        this.loop = new WorkerLoop<>(source, settings.concurrency(), settings.lease(), events, this::startHandler);
    }

    /**
     * The settings of a worker.
     *
     * @param source the name of its source for the log, such as {@code queue mails}
     * @param concurrency how many jobs are handled concurrently
     * @param lease how long a lease lasts until it is extended
     * @param retries how often and when a failed job is retried
     * @param failures decides what happens to a failed job
     */
    public record Settings(
            String source, int concurrency, Duration lease, RetryPolicy retries, FailurePolicy failures) {}

    /** Returns a runner of a handler that occupies a thread while it runs. */
    public static <T> HandlerRunner<T> blocking(
            Handler<T> handler, JobSource<T> source, Settings settings, List<WorkerListener> listeners) {
        CompletionStage<Boolean> done = CompletableFuture.completedFuture(true);
        return new HandlerRunner<>(
                job -> {
                    handler.handle(job);
                    return done;
                },
                source,
                settings,
                listeners,
                true);
    }

    /** Returns a runner of an asynchronous handler, which occupies no thread while it waits. */
    public static <T> HandlerRunner<T> async(
            AsyncHandler<T> handler, JobSource<T> source, Settings settings, List<WorkerListener> listeners) {
        return new HandlerRunner<>(handler, source, settings, listeners, false);
    }

    /** Returns an executor for this number of concurrent handlers: virtual threads if the JVM has them, otherwise a pool. */
    private static ExecutorService handlerThreads(int concurrency) {
        try {
            // Java 21 and later; the code is compiled for Java 17.
            return (ExecutorService)
                    Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
        } catch (NoSuchMethodException | IllegalAccessException e) {
            return threadPool(concurrency);
        } catch (InvocationTargetException e) {
            throw new IllegalStateException("virtual threads are not available", e);
        }
    }

    private static ExecutorService threadPool(int threads) {
        AtomicInteger number = new AtomicInteger();
        return Executors.newFixedThreadPool(threads, task -> {
            Thread thread = new Thread(task, "headgate-worker-" + number.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        });
    }

    /** Starts polling. */
    public void start() {
        loop.start();
    }

    /** Stops claiming, waits for running handlers at most this long, then hands back their jobs and interrupts their threads. */
    public void close(Duration atMost) {
        loop.close(atMost, threads::shutdownNow);
        threads.shutdownNow();
    }

    private void startHandler(InFlightJob<T> first) {
        threads.execute(() -> {
            InFlightJob<T> next = first;
            while (next != null) {
                next = handle(next);
            }
        });
    }

    /**
     * Handles a job; returns the next one if the handler has ended on this thread. Every exception and error ends the job; otherwise it
     * would stay in flight until the process ends.
     */
    private @Nullable InFlightJob<T> handle(InFlightJob<T> inFlight) {
        ClaimedJob<T> claimed = inFlight.claimed();
        Job<T> job;
        try {
            job = claimed.job();
        } catch (Throwable e) {
            // Without a decoded job, there is no event to publish.
            JobId id = claimed.id();
            return loop.finished(
                    inFlight,
                    new Outcome(
                            claimed.deadLetterSettlement("can't be decoded: " + failureText(e)),
                            Optional.empty(),
                            listener -> {},
                            false,
                            () -> log.warn(id, "can't be decoded, and is a dead letter", e)));
        }
        events.publish(listener -> listener.onStarted(job));
        long startNanos = System.nanoTime();
        CompletableFuture<Outcome> done = callHandler(job).handle((result, problem) -> {
            Duration elapsed = Duration.ofNanos(System.nanoTime() - startNanos);
            events.publish(listener -> listener.onHandled(job, problem != null, elapsed));
            return problem == null ? acked(claimed, job) : failed(claimed, job, problem);
        });
        if (done.isDone()) {
            return loop.finished(inFlight, done.join());
        }
        done.thenAccept(outcome -> {
            InFlightJob<T> next = loop.finished(inFlight, outcome);
            if (next != null) {
                startHandler(next);
            }
        });
        return null;
    }

    private CompletableFuture<?> callHandler(Job<T> job) {
        try {
            return Objects.requireNonNull(handler.handle(job).toCompletableFuture(), "the stage has no future");
        } catch (Throwable e) {
            return CompletableFuture.failedFuture(e);
        } finally {
            // An interrupt was meant for this handler, not for the next one on this thread.
            Thread.interrupted();
        }
    }

    private Outcome acked(ClaimedJob<T> claimed, Job<T> job) {
        // The event requires that the acknowledgement is confirmed; those of other outcomes do not.
        return new Outcome(
                claimed.ackSettlement(), Optional.of(job), listener -> listener.onAcked(job), true, () -> {});
    }

    private Outcome failed(ClaimedJob<T> claimed, Job<T> job, Throwable problem) {
        Throwable failure =
                problem instanceof CompletionException && problem.getCause() != null ? problem.getCause() : problem;
        FailurePolicy.Action action = action(job, failure);
        if (action == FailurePolicy.Action.DISCARD) {
            return of(
                    job,
                    claimed.ackSettlement(),
                    listener -> listener.onDiscarded(job, failure),
                    logged(false, job, "is discarded by the failure policy", failure));
        }
        if (action == FailurePolicy.Action.PARK) {
            Duration wait = retries.waitAfter(Math.max(1, job.delivery()));
            Duration delay = wait.isZero() ? MIN_PARKING : wait;
            return of(
                    job,
                    claimed.handBackSettlement(delay),
                    listener -> listener.onParked(job, failure, delay),
                    logged(false, job, "is parked for " + delay + " by the failure policy", failure));
        }
        if (action == FailurePolicy.Action.DEAD_LETTER || job.attempt() >= retries.attempts()) {
            return of(
                    job,
                    claimed.deadLetterSettlement(failureText(failure)),
                    listener -> listener.onDeadLettered(job, failure),
                    logged(true, job, "is a dead letter", failure));
        }
        Duration delay = retries.waitAfter(job.attempt());
        return of(
                job,
                claimed.retrySettlement(delay, failureText(failure)),
                listener -> listener.onRetried(job, failure, delay),
                logged(job.attempt() == 1, job, "is due again after " + delay, failure));
    }

    private static Outcome of(Job<?> job, Settlement settlement, Consumer<WorkerListener> event, Runnable log) {
        return new Outcome(settlement, Optional.of(job), event, false, log);
    }

    private static String failureText(Throwable failure) {
        return FailureText.of(failure, HandlerRunner.class);
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
