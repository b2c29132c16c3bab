package io.headgate.redis.queues;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.headgate.queues.Codec;
import io.headgate.queues.Durability;
import io.headgate.queues.Enqueued;
import io.headgate.queues.Job;
import io.headgate.queues.JobId;
import io.headgate.queues.JobQueue;
import io.headgate.queues.Lease;
import io.headgate.queues.NewJob;
import io.headgate.queues.QueueException;
import io.headgate.queues.QueueFullException;
import io.headgate.queues.QueueSettings;
import io.headgate.queues.Settled;
import io.headgate.queues.inspect.Cursor;
import io.headgate.queues.inspect.QueueCounts;
import io.headgate.queues.worker.FailurePolicy;
import io.headgate.queues.worker.Worker;
import io.headgate.queues.worker.WorkerListener;
import io.headgate.redis.RedisSettings;
import io.headgate.redis.limits.Engines;
import io.headgate.redis.queues.internal.queue.RedisLease;
import io.headgate.testkit.Await;
import io.headgate.testkit.conditions.ServerVersionSensitive;
import io.headgate.testkit.faults.FaultProxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Writes that a replica confirmed survive the loss of the primary; other writes are reported as unconfirmed. */
@Timeout(120)
@ServerVersionSensitive
class DurabilityIT {

    private static final Duration LONG = Duration.ofSeconds(30);
    private static final Duration LEASE = Duration.ofMinutes(5);
    private static final Durability CONFIRMED = Durability.replicas(1, Duration.ofSeconds(20));
    private static final Durability IMPATIENT = Durability.replicas(1, Duration.ofMillis(50));

    private final ReplicatedRedis redis = new ReplicatedRedis();
    private final RedisQueueEngine engine = Engines.queues(redis.primary.url());

    @AfterEach
    void stop() {
        engine.close();
        redis.close();
    }

    private JobQueue<String> queue(Durability durability) {
        return queue(engine, durability);
    }

    private static JobQueue<String> queue(RedisQueueEngine engine, Durability durability) {
        return engine.queue(QueueSettings.of("orders").withDurability(durability), Codec.text());
    }

    private static QueueException failureOf(Runnable call) {
        return catchThrowableOfType(QueueException.class, call::run);
    }

    private long calls(String command) {
        return redis.onPrimary.commandCalls().getOrDefault(command, 0L);
    }

    @Test
    void a_durable_queue_waits_once_per_write_and_never_for_a_lookup_or_claim() {
        JobQueue<String> queue = queue(CONFIRMED);
        redis.onPrimary.command("CONFIG", "RESETSTAT");
        JobId cancelled = queue.enqueue("cancelled", LEASE).id();
        queue.enqueueAll(List.of(NewJob.of("a"), NewJob.of("b"), NewJob.of("c")));
        assertThat(calls("WAIT")).isEqualTo(2);
        List<Lease<String>> leases = queue.claim(3, LEASE);
        queue.counts();
        queue.deadLetters().list(Cursor.START, 10);
        assertThat(calls("WAIT")).isEqualTo(2);
        queue.ackAll(leases.subList(0, 2));
        leases.get(2).deadLetter("no");
        queue.cancel(cancelled);
        queue.deadLetters().redriveOldest(10, Duration.ZERO);
        queue.pause();
        queue.resume();
        assertThat(calls("WAIT")).isEqualTo(8);
    }

    @Test
    void a_queue_that_is_not_durable_waits_for_no_replica() {
        JobQueue<String> queue = queue(Durability.none());
        redis.replica.pause();
        queue.enqueue("a");
        assertThat(queue.claim(1, LEASE).get(0).ack()).isEqualTo(Settled.DONE);
        assertThat(calls("WAIT")).isZero();
    }

