package io.headgate.examples;

import io.headgate.queues.Codec;
import io.headgate.queues.QueueEngine;
import io.headgate.queues.streams.ConsumerGroup;
import io.headgate.queues.streams.EventStream;
import io.headgate.queues.streams.GroupSettings;
import io.headgate.queues.worker.Worker;
import io.headgate.redis.queues.RedisQueueEngine;
import java.util.concurrent.CountDownLatch;

/** Two groups each handle every order of a stream. */
public final class OrderStream {

    private OrderStream() {}

    /** Ends when both groups have handled both orders. */
    public static void main(String[] args) throws InterruptedException {
        String redis = args.length > 0 ? args[0] : "redis://localhost:6379";
        try (QueueEngine queues = RedisQueueEngine.connect(redis)) {
            EventStream<String> orders = queues.stream("orders", Codec.text());
            orders.declareGroup("billing");
            orders.declareGroup(GroupSettings.of("search").fromNow());
            orders.produce("order 4711");
            orders.produce("order 4712");

            CountDownLatch handled = new CountDownLatch(4);
            ConsumerGroup<String> billing = orders.group("billing");
            ConsumerGroup<String> search = orders.group("search");
            try (Worker billed = Worker.of(billing).concurrency(20).start(job -> {
                        System.out.println("bill " + job.payload());
                        handled.countDown();
                    });
                    Worker indexed = Worker.of(search).start(job -> {
                        System.out.println("index " + job.payload());
                        handled.countDown();
                    })) {
                handled.await();
            }
        }
    }
}
