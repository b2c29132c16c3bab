package io.headgate.examples;

import io.headgate.queues.Codec;
import io.headgate.queues.Durability;
import io.headgate.queues.JobQueue;
import io.headgate.queues.QueueEngine;
import io.headgate.queues.QueueException;
import io.headgate.queues.QueueSettings;
import io.headgate.queues.streams.ConsumerGroup;
import io.headgate.queues.streams.EventStream;
import io.headgate.queues.streams.GroupSettings;
import io.headgate.queues.streams.StreamSettings;
import io.headgate.redis.queues.RedisQueueEngine;
import java.time.Duration;

/** Requires a replica to confirm each write; on a Redis without replicas, each write reports the missing confirmation. */
public final class DurableOrders {

    private DurableOrders() {}

    /** Ends after an enqueue, a produce and a pause. */
    public static void main(String[] args) {
        String redis = args.length > 0 ? args[0] : "redis://localhost:6379";
        try (QueueEngine queues = RedisQueueEngine.connect(redis)) {
            Durability confirmed = Durability.replicas(1, Duration.ofMillis(500));
            JobQueue<String> jobs =
                    queues.queue(QueueSettings.of("durable-orders").withDurability(confirmed), Codec.text());
            EventStream<String> orders =
                    queues.stream(StreamSettings.of("orders").withDurability(confirmed), Codec.text());
            ConsumerGroup<String> billing =
                    orders.group(GroupSettings.of("billing").withDurability(confirmed));

            report("enqueue", () -> jobs.enqueue("order 4711"));
            report("produce", () -> orders.produce("order 4711"));
            report("pause", billing::pause);
        }
    }

    private static void report(String call, Runnable write) {
        try {
            write.run();
            System.out.println(call + ": confirmed");
        } catch (QueueException e) {
            System.out.println(call + ": " + e.problem());
        }
    }
}
