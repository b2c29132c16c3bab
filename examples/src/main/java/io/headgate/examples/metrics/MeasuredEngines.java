package io.headgate.examples.metrics;

import io.headgate.limits.Limit;
import io.headgate.limits.LimitEngine;
import io.headgate.micrometer.LimitMetrics;
import io.headgate.micrometer.QueueMetrics;
import io.headgate.queues.Codec;
import io.headgate.queues.QueueEngine;
import io.headgate.redis.limits.RedisLimitEngine;
import io.headgate.redis.queues.RedisQueueEngine;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Duration;

/** The metrics of limits and queues, as Prometheus reads them. */
public final class MeasuredEngines {

    private MeasuredEngines() {}

    /** Prints the metrics of two requests and a job. */
    public static void main(String[] args) {
        String redis = args.length > 0 ? args[0] : "redis://localhost:6379";

        try (LimitEngine limits = RedisLimitEngine.connect(redis);
                QueueEngine queues = RedisQueueEngine.connect(redis)) {
            PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
            new LimitMetrics(limits).bindTo(registry);
            new QueueMetrics(queues).bindTo(registry);

            limits.limiter("logins", Limit.slidingWindow(1, Duration.ofHours(1)))
                    .tryAcquire("alice");
            queues.queue("mails", Codec.text()).enqueue("welcome, alice");
            System.out.println(registry.scrape());
        }
    }
}
