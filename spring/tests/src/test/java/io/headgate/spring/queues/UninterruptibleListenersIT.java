package io.headgate.spring.queues;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.queues.Codec;
import io.headgate.queues.JobQueue;
import io.headgate.queues.QueueEngine;
import io.headgate.queues.inspect.QueueCounts;
import io.headgate.queues.worker.Worker;
import io.headgate.redis.RedisSettings;
import io.headgate.redis.queues.RedisQueueEngine;
import io.headgate.testkit.Await;
import io.headgate.testkit.RedisServer;
import io.headgate.testkit.faults.FaultProxy;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/** Tests the shutdown of an application whose listeners ignore their interruption, on a real Redis. */
@Timeout(300)
class UninterruptibleListenersIT {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final String prefix = "u" + UUID.randomUUID();

    static class Listeners {

        private final Received received;

        Listeners(Received received) {
            this.received = received;
        }

        @QueueListener(queue = "single", lease = "${lease}")
        void one(String text) {
            block("single", text);
        }

        @QueueListener(queue = "batched", batch = "2", batchWait = "0s", lease = "${lease}")
        void several(List<String> texts) {
            block("batched", String.join(",", texts));
        }

        private void block(String queue, String text) {
            received.add(queue, text);
            received.release().acquireUninterruptibly();
            received.add(queue, text + (Thread.interrupted() ? " interrupted" : " done"));
        }
    }

    private ConfigurableApplicationContext run(String redis, String... more) {
        return new SpringApplicationBuilder(ListenerApplication.Application.class, Listeners.class)
                .web(WebApplicationType.NONE)
                .properties(
                        "headgate.redis.url=" + redis,
                        "headgate.redis.key-prefix=" + prefix,
                        "spring.lifecycle.timeout-per-shutdown-phase=1s")
                .properties(more)
                .run();
    }

    private QueueEngine otherInstance() {
        return RedisQueueEngine.connect(RedisSettings.of(RedisServer.shared().url())
                .withKeyPrefix(prefix)
                .withTimeout(Duration.ofSeconds(30)));
    }

    private static void closeAndAwaitTheEnd(ConfigurableApplicationContext closing) {
        Thread close = new Thread(closing::close);
        close.start();
        Await.until("the end of the application", PATIENCE, () -> !close.isAlive());
    }

    /** Handles the only job in another worker, and returns its payload and its counters there. */
    private static String handledByOtherWorker(JobQueue<String> queue) {
        Received handled = new Received();
        try (Worker other = Worker.of(queue)
                .start(job -> handled.add(
                        "other",
                        job.payload() + ": attempt " + job.attempt() + ", delivery " + job.delivery() + ", crashes "
                                + job.crashes()))) {
            Await.until("the job at another worker", PATIENCE, () -> !handled.of("other").isEmpty());
            Await.until("its acknowledgement", PATIENCE, () -> isEmpty(queue.counts()));
        }
        return String.join("; ", handled.of("other"));
    }

    private static boolean isEmpty(QueueCounts counts) {
        return counts.ready() + counts.delayed() + counts.leased() + counts.dead() == 0;
    }

    @ParameterizedTest
    @ValueSource(strings = {"single", "batched"})
    void a_shutdown_ends_and_hands_back_the_job_of_a_listener_that_ignores_its_interruption(String name) {
        try (QueueEngine engine = otherInstance()) {
            JobQueue<String> queue = engine.queue(name, Codec.text());
            // The end of the lease, which would count a crash, is not what returns the job.
            ConfigurableApplicationContext closing =
                    run(RedisServer.shared().url(), "lease=30s", "headgate.redis.timeout=30s");
            Received received = closing.getBean(Received.class);
            queue.enqueue("job");
            received.await(name, "job");

            closeAndAwaitTheEnd(closing);
            assertThat(received.of(name)).as("the listener still runs").containsExactly("job");
            // A job that is handed back is due at once, and neither an attempt nor a crash was counted.
            assertThat(handledByOtherWorker(queue)).isEqualTo("job: attempt 1, delivery 2, crashes 0");

            received.release().release();
            received.await(name, "job interrupted");
            assertThat(isEmpty(queue.counts())).isTrue();
        }
    }

    @Test
    void a_job_that_cannot_be_handed_back_is_handled_by_another_worker_after_its_lease_has_expired() {
        try (QueueEngine engine = otherInstance();
                FaultProxy proxy = FaultProxy.before(RedisServer.shared().url())) {
            JobQueue<String> queue = engine.queue("single", Codec.text());
            ConfigurableApplicationContext closing = run(proxy.url(), "lease=3s");
            Received received = closing.getBean(Received.class);
            queue.enqueue("job");
            received.await("single", "job");

            proxy.blackHole();
            closeAndAwaitTheEnd(closing);
            assertThat(handledByOtherWorker(queue)).isEqualTo("job: attempt 1, delivery 2, crashes 1");

            proxy.resume();
            received.release().release();
            received.await("single", "job interrupted");
            assertThat(isEmpty(queue.counts())).isTrue();
        }
    }
}
