package io.headgate.bench.faults;

import io.headgate.bench.run.Pause;
import io.headgate.queues.JobQueue;
import io.headgate.queues.QueueException;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Enqueues jobs one after the other, each of them once, and tells the history. Some are due at once, and most within a second, so
 * that there are always some in the queue.
 */
final class JobProducer implements Runnable {

    private static final Duration APART = Duration.ofMillis(8);
    private static final int AT_ONCE = 4;
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
     * Begins at once.
     *
     * @param name what each of its jobs begins with, and those of no other
     */
    JobProducer(String name, JobQueue<String> queue, JobHistory history) {
        this.name = name;
        this.queue = queue;
        this.history = history;
    }

    /** The clock that jobs are dated by: nanoseconds, above 0. */
    static long now() {
        return System.nanoTime() - EPOCH + 1;
    }

    /** When the job of this payload was to be enqueued. */
    static long askedAt(String job) {
        return Long.parseLong(job.substring(job.lastIndexOf(' ') + 1));
    }

    void begin() {
        thread.start();
    }

    @Override
    public void run() {
        for (int i = 0; !ended; i++) {
            enqueue(i);
            Pause.of(APART);
        }
    }

    private void enqueue(int number) {
        long asked = now();
        String job = name + "." + number + " " + asked;
        Duration delay = Duration.ofMillis(number % AT_ONCE == 0 ? 0 : random.nextInt(LATEST_MILLIS));
        try {
            queue.enqueue(job, delay);
            history.answered(job);
            newest.set(asked);
        } catch (QueueException e) {
            notAnswered++;
        }
        slowestNanos = Math.max(slowestNanos, now() - asked);
    }

    /** When the newest job was to be enqueued that was answered; 0 where there is none. */
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

    // What follows is asked after that.

    /** How many enqueues ended in an exception. */
    long notAnswered() {
        return notAnswered;
    }

    /** The longest that one took, answered or not. */
    double slowestMillis() {
        return slowestNanos / 1e6;
    }
}
