package io.headgate.redis.queues;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.queues.Codec;
import io.headgate.queues.Job;
import io.headgate.queues.JobQueue;
import io.headgate.queues.streams.ConsumerGroup;
import io.headgate.queues.streams.EventStream;
import io.headgate.queues.worker.FailurePolicy;
import io.headgate.queues.worker.RetryPolicy;
import io.headgate.queues.worker.Worker;
import io.headgate.queues.worker.WorkerListener;
import io.headgate.testkit.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A worker logs failures of handlers, and stores their causes with the job. */
@Timeout(120)
class WorkerFailuresIT {

    private static final Duration LONG = Duration.ofSeconds(30);
    private static final RetryPolicy THREE_ATTEMPTS = new RetryPolicy(3, Duration.ZERO, Duration.ZERO, 0);
    private static final Logger LOGGER = Logger.getLogger(Worker.class.getName());

    @RegisterExtension
    final OwnQueues redis = OwnQueues.withClockOfRedis();

    private final JobQueue<String> queue = redis.queue("work", Codec.text());
    private final List<LogRecord> records = Collections.synchronizedList(new ArrayList<>());
    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord entry) {
            records.add(entry);
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };

    @BeforeEach
    void captureLog() {
        LOGGER.addHandler(handler);
        LOGGER.setLevel(Level.FINE);
        LOGGER.setUseParentHandlers(false);
    }

    @AfterEach
    void restore() {
        LOGGER.removeHandler(handler);
        LOGGER.setLevel(null);
        LOGGER.setUseParentHandlers(true);
    }

    /** Called by handlers, so that the stack trace has a known frame. */
    private static void send(String mail) {
        throw new IllegalStateException("no such address", new IllegalArgumentException(mail));
    }

    private void awaitDead(int jobs) {
        Await.until("dead letters", LONG, () -> queue.counts().dead() == jobs);
    }

    private Job<String> deadLetter() {
        return queue.deadLetters().list(1).items().get(0).job();
    }

    private static void assertHasTrace(String cause) {
        assertThat(cause)
                .startsWith("java.lang.IllegalStateException: no such address\n\tat ")
                .contains("WorkerFailuresIT.send(WorkerFailuresIT.java:")
                .contains("\nCaused by: java.lang.IllegalArgumentException: mail 1\n\tat ")
                .doesNotContain("io.headgate.queues.internal");
    }

    @Test
    void the_first_and_last_failed_attempts_are_logged_as_warnings_with_stack_traces() {
        queue.enqueue("mail 1");
        try (Worker worker = Worker.of(queue).retries(THREE_ATTEMPTS).start(job -> send(job.payload()))) {
            awaitDead(1);
        }
        assertThat(records).extracting(LogRecord::getLevel).containsExactly(Level.WARNING, Level.FINE, Level.WARNING);
        assertThat(records)
                .extracting(LogRecord::getMessage)
                .allMatch(message -> message.startsWith("job " + deadLetter().id() + " of queue work: attempt "))
                .satisfiesExactly(
                        first -> assertThat(first).endsWith("attempt 1 of 3 failed; the job is due again after PT0S"),
                        second -> assertThat(second).contains("attempt 2 of 3 failed"),
                        last -> assertThat(last).endsWith("attempt 3 of 3 failed; the job is a dead letter"));
        assertThat(records).extracting(LogRecord::getThrown).allSatisfy(thrown -> assertThat(
                        thrown.getStackTrace()[0].getMethodName())
                .isEqualTo("send"));
    }

    @Test
    void a_dead_letter_shows_class_message_and_top_frames_of_its_exceptions() {
        queue.enqueue("mail 1");
        try (Worker worker = Worker.of(queue).retries(THREE_ATTEMPTS).start(job -> send(job.payload()))) {
            awaitDead(1);
        }
        assertThat(deadLetter().causes()).hasSize(3).allSatisfy(WorkerFailuresIT::assertHasTrace);
    }

    @Test
    void failures_of_an_asynchronous_handler_are_logged_and_stored_too() {
        queue.enqueue("mail 1");
        try (Worker worker = Worker.of(queue)
                .retries(RetryPolicy.none())
                .startAsync(job -> CompletableFuture.runAsync(() -> send(job.payload())))) {
            awaitDead(1);
        }
        assertHasTrace(deadLetter().causes().get(0));
        assertThat(records).extracting(LogRecord::getLevel).containsExactly(Level.WARNING);
    }

    @Test
    void failures_with_entries_of_a_stream_are_logged_and_stored_too() {
        EventStream<String> orders = redis.stream("orders");
        ConsumerGroup<String> billing = orders.group("billing");
        orders.produce("mail 1");
        try (Worker worker = Worker.of(billing).retries(THREE_ATTEMPTS).start(job -> send(job.payload()))) {
            Await.until("a dead letter", LONG, () -> billing.retryCounts().dead() == 1);
        }
        assertThat(billing.deadLetters().list(1).items().get(0).job().causes())
                .hasSize(3)
                .allSatisfy(WorkerFailuresIT::assertHasTrace);
        assertThat(records).extracting(LogRecord::getLevel).containsExactly(Level.WARNING, Level.FINE, Level.WARNING);
        assertThat(records.get(0).getMessage()).contains(" of group billing: ");
    }

    @Test
    void a_payload_that_can_not_be_decoded_is_logged_as_a_warning() {
        queue.enqueue("mail 1");
        JobQueue<String> undecodable = redis.queue("work", Codec.<String>of(text -> new byte[0], bytes -> {
            throw new IllegalStateException("no number");
        }));
        try (Worker worker = Worker.of(undecodable).start(job -> {})) {
            awaitDead(1);
        }
        assertThat(records).extracting(LogRecord::getLevel).containsExactly(Level.WARNING);
        assertThat(records.get(0).getMessage()).endsWith("can't be decoded, and is a dead letter");
        assertThat(deadLetter().causes().get(0))
                .startsWith("can't be decoded: java.lang.IllegalStateException: no number\n\tat ");
    }

    @Test
    void a_failure_that_the_failure_policy_discards_is_not_logged_as_a_warning() {
        queue.enqueue("mail 1");
        try (Worker worker = Worker.of(queue)
                .onFailure((job, failure) -> FailurePolicy.Action.DISCARD)
                .start(job -> send(job.payload()))) {
            Await.until("done", LONG, () -> OwnQueues.isEmpty(queue));
        }
        assertThat(records).extracting(LogRecord::getLevel).containsExactly(Level.FINE);
        assertThat(records.get(0).getMessage()).endsWith("the job is discarded by the failure policy");
    }

    @Test
    void a_failure_that_a_listener_handles_is_not_logged() {
        queue.enqueue("mail 1");
        try (Worker worker = Worker.of(queue)
                .retries(THREE_ATTEMPTS)
                .listener(new WorkerListener() {
                    @Override
                    public boolean handlesFailures() {
                        return true;
                    }
                })
                .start(job -> send(job.payload()))) {
            awaitDead(1);
        }
        assertThat(records).isEmpty();
        assertHasTrace(deadLetter().causes().get(0));
    }

    @Test
    void an_interrupted_handler_of_a_closing_worker_has_not_failed() throws Exception {
        queue.enqueue("mail 1");
        CountDownLatch started = new CountDownLatch(1);
        CountDownLatch ended = new CountDownLatch(1);
        Worker worker = Worker.of(queue).start(job -> {
            started.countDown();
            try {
                new CountDownLatch(1).await();
            } finally {
                ended.countDown();
            }
        });
        started.await();
        worker.close(Duration.ZERO);
        ended.await();
        assertThat(queue.counts().ready()).isEqualTo(1);
        assertThat(records).isEmpty();
    }
}
