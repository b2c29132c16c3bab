package io.headgate.bench;

import io.headgate.queues.Codec;
import io.headgate.queues.Job;
import io.headgate.queues.Queue;
import io.headgate.queues.QueueException;
import io.headgate.queues.QueueSettings;
import io.headgate.queues.Worker;
import io.headgate.queues.WorkerListener;
import io.headgate.redis.queues.RedisQueues;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * An application that enqueues jobs one after the other, each of them once, and handles those that come to it; and tells the
 * history. Every other job is due at once, and the others within a second, so that there are always some in the queue.
 */
final class JobApplication implements WorkerListener, AutoCloseable {

    /** How long a job is in hand: less than a trouble lasts. */
    static final Duration LEASE = Duration.ofMillis(1_500);

    private static final Duration APART = Duration.ofMillis(2);
    private static final int LATEST_MILLIS = 1_000;
    private static final Duration HANDLED_WITHIN = Duration.ofMillis(1);
    private static final long EPOCH = System.nanoTime();

    private final String name;
    private final JobHistory history;
    private final RedisQueues engine;
    private final Queue<String> queue;
    private final Thread producer = new Thread(this::enqueueAll, "producer");
    private final SplittableRandom random = new SplittableRandom(1);
    private final AtomicLong newestAnswered = new AtomicLong();
    private final AtomicLong newestAcked = new AtomicLong();
    private volatile boolean ended;
    private long notAnswered;
    private long slowestNanos;

    private JobApplication(String name, String url, QueueSettings settings, JobHistory history) {
        this.name = name;
        this.history = history;
        this.engine = RedisQueues.connect(url);
        this.queue = engine.queue(settings, Codec.text());
    }

    static JobApplication open(String name, String url, QueueSettings settings, JobHistory history) {
        return new JobApplication(name, url, settings, history);
    }

    /** The clock that jobs are dated by: nanoseconds, above 0. */
    static long now() {
        return System.nanoTime() - EPOCH + 1;
    }

    Queue<String> queue() {
        return queue;
    }

    /** Begins to handle jobs, until the worker is closed. */
    Worker work() {
        return Worker.of(queue).lease(LEASE).listener(this).start(job -> {
            history.handled(job.payload());
            LockSupport.parkNanos(HANDLED_WITHIN.toNanos());
        });
    }

    @Override
    public void onAcked(Job<?> job) {
        String payload = String.valueOf(job.payload());
        history.acked(payload);
        newestAcked.accumulateAndGet(Long.parseLong(payload.substring(payload.lastIndexOf(' ') + 1)), Math::max);
    }

    /** Begins to enqueue jobs. */
    void produce() {
        producer.start();
    }

    private void enqueueAll() {
        for (int i = 0; !ended; i++) {
            enqueue(i);
            LockSupport.parkNanos(APART.toNanos());
        }
    }

    private void enqueue(int number) {
        long asked = now();
        String job = name + number + " " + asked;
        Duration delay = Duration.ofMillis(number % 2 == 0 ? 0 : random.nextInt(LATEST_MILLIS));
        try {
            queue.enqueue(job, delay);
            history.answered(job);
            newestAnswered.set(asked);
        } catch (QueueException e) {
            notAnswered++;
        }
        slowestNanos = Math.max(slowestNanos, now() - asked);
    }

    /** Whether since then a job was enqueued here, and one done that was enqueued by anybody. */
    boolean isWellSince(long then) {
        return newestAnswered.get() > then && newestAcked.get() > then;
    }

    /** Returns when the last job is enqueued. */
    void stopProducing() {
        ended = true;
        try {
            producer.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    // What follows is asked after that.

    long notAnswered() {
        return notAnswered;
    }

    double slowestMillis() {
        return slowestNanos / 1e6;
    }

    @Override
    public void close() {
        stopProducing();
        engine.close();
    }
}
