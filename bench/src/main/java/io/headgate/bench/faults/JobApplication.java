package io.headgate.bench.faults;

import io.headgate.bench.run.Pause;
import io.headgate.queues.Codec;
import io.headgate.queues.Job;
import io.headgate.queues.JobQueue;
import io.headgate.queues.QueueException;
import io.headgate.queues.QueueSettings;
import io.headgate.queues.worker.Worker;
import io.headgate.queues.worker.WorkerListener;
import io.headgate.redis.queues.RedisQueueEngine;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

/** An application that enqueues jobs on several threads, handles jobs, and records both in the history. */
final class JobApplication implements WorkerListener, AutoCloseable {

    private static final int PRODUCERS = 4;
    private static final Duration HANDLING_TIME = Duration.ofMillis(1);

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

    /** Starts a worker. */
    Worker work() {
        return Worker.of(queue).lease(lease).listener(this).start(job -> {
            history.handled(job.payload());
            Pause.of(HANDLING_TIME);
        });
    }

    @Override
    public void onAcked(Job<?> job) {
        String payload = String.valueOf(job.payload());
        history.acked(payload);
        newestAcked.accumulateAndGet(JobProducer.startedAt(payload), Math::max);
    }

    /** Starts to enqueue jobs. */
    void produce() {
        producers.forEach(JobProducer::begin);
    }

    /** Whether every producer has enqueued a job since then, and the worker has acknowledged a job that was enqueued since then. */
    boolean hasRecoveredSince(long then) {
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

    /**
     * Enqueues jobs one after the other, each once, and records them in the history. Every fourth job is due immediately, and the others
     * within a second, so that the queue is never empty.
     */
    static final class JobProducer implements Runnable {

        private static final Duration INTERVAL = Duration.ofMillis(8);
        private static final int DUE_NOW_EVERY = 4;
        private static final int LATEST_MILLIS = 1_000;
        private static final long EPOCH = System.nanoTime();

        private final String name;
        private final JobQueue<String> queue;
        private final JobHistory history;
        private final SplittableRandom random = new SplittableRandom();
        private final AtomicLong newest = new AtomicLong();
        private final Thread thread = new Thread(this, "producer");
        private volatile boolean ended;
        private long notAnswered;
        private long slowestNanos;

        /**
         * Creates a producer.
         *
         * @param name the unique prefix of its jobs
         */
        JobProducer(String name, JobQueue<String> queue, JobHistory history) {
            this.name = name;
            this.queue = queue;
            this.history = history;
        }

        /** The current time as payloads store it, in nanoseconds above 0. */
        static long now() {
            return System.nanoTime() - EPOCH + 1;
        }

        /** When the producer started to enqueue this job. */
        static long startedAt(String job) {
            return Long.parseLong(job.substring(job.lastIndexOf(' ') + 1));
        }

        void begin() {
            thread.start();
        }

        @Override
        public void run() {
            for (int i = 0; !ended; i++) {
                enqueue(i);
                Pause.of(INTERVAL);
            }
        }

        private void enqueue(int number) {
            long start = now();
            String job = name + "." + number + " " + start;
            Duration delay = Duration.ofMillis(number % DUE_NOW_EVERY == 0 ? 0 : random.nextInt(LATEST_MILLIS));
            try {
                queue.enqueue(job, delay);
                history.answered(job);
                newest.set(start);
            } catch (QueueException e) {
                notAnswered++;
            }
            slowestNanos = Math.max(slowestNanos, now() - start);
        }

        /** When the producer started to enqueue the newest job whose enqueue was answered, or 0. */
        long newestAnswered() {
            return newest.get();
        }

        /** Returns when its last job is enqueued. */
        void end() {
            ended = true;
            try {
                thread.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        // Read the following results after end().

        /** How many enqueues threw an exception. */
        long notAnswered() {
            return notAnswered;
        }

        /** The longest time of an enqueue, answered or not. */
        double slowestMillis() {
            return slowestNanos / 1e6;
        }
    }
}