    @Test
    void a_write_that_no_replica_confirmed_in_time_takes_effect_and_is_reported_as_unconfirmed() {
        JobQueue<String> queue = queue(IMPATIENT);
        redis.replica.pause();
        QueueException problem = failureOf(() -> queue.enqueue("a"));
        assertThat(problem)
                .hasMessage("enqueue hg:q:{orders}: in the queue, but only 0 of 1 replicas confirmed within 50 ms");
        assertThat(problem.mayBeDone()).isTrue();
        assertThat(queue.counts().ready()).isEqualTo(1);
        Lease<String> lease = queue.claim(1, LEASE).get(0);
        QueueException ackFailure = failureOf(lease::ack);
        assertThat(ackFailure.problem()).isEqualTo("done, but only 0 of 1 replicas confirmed within 50 ms");
        assertThat(ackFailure.mayBeDone()).isTrue();
        assertThat(queue.counts().leased()).isZero();
    }

    @Test
    void enqueueing_an_unconfirmed_job_with_a_key_again_confirms_the_existing_job() {
        JobQueue<String> queue = queue(IMPATIENT);
        redis.replica.pause();
        assertThatThrownBy(() -> queue.enqueue(NewJob.of("a").once("k"))).isInstanceOf(QueueException.class);
        redis.replica.resume();
        Enqueued[] again = new Enqueued[1];
        Await.until("the replica is back", LONG, () -> {
            try {
                again[0] = queue.enqueue(NewJob.of("a").once("k"));
                return true;
            } catch (QueueException e) {
                return false;
            }
        });
        assertThat(again[0].outcome()).isEqualTo(Enqueued.Outcome.SAME);
        redis.failOver();
        try (RedisQueueEngine after = Engines.queues(redis.replica.url())) {
            assertThat(queue(after, Durability.none()).claim(10, LEASE))
                    .singleElement()
                    .satisfies(lease -> assertThat(lease.id()).isEqualTo(again[0].id()));
        }
    }

