package io.headgate.bench.queues;

import io.headgate.bench.peers.AsyncPeerQueue;
import io.headgate.bench.peers.Payloads;
import io.headgate.bench.peers.Payloads.Handled;
import io.headgate.bench.peers.PeerQueue;
import io.headgate.bench.peers.PeerQueue.Work;
import io.headgate.bench.run.RedisAccess;
import io.headgate.queues.Codec;
import io.headgate.queues.Job;
import io.headgate.queues.JobQueue;
import io.headgate.queues.QueueEngine;
import io.headgate.queues.worker.Worker;
import io.headgate.queues.worker.WorkerListener;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** A Headgate queue whose jobs a {@link Worker} handles, with lease renewal and retries, as in an application. */
final class WorkerQueue implements PeerQueue {

    private static final int TIMEOUT_SECONDS = 120;

    private final QueueEngine queues;
    private final JobQueue<byte[]> queue;
    private final AsyncPeerQueue enqueueing;

    private WorkerQueue(QueueEngine queues) {
        this.queues = queues;
        this.queue = queues.queue("jobs", Codec.bytes());
        this.enqueueing = new AsyncPeerQueue(new HeadgateJobs(queues));
    }

    static WorkerQueue over(RedisAccess redis) {
        return new WorkerQueue(HeadgateJobs.engine(redis));
    }

    @Override
    public void prepare() {
        enqueueing.prepare();
    }

    @Override
    public Work enqueue(int jobs) {
        return enqueueing.enqueue(jobs);
    }

    @Override
    public Work enqueueBatches(int jobs) {
        return enqueueing.enqueueBatches(jobs);
    }

    @Override
    public Work enqueueLater(int jobs) {
        return enqueueing.enqueueLater(jobs);
    }

    /** Runs one worker that handles up to {@code IN_FLIGHT} jobs concurrently. It ignores {@code consumers}. */
    @Override
    public Work process(int jobs, int consumers) {
        Handled handled = new Handled(Payloads.of(jobs));
        AckCount acks = new AckCount(jobs);
        long start = System.nanoTime();
        try (Worker worker = Worker.of(queue)
                .concurrency(IN_FLIGHT)
                .listener(acks)
                .startAsync(job -> {
                    try {
                        handled.add(job.payload());
                    } catch (IllegalStateException e) {
                        acks.end.completeExceptionally(e);
                    }
                    return CompletableFuture.completedFuture(true);
                })) {
            acks.end.orTimeout(TIMEOUT_SECONDS, TimeUnit.SECONDS).join();
            long nanos = System.nanoTime() - start;
            handled.requireComplete();
            return new Work(jobs, nanos, Double.NaN, Double.NaN);
        }
    }

    /** Completes a future when all jobs are acked. */
    private static final class AckCount implements WorkerListener {

        private final CompletableFuture<Void> end = new CompletableFuture<>();
        private final AtomicInteger left;

        AckCount(int jobs) {
            this.left = new AtomicInteger(jobs);
        }

        @Override
        public void onAcked(Job<?> job) {
            if (left.decrementAndGet() == 0) {
                end.complete(null);
            }
        }
    }

    @Override
    public void close() {
        queues.close();
    }
}
