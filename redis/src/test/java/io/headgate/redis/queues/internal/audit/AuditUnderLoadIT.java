package io.headgate.redis.queues.internal.audit;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.queues.Codec;
import io.headgate.queues.JobId;
import io.headgate.queues.JobQueue;
import io.headgate.queues.Lease;
import io.headgate.queues.NewJob;
import io.headgate.queues.Priority;
import io.headgate.queues.inspect.AuditReport;
import io.headgate.queues.inspect.JobState;
import io.headgate.redis.RedisSettings;
import io.headgate.redis.queues.RedisQueueEngine;
import io.headgate.testkit.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** While several threads use a queue, audits and repairs find nothing. */
class AuditUnderLoadIT {

    private static final RedisServer REDIS = RedisServer.startOwn();
    private static final int THREADS = 4;
    private static final int ROUNDS = 600;

    @ParameterizedTest
    @CsvSource({"0, 0", "3000, 0", "300, 4"})
    void audits_and_repairs_of_a_queue_in_use_find_nothing(int jobsBefore, int tenants) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try (RedisQueueEngine engine =
                RedisQueueEngine.connect(RedisSettings.of(REDIS.url()).withTimeout(Duration.ofSeconds(30)))) {
            JobQueue<String> queue = engine.queue("load" + jobsBefore + "." + tenants, Codec.text());
            for (int i = 0; i < jobsBefore; i++) {
                queue.async().enqueue("job");
            }
            List<Future<?>> users = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                Random random = new Random(i);
                users.add(threads.submit(() -> use(queue, random, tenants)));
            }
            int audits = 0;
            while (!users.stream().allMatch(Future::isDone)) {
                AuditReport report = audits++ % 4 == 3 ? queue.repair() : queue.audit();
                assertThat(report.findings()).isEmpty();
            }
            for (Future<?> one : users) {
                one.get();
            }
            assertThat(audits).isPositive();
            AuditReport last = queue.audit();
            assertThat(last.findings()).isEmpty();
            assertThat(last.unchecked()).isZero();
        } finally {
            threads.shutdownNow();
        }
    }

    private static void use(JobQueue<String> queue, Random random, int tenants) {
        List<JobId> ids = new ArrayList<>();
        for (int i = 0; i < ROUNDS; i++) {
            NewJob<String> job = NewJob.of("job" + i).priority(random.nextBoolean() ? Priority.NORMAL : Priority.LOW);
            // Number 0 stands for no tenant.
            int tenant = tenants == 0 ? 0 : random.nextInt(tenants);
            job = tenant == 0 ? job : job.tenant("tenant" + tenant);
            switch (random.nextInt(8)) {
                case 0 -> ids.add(queue.enqueue(job).id());
                case 1 -> queue.enqueueAll(Collections.nCopies(10, job));
                case 2 -> queue.enqueue(job.once("key" + random.nextInt(50)));
                case 3 ->
                    ids.add(queue.enqueue(job.after(Duration.ofMillis(random.nextInt(20))))
                            .id());
                case 4 -> {
                    if (!ids.isEmpty()) {
                        JobId id = ids.remove(random.nextInt(ids.size()));
                        // Any result is right, as other threads use the queue.
                        boolean ignored = random.nextBoolean() ? queue.cancel(id) : queue.runNow(id);
                        queue.find(id);
                    }
                }
                case 5 -> queue.deadLetters().redriveOldest(5, Duration.ofMillis(1));
                default ->
                    queue.claim(8, Duration.ofMillis(random.nextInt(4) == 0 ? 10 : 10_000))
                            .forEach(lease -> settle(lease, random));
            }
        }
        queue.jobs(JobState.Kind.LEASED, 10);
    }

    private static void settle(Lease<String> lease, Random random) {
        switch (random.nextInt(6)) {
            case 0 -> lease.retry(Duration.ofMillis(random.nextInt(10)), "no");
            case 1 -> lease.deadLetter("no");
            case 2 -> lease.handBack(Duration.ZERO);
            default -> lease.ack();
        }
    }
}
