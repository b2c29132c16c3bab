package io.headgate.spring.queues.internal;

import io.headgate.queues.Job;
import io.headgate.queues.JobId;
import io.headgate.queues.worker.AsyncHandler;
import io.headgate.queues.worker.WorkerListener;
import io.headgate.spring.queues.internal.batch.Batches;
import io.micrometer.observation.Observation;
import java.lang.reflect.InvocationTargetException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Calls a listener for several jobs. For the worker, each job has a handler of its own, which completes when the call has ended. So leases,
 * retries and shutdown are those of single jobs. Safe for use by several threads.
 */
final class BatchCall implements AsyncHandler<Delivery>, Batches.Handler<BatchCall.BatchedDelivery> {

    private final ListenerMethod method;
    private final ListenerCall call;
    private final Batches<BatchedDelivery> batches;
    private final Runnable onRoom;

    /**
     * Creates a listener without jobs.
     *
     * @param onRoom is run whenever {@link #room} may have grown
     */
    BatchCall(ListenerSpec spec, ListenerSpec.Batch batch, ListenerCall call, Runnable onRoom) {
        this.method = spec.method();
        this.call = call;
        this.onRoom = onRoom;
        this.batches = new Batches<>(
                batch.size(), spec.concurrency(), batch.longestWait(), this, threads("headgate-batch-" + spec.id()));
    }

    /** Returns threads for calls: virtual ones if the JVM has them, as those of a worker. */
    private static ExecutorService threads(String name) {
        try {
            // Java 21 and later; the code is compiled for Java 17.
            return (ExecutorService)
                    Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
        } catch (NoSuchMethodException | IllegalAccessException e) {
            return pool(name);
        } catch (InvocationTargetException e) {
            throw new IllegalStateException("virtual threads are not available", e);
        }
    }

    private static ExecutorService pool(String name) {
        AtomicInteger number = new AtomicInteger();
        return Executors.newCachedThreadPool(task -> {
            Thread thread = new Thread(task, name + "-" + number.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        });
    }

    /** A job of a batch, with the stage that completes when the job is handled. */
    record BatchedDelivery(Job<Delivery> job, CompletableFuture<Void> done) {

        void handBack() {
            job.payload().handBack(Duration.ZERO);
            done.complete(null);
        }

        void failed(Throwable failure) {
            if (!done.isDone()) {
                job.payload().ignoreDecision(failure);
                done.completeExceptionally(failure);
            }
        }
    }

    @Override
    public CompletionStage<?> handle(Job<Delivery> job) {
        BatchedDelivery delivery = new BatchedDelivery(job, new CompletableFuture<>());
        if (!batches.add(delivery)) {
            delivery.handBack();
        }
        return delivery.done();
    }

    @Override
    public CompletionStage<?> handle(List<BatchedDelivery> batch) {
        try {
            return call(batch);
        } catch (Throwable e) {
            // A job that is not done would stay leased until the process ends.
            rejected(batch, e);
            return CompletableFuture.completedFuture(batch);
        }
    }

    @Override
    public void rejected(List<BatchedDelivery> batch, Throwable failure) {
        batch.forEach(delivery -> delivery.failed(failure));
    }

    /** Returns how many more jobs can be in calls that are free. */
    int room() {
        return batches.room();
    }

    @Override
    public void ended() {
        onRoom.run();
    }

    @Override
    public boolean isExpired(BatchedDelivery delivery) {
        return delivery.job().payload().lease().isExpired();
    }

    /** Another instance may have the job; if its lease is still valid, the job is handed back. */
    @Override
    public void expired(BatchedDelivery delivery) {
        delivery.handBack();
    }

    /** Returns a listener of the worker that removes jobs whose leases are lost while they wait for a call. */
    WorkerListener lostLeases() {
        return new WorkerListener() {
            @Override
            public void onLeaseLost(JobId id) {
                batches.removeExpired();
            }
        };
    }

    /** Calls the method for the jobs whose payloads can be converted. */
    private CompletionStage<?> call(List<BatchedDelivery> batch) {
        List<BatchedDelivery> converted = new ArrayList<>();
        List<@Nullable Object> values = new ArrayList<>();
        for (BatchedDelivery delivery : batch) {
            try {
                values.add(method.arguments().get(0).of(delivery.job()));
                converted.add(delivery);
            } catch (Throwable e) {
                delivery.failed(e);
            }
        }
        if (converted.isEmpty()) {
            return CompletableFuture.completedFuture(batch);
        }
        Observation observation = call.observation().start();
        return result(values, observation).handle((done, problem) -> {
            Throwable failure =
                    problem instanceof CompletionException && problem.getCause() != null ? problem.getCause() : problem;
            converted.forEach(delivery -> settle(delivery, failure));
            JobObservations.stop(observation, failure);
            return converted;
        });
    }

    private CompletionStage<?> result(List<@Nullable Object> values, Observation observation) {
        try (Observation.Scope scope = observation.openScope()) {
            Object result = method.invoke(values);
            if (method.stages().isEmpty()) {
                return CompletableFuture.completedFuture(values);
            }
            if (result == null) {
                throw new IllegalStateException("the listener returned null instead of a stage or publisher");
            }
            return method.stages().get().apply(result);
        } catch (Throwable e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /** Settles a job as the method decided, or as it ended. */
    private void settle(BatchedDelivery delivery, @Nullable Throwable failure) {
        boolean decided = method.manual() && delivery.job().payload().decision().isPresent();
        if (failure != null && !decided) {
            delivery.failed(failure);
            return;
        }
        try {
            call.settle(delivery.job());
            delivery.done().complete(null);
        } catch (Throwable e) {
            delivery.failed(e);
        }
    }

    /** Starts no more calls, and hands back the jobs that wait for one. From now on there is no room, so that they are not claimed again. */
    void close() {
        batches.close().forEach(BatchedDelivery::handBack);
    }

    /** Interrupts the calls that still run. */
    void interrupt() {
        batches.interrupt();
    }
}
