package io.headgate.examples;

import io.headgate.queues.Codec;
import io.headgate.queues.JobQueue;
import io.headgate.queues.Lease;
import io.headgate.queues.NewJob;
import io.headgate.queues.QueueEngine;
import io.headgate.redis.queues.RedisQueueEngine;
import java.time.Duration;
import java.util.Collections;

/**
 * Shows fairness between tenants: a job of a second tenant is claimed second, although 500 jobs of the first tenant were enqueued
 * before it.
 */
public final class TenantJobs {

    private TenantJobs() {}

    /** Ends when two jobs are done. */
    public static void main(String[] args) {
        String redis = args.length > 0 ? args[0] : "redis://localhost:6379";
        try (QueueEngine queues = RedisQueueEngine.connect(redis)) {
            JobQueue<String> work = queues.queue("work", Codec.text());
            work.enqueueAll(Collections.nCopies(500, NewJob.of("import a file").tenant("acme")));
            work.enqueue(NewJob.of("send an invoice").tenant("globex"));

            for (Lease<String> lease : work.claim(2, Duration.ofSeconds(30))) {
                System.out.println(
                        lease.job().tenant().orElseThrow() + ": " + lease.job().payload());
                lease.ack();
            }
        }
    }
}