    @Test
    void concurrent_acks_share_waits_while_the_replica_is_suspended_and_end_in_time() throws Exception {
        JobQueue<String> queue = queue(IMPATIENT);
        List<Lease<String>> leases = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            queue(Durability.none()).enqueue("job" + i);
        }
        leases.addAll(queue.claim(200, LEASE));
        redis.onPrimary.command("CONFIG", "RESETSTAT");
        redis.replica.pause();
        AtomicInteger unconfirmed = new AtomicInteger();
        CountDownLatch ended = new CountDownLatch(200);
        for (Lease<String> lease : leases) {
            queue.async().ackAll(List.of(((RedisLease<String>) lease).async())).whenComplete((settled, problem) -> {
                if (String.valueOf(problem).contains("only 0 of 1 replicas confirmed")) {
                    unconfirmed.incrementAndGet();
                }
                ended.countDown();
            });
        }
        assertThat(ended.await(30, TimeUnit.SECONDS)).isTrue();
        assertThat(unconfirmed).hasValue(200);
        assertThat(calls("WAIT")).isBetween(1L, 20L);
        assertThat(queue.counts().leased()).isZero();
    }

    @Test
    void a_caller_that_enqueues_behind_others_receives_its_own_outcome() {
        Durability slow = Durability.replicas(1, Duration.ofSeconds(1));
        try (RedisQueueEngine hasty =
                RedisQueueEngine.connect(RedisSettings.of(redis.primary.url()).withTimeout(Duration.ofMillis(800)))) {
            JobQueue<String> queue = queue(hasty, slow);
            queue.enqueue("first");
            Lease<String> lease = queue.claim(1, LEASE).get(0);
            redis.replica.pause();
            queue.async().enqueue(NewJob.of("before"));
            // This ack waits behind that enqueue; the next enqueue must not wait behind both.
            queue.async().ackAll(List.of(((RedisLease<String>) lease).async()));
            assertThat(failureOf(() -> queue.enqueue("a")).problem()).startsWith("in the queue, but only 0 of 1");
        }
    }

    @Test
    void a_call_is_confirmed_when_its_script_must_be_loaded_again() {
        JobQueue<String> queue = queue(CONFIRMED);
        queue.enqueue("a");
        redis.onPrimary.command("SCRIPT", "FLUSH");
        redis.onPrimary.command("CONFIG", "RESETSTAT");
        queue.enqueue("b");
        // The first WAIT follows EVALSHA, which failed, and the second one follows the loaded script.
        assertThat(calls("WAIT")).isEqualTo(2);
        redis.failOver();
        try (RedisQueueEngine after = Engines.queues(redis.replica.url())) {
            assertThat(queue(after, Durability.none()).counts().ready()).isEqualTo(2);
        }
    }

    @Test
    void a_job_is_unconfirmed_when_the_reply_to_wait_is_lost() {
        try (FaultProxy proxy = FaultProxy.before(redis.primary.url());
                RedisQueueEngine faulty = Engines.queues(proxy.url())) {
            JobQueue<String> queue = queue(faulty, CONFIRMED);
            proxy.cutNextReplyTo("WAIT");
            QueueException problem = failureOf(() -> queue.enqueue("a"));
            assertThat(problem.problem()).startsWith("in the queue, but its durability is unknown: ");
            assertThat(problem.mayBeDone()).isTrue();
            Await.until("it is connected again", LONG, () -> {
                try {
                    queue.enqueue("b");
                    return true;
                } catch (QueueException e) {
                    return false;
                }
            });
            assertThat(queue.counts().ready()).isEqualTo(2);
        }
    }

    @Test
    void a_full_queue_is_reported_as_full_and_not_as_unconfirmed() {
        QueueSettings settings = QueueSettings.of("orders").withMaxJobs(1);
        engine.queue(settings, Codec.text()).enqueue("a");
        JobQueue<String> queue = engine.queue(settings.withDurability(IMPATIENT), Codec.text());
        redis.replica.pause();
        assertThatThrownBy(() -> queue.enqueue("b")).isInstanceOf(QueueFullException.class);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4})
    void a_worker_reports_unconfirmed_jobs_and_handles_none_of_them_twice(int shards) {
        QueueSettings settings = QueueSettings.of("orders").withShards(shards);
        JobQueue<String> plain = engine.queue(settings, Codec.text());
        JobQueue<String> queue = engine.queue(settings.withDurability(IMPATIENT), Codec.text());
        Set<String> payloads = new TreeSet<>();
        for (int i = 0; i < 50; i++) {
            plain.enqueue("job" + i);
            payloads.add("job" + i);
        }
        redis.replica.pause();
        ConcurrentLinkedQueue<String> handled = new ConcurrentLinkedQueue<>();
        RecordedEvents events = new RecordedEvents();
        try (Worker worker = Worker.of(queue)
                .listener(events)
                .onFailure((job, failure) -> FailurePolicy.Action.DEAD_LETTER)
                .start(job -> {
                    handled.add(job.payload());
                    if (job.payload().endsWith("7")) {
                        throw new IllegalStateException("a dead letter");
                    }
                })) {
            Await.until("all are unconfirmed", LONG, () -> events.unconfirmed.equals(payloads));
            assertThat(events.acked).isEmpty();
            assertThat(events.dead)
                    .containsExactlyInAnyOrder(
                            "job7 unconfirmed",
                            "job17 unconfirmed",
                            "job27 unconfirmed",
                            "job37 unconfirmed",
                            "job47 unconfirmed");
            redis.replica.resume();
            Await.until("an ack is confirmed", LONG, () -> {
                plain.enqueue("again");
                return events.acked.contains("again");
            });
            assertThat(worker).isNotNull();
        }
        assertThat(events.acked).containsExactly("again");
        assertThat(events.causes)
                .isNotEmpty()
                .allSatisfy(doubt -> assertThat(doubt.mayBeDone()).isTrue())
                .extracting(QueueException::problem)
                .containsOnly("done, but only 0 of 1 replicas confirmed within 50 ms");
        assertThat(handled).filteredOn(payloads::contains).containsExactlyInAnyOrderElementsOf(payloads);
        QueueCounts counts = queue.counts();
        assertThat(List.of(counts.leased(), counts.delayed())).containsOnly(0L);
        assertThat(counts.dead()).isEqualTo(5);
    }

    /** Records what a worker reports of jobs. */
    static final class RecordedEvents implements WorkerListener {

        final Set<String> acked = new ConcurrentSkipListSet<>();
        final Set<String> unconfirmed = new ConcurrentSkipListSet<>();
        final Set<String> dead = new ConcurrentSkipListSet<>();
        final Set<String> retried = new ConcurrentSkipListSet<>();
        final ConcurrentLinkedQueue<QueueException> causes = new ConcurrentLinkedQueue<>();

        private String withConfirmation(Job<?> job) {
            return job.payload()
                    + (unconfirmed.contains(String.valueOf(job.payload())) ? " unconfirmed" : " confirmed");
        }

        @Override
        public void onAcked(Job<?> job) {
            acked.add(String.valueOf(job.payload()));
        }

        @Override
        public void onDeadLettered(Job<?> job, Throwable failure) {
            dead.add(withConfirmation(job));
        }

        @Override
        public void onRetried(Job<?> job, Throwable failure, Duration delay) {
            retried.add(withConfirmation(job));
        }

        @Override
        public void onUnconfirmed(Job<?> job, QueueException failure) {
            unconfirmed.add(String.valueOf(job.payload()));
            causes.add(failure);
        }
    }

    @Test
    void confirmed_jobs_survive_a_failover_and_acked_jobs_are_not_handed_out_again() throws Exception {
        JobQueue<String> queue = queue(CONFIRMED);
        Set<String> enqueued = new ConcurrentSkipListSet<>();
        Set<String> acked = new ConcurrentSkipListSet<>();
        Set<String> acking = new ConcurrentSkipListSet<>();
        AtomicBoolean stopped = new AtomicBoolean();
        Thread[] threads = new Thread[6];
        for (int t = 0; t < threads.length; t++) {
            int own = t;
            threads[t] = new Thread(() -> {
                for (int i = 0; !stopped.get(); i++) {
                    try {
                        if (own < 4) {
                            String job = own + "." + i;
                            queue.enqueue(job);
                            enqueued.add(job);
                        } else {
                            for (Lease<String> lease : queue.claim(2, LEASE)) {
                                String job = lease.job().payload();
                                acking.add(job);
                                if (lease.ack() == Settled.DONE) {
                                    acked.add(job);
                                }
                            }
                        }
                    } catch (QueueException e) {
                        // A failed call may have taken effect.
                    }
                }
            });
            threads[t].start();
        }
        Await.until("many jobs are enqueued and acked", LONG, () -> enqueued.size() > 2000 && acked.size() > 200);
        redis.failOver();
        stopped.set(true);
        for (Thread thread : threads) {
            thread.join();
        }
        Set<String> found = new TreeSet<>();
        try (RedisQueueEngine after = Engines.queues(redis.replica.url())) {
            JobQueue<String> rest = queue(after, Durability.none());
            long leased = rest.counts().leased();
            for (List<Lease<String>> more = rest.claim(500, LEASE); !more.isEmpty(); more = rest.claim(500, LEASE)) {
                more.forEach(lease -> found.add(lease.job().payload()));
            }
            assertThat(found).doesNotContainAnyElementsOf(acked);
            Set<String> lost = new TreeSet<>(enqueued);
            lost.removeAll(found);
            lost.removeAll(acking);
            // A claim whose reply was lost still leases its jobs: two threads, two jobs each.
            assertThat((long) lost.size()).isLessThanOrEqualTo(Math.min(4, leased));
        }
    }

    @Test
    void opening_a_durable_queue_fails_on_a_replica_and_without_a_connection() {
        try (RedisQueueEngine onReplica = Engines.queues(redis.replica.url())) {
            assertThatThrownBy(() -> queue(onReplica, CONFIRMED))
                    .isInstanceOf(QueueException.class)
                    .hasMessageContaining("WAIT cannot be used with replica instances");
            redis.replica.kill();
            assertThatThrownBy(() -> queue(onReplica, CONFIRMED))
                    .isInstanceOf(QueueException.class)
                    .hasMessageContaining("can't connect");
        }
    }
}
