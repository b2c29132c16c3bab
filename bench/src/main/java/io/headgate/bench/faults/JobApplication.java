package io.headgate.bench.faults;

import io.headgate.bench.run.Pause;
import io.headgate.queues.Codec;
import io.headgate.queues.Job;
import io.headgate.queues.JobQueue;
import io.headgate.queues.QueueSettings;
import io.headgate.queues.worker.Worker;
import io.headgate.queues.worker.WorkerListener;
import io.headgate.redis.queues.RedisQueueEngine;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

/** An application that enqueues jobs on several threads, handles those that come to it, and tells the history. */
final class JobApplication implements WorkerListener, AutoCloseable {

    private static final int PRODUCERS = 4;
    private static final Duration HANDLED_WITHIN = Duration.ofMillis(1);

    private final JobHistory history;
    private final RedisQueueEngine engine;
    private final JobQueue<String> queue;
    private final Duration lease;
    private final List<JobProducer> producers;
    private final AtomicLong newestAcked = new AtomicLong();

    private JobApplication(
            String name, RedisQueueEngine engine, QueueSettings settings, Duration lease, JobHistory history) {
        this.history = history;
        this.engine = engine;
        this.queue = engine.queue(settings, Codec.text());
        this.lease = lease;
        this.producers = IntStream.range(0, PRODUCERS)
                .mapToObj(i -> new JobProducer(name + "." + i, queue, history))
                .toList();
    }

    static JobApplication open(String name, String url, QueueSettings settings, Duration lease, JobHistory history) {
        RedisQueueEngine engine = RedisQueueEngine.connect(url);
        try {
            return new JobApplication(name, engine, settings, lease, history);
        } catch (RuntimeException e) {
            engine.close();
            throw e;
        }
    }

    JobQueue<String> queue() {
        return queue;
    }

    List<JobProducer> producers() {
        return producers;
    }

    /** Begins to handle jobs, until the worker is closed. */
    Worker work() {
        return Worker.of(queue).lease(lease).listener(this).start(job -> {
            history.handled(job.payload());
            Pause.of(HANDLED_WITHIN);
        });
    }

    @Override
    public void onAcked(Job<?> job) {
        String payload = String.valueOf(job.payload());
        history.acked(payload);
        newestAcked.accumulateAndGet(JobProducer.askedAt(payload), Math::max);
    }

    /** Begins to enqueue jobs. */
    void produce() {
        producers.forEach(JobProducer::begin);
    }

    /** Whether since then every producer here enqueued a job, and one was done here that was enqueued since then by anybody. */
    boolean isWellSince(long then) {
        return producers.stream().allMatch(one -> one.newestAnswered() > then) && newestAcked.get() > then;
    }

    /** Returns when the last job is enqueued. */
    void stopProducing() {
        producers.forEach(JobProducer::end);
    }

    @Override
    public void close() {
        stopProducing();
        engine.close();
    }
}
