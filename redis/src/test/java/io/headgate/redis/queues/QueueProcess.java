package io.headgate.redis.queues;

import io.headgate.queues.Codec;
import io.headgate.queues.JobQueue;
import io.headgate.queues.Lease;
import io.headgate.queues.NewJob;
import io.headgate.queues.worker.Worker;
import io.headgate.redis.limits.Engines;
import io.headgate.redis.queues.internal.job.Times;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** A child process of {@link QueueProcessesIT}: it holds a lease, dies of a job, or enqueues with a wrong clock. */
final class QueueProcess {

    static final Duration LEASE = Duration.ofMillis(300);
    static final String POISON = "poison";

    private QueueProcess() {}

    /** The arguments are a URL, the name of a queue, and "hold", "work" or "enqueue". */
    public static void main(String[] arguments) throws IOException {
        RedisQueueEngine engine = Engines.queues(arguments[0]);
        JobQueue<String> queue = engine.queue(arguments[1], Codec.text());
        switch (arguments[2]) {
            case "hold" -> hold(queue);
            case "work" -> work(queue);
            case "enqueue" -> enqueue(queue);
            default -> throw new IllegalArgumentException(arguments[2]);
        }
    }

    /** Claims a job, waits for a line on the standard input, and tries to settle the job in every way. */
    private static void hold(JobQueue<String> queue) throws IOException {
        Lease<String> lease = queue.claim(1, LEASE).get(0);
        System.out.println("held");
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)).readLine();
        System.out.println("extend " + lease.extend(LEASE));
        System.out.println("retry " + lease.retry(Duration.ZERO, "late"));
        System.out.println("hand back " + lease.handBack());
        System.out.println("dead letter " + lease.deadLetter("late"));
        System.out.println("ack " + lease.ack());
        System.exit(0);
    }

    /** Handles jobs until it receives the poison job, which kills the process. */
    private static void work(JobQueue<String> queue) {
        Worker.of(queue).lease(LEASE).concurrency(4).start(job -> {
            System.out.println("started " + job.payload());
            if (job.payload().equals(POISON)) {
                Runtime.getRuntime().halt(1);
            }
            System.out.println("done " + job.payload());
        });
        System.out.println("ready");
    }

    /** Enqueues a delayed job and an immediate one, perhaps with a wrong system clock. */
    private static void enqueue(JobQueue<String> queue) {
        System.out.println("clock " + Times.micros(Instant.now()));
        // In one call, so that both are enqueued at the same time, however slow this process is.
        queue.enqueueAll(List.of(NewJob.of("later").after(Duration.ofMillis(200)), NewJob.of("at once")));
        System.out.println("enqueued");
        System.exit(0);
    }
}
