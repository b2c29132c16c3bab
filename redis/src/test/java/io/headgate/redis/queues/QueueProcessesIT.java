package io.headgate.redis.queues;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.queues.Codec;
import io.headgate.queues.Job;
import io.headgate.queues.JobQueue;
import io.headgate.queues.Lease;
import io.headgate.queues.NewJob;
import io.headgate.queues.Settled;
import io.headgate.queues.worker.Worker;
import io.headgate.redis.queues.internal.job.Times;
import io.headgate.testkit.Await;
import io.headgate.testkit.ChildJvm;
import io.headgate.testkit.conditions.Requirement;
import io.headgate.testkit.conditions.Requires;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Workers and clients that are suspended, die of a job, have a wrong clock, or lose signals; some run in child processes. */
@Timeout(180)
class QueueProcessesIT {

    private static final Duration LONG = Duration.ofMinutes(1);

    @RegisterExtension
    final OwnQueues redis = OwnQueues.withClockOfRedis();

    private final JobQueue<String> queue = redis.queue("work", Codec.text());

    private ChildJvm startProcess(String mode) {
        return ChildJvm.of(QueueProcess.class)
                .shortLived()
                .jvmOptions("-Xmx64m")
                .start(redis.url(), "work", mode);
    }

    @Test
    void a_worker_that_was_suspended_beyond_its_lease_can_settle_nothing() {
        queue.enqueue("a");
        try (ChildJvm stale = startProcess("hold")) {
            stale.awaitLine("held"::equals, LONG);
            stale.pause();
            List<Lease<String>> taken = new ArrayList<>();
            Await.until("another client has claimed the job", LONG, () -> {
                taken.addAll(queue.claim(1, LONG));
                return !taken.isEmpty();
            });
            stale.resume();
            stale.send("continue");
            assertThat(stale.awaitOutput(LONG))
                    .containsExactly(
                            "extend LEASE_LOST",
                            "retry LEASE_LOST",
                            "hand back LEASE_LOST",
                            "dead letter LEASE_LOST",
                            "ack LEASE_LOST");
            assertThat(taken.get(0).ack()).isEqualTo(Settled.DONE);
        }
    }

    /** Libraries that count only handler errors deliver such a job forever. */
    @Test
    void a_job_that_kills_its_workers_becomes_the_only_dead_letter() {
        Set<String> good =
                new TreeSet<>(IntStream.range(0, 20).mapToObj(i -> "good" + i).toList());
        queue.enqueue(QueueProcess.POISON);
        queue.enqueueAll(good.stream().map(NewJob::of).toList());
        Set<String> done = ConcurrentHashMap.newKeySet();
        int deaths = 0;
        while (queue.counts().dead() == 0) {
            try (ChildJvm worker = startProcess("work")) {
                Await.until("it has died, or there is nothing to do", LONG, () -> !worker.isAlive() || isDone());
                worker.kill();
                worker.awaitOutput(LONG).stream()
                        .filter(line -> line.startsWith("done "))
                        .forEach(line -> done.add(line.substring(5)));
            }
            assertThat(++deaths).as("processes that one job has killed").isLessThanOrEqualTo(6);
        }
        try (Worker worker = Worker.of(queue).start(job -> done.add(job.payload()))) {
            Await.until("all others are done", LONG, this::isDone);
        }
        assertThat(queue.counts().dead()).isEqualTo(1);
        assertThat(done).isEqualTo(good);
    }

    private boolean isDone() {
        return OwnQueues.isEmpty(queue);
    }

    @Test
    @Requires(Requirement.LIBFAKETIME)
    void a_delay_is_measured_by_the_clock_of_redis_when_the_clock_of_the_client_is_an_hour_off() {
        for (String skew : List.of("+1h", "-1h")) {
            try (ChildJvm skewed = ChildJvm.of(QueueProcess.class)
                    .shortLived()
                    .wrongClock(skew)
                    .start(redis.url(), "work", "enqueue")) {
                String clock = skewed.awaitLine(line -> line.startsWith("clock "), LONG);
                long offMicros = Long.parseLong(clock.substring("clock ".length())) - Times.micros(Instant.now());
                assertThat(Math.abs(offMicros)).isGreaterThan(Times.micros(Duration.ofMinutes(30)));
                skewed.awaitLine("enqueued"::equals, LONG);
                skewed.awaitExit(LONG);
            }
            List<Job<String>> jobs = new ArrayList<>();
            Await.until("both are due", LONG, () -> {
                queue.claim(2, LONG).forEach(lease -> {
                    jobs.add(lease.job());
                    lease.ack();
                });
                return jobs.size() == 2;
            });
            assertThat(jobs).extracting(Job::payload).containsExactly("at once", "later");
            Duration between = Duration.between(jobs.get(0).dueAt(), jobs.get(1).dueAt());
            assertThat(between).isEqualTo(Duration.ofMillis(200));
        }
    }

    /** Defect in bullmq (#4479, #2466, #1658): a lost wake-up leaves due jobs until the next enqueue. */
    @Test
    void a_job_is_handled_although_its_signal_may_be_lost() {
        Set<String> done = ConcurrentHashMap.newKeySet();
        try (Worker worker = Worker.of(queue).start(job -> done.add(job.payload()))) {
            Await.until("it is subscribed", LONG, () -> redis.subscribers("work") == 1);
            redis.probe.command("CLIENT", "KILL", "TYPE", "pubsub");
            queue.enqueue("a");
            Await.until("it is done", LONG, () -> done.contains("a"));
            Await.until("it is subscribed again", LONG, () -> redis.subscribers("work") == 1);
            queue.enqueue("b");
            Await.until("it is done", LONG, () -> done.contains("b"));
        }
    }

    /** Defect in kombu (#337): a delay longer than the visibility timeout is delivered again and again. */
    @Test
    void a_job_with_a_delay_longer_than_the_lease_is_delivered_once() {
        Set<Integer> deliveries = ConcurrentHashMap.newKeySet();
        try (Worker worker =
                Worker.of(queue).lease(Duration.ofMillis(500)).start(job -> deliveries.add(job.delivery()))) {
            queue.enqueue("a", Duration.ofMillis(900));
            Await.until("it is done", LONG, () -> !deliveries.isEmpty() && isDone());
        }
        assertThat(deliveries).containsExactly(1);
    }
}
