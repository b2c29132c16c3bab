package io.headgate.examples;

import io.headgate.queues.Codec;
import io.headgate.queues.Lease;
import io.headgate.queues.QueueEngine;
import io.headgate.queues.streams.ConsumerGroup;
import io.headgate.queues.streams.EventStream;
import io.headgate.queues.streams.GroupSettings;
import io.headgate.queues.streams.NewEntry;
import io.headgate.redis.queues.RedisQueueEngine;
import java.time.Duration;

/** Produces an entry twice under one key; a group that keeps done keys handles it once. */
public final class ProducedTwice {

    private ProducedTwice() {}

    /** Ends when the second entry is skipped. */
    public static void main(String[] args) {
        String redis = args.length > 0 ? args[0] : "redis://localhost:6379";
        try (QueueEngine queues = RedisQueueEngine.connect(redis)) {
            EventStream<String> orders = queues.stream("orders", Codec.text());
            ConsumerGroup<String> billing =
                    orders.group(GroupSettings.of("billing").withKeepDone(Duration.ofDays(1)));

            orders.produce(NewEntry.of("order 4711").once("order-4711"));
            for (Lease<String> lease : billing.claim(10)) {
                System.out.println("bill " + lease.job().payload());
                lease.ack();
            }

            orders.produce(NewEntry.of("order 4711").once("order-4711"));
            System.out.println("entries: " + orders.state().length());
            System.out.println("to bill: " + billing.claim(10).size());
        }
    }
}
