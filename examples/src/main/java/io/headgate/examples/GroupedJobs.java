package io.headgate.examples;

import io.headgate.queues.Codec;
import io.headgate.queues.JobQueue;
import io.headgate.queues.KeepDone;
import io.headgate.queues.Lease;
import io.headgate.queues.NewJob;
import io.headgate.queues.QueueEngine;
import io.headgate.queues.QueueSettings;
import io.headgate.redis.queues.RedisQueueEngine;
import java.time.Duration;
import java.util.List;

/** Enqueues two jobs of an order together, claims what is due, and rejects a duplicate of a job that is done. */
public final class GroupedJobs {

    private GroupedJobs() {}

    /** Ends when one job is done. */
    public static void main(String[] args) {
        String redis = args.length > 0 ? args[0] : "redis://localhost:6379";
        try (QueueEngine queues = RedisQueueEngine.connect(redis)) {
            QueueSettings settings = QueueSettings.of("orders").withKeepDone(KeepDone.forTime(Duration.ofDays(1)));
            JobQueue<String> orders = queues.queue(settings, Codec.text());
            orders.enqueueAll(List.of(
                    NewJob.of("charge").group("order-4711").once("charge"),
                    NewJob.of("ship")
                            .after(Duration.ofHours(1))
                            .group("order-4711")
                            .once("ship")));

            for (Lease<String> lease : orders.claim(10, Duration.ofSeconds(30))) {
                System.out.println(lease.job().payload());
                System.out.println(lease.ack());
            }

            NewJob<String> again = NewJob.of("charge").group("order-4711").once("charge");
            System.out.println(orders.enqueue(again).outcome());
        }
    }
}
