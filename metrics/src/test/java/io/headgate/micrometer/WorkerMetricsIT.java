package io.headgate.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.queues.Codec;
import io.headgate.queues.JobQueue;
import io.headgate.queues.worker.Worker;
import io.headgate.redis.RedisSettings;
import io.headgate.redis.queues.RedisQueueEngine;
import io.headgate.testkit.Await;
import io.headgate.testkit.RedisServer;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The meters of the handlers of a worker. */
@Timeout(180)
class WorkerMetricsIT {

    private static final Duration LONG = Duration.ofMinutes(1);

    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();

    @Test
    void handlers_are_counted_while_they_run_and_timed_by_their_outcome() {
        CountDownLatch release = new CountDownLatch(1);
        try (RedisServer redis = RedisServer.startOwn();
                RedisQueueEngine engine = connect(redis)) {
            JobQueue<String> mails = engine.queue("mails", Codec.text());
            mails.enqueue("good");
            mails.enqueue("bad");
            try (Worker worker = Worker.of(mails)
                    .concurrency(2)
                    .listener(new WorkerMetrics(meters, "mails", 2))
                    .start(job -> {
                        release.await();
                        if (job.payload().equals("bad")) {
                            throw new IllegalArgumentException("bad");
                        }
                    })) {
                assertThat(worker).isNotNull();
                Await.until("both handlers to run", LONG, () -> gauge("headgate.workers.busy") == 2);
                assertThat(gauge("headgate.workers.concurrency")).isEqualTo(2);
                release.countDown();
                Await.until("a failure", LONG, () -> timer("failed").count() >= 1);
                Await.until("a success", LONG, () -> timer("succeeded").count() == 1);
            }
            assertThat(timer("succeeded").totalTime(TimeUnit.NANOSECONDS)).isPositive();
            assertThat(gauge("headgate.workers.busy")).isZero();
        }
    }

    @Test
    void the_time_of_an_asynchronous_handler_ends_with_its_stage() {
        CompletableFuture<Void> stage = new CompletableFuture<>();
        try (RedisServer redis = RedisServer.startOwn();
                RedisQueueEngine engine = connect(redis)) {
            JobQueue<String> mails = engine.queue("mails", Codec.text());
            mails.enqueue("a");
            try (Worker worker = Worker.of(mails)
                    .listener(new WorkerMetrics(meters, "mails", 1))
                    .startAsync(job -> stage)) {
                assertThat(worker).isNotNull();
                Await.until("the handler to run", LONG, () -> gauge("headgate.workers.busy") == 1);
                assertThat(timer("succeeded").count()).isZero();
                stage.complete(null);
                Await.until("its end", LONG, () -> timer("succeeded").count() == 1);
            }
        }
    }

    private static RedisQueueEngine connect(RedisServer redis) {
        return RedisQueueEngine.connect(RedisSettings.of(redis.url()).withTimeout(LONG.dividedBy(2)));
    }

    private double gauge(String name) {
        return meters.get(name).tag("worker", "mails").gauge().value();
    }

    private Timer timer(String outcome) {
        return meters.get("headgate.jobs.handling")
                .tags("worker", "mails", "outcome", outcome)
                .timer();
    }
}
