package io.headgate.spring.queues;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.queues.Codec;
import io.headgate.queues.Job;
import io.headgate.queues.JobQueue;
import io.headgate.queues.Lease;
import io.headgate.queues.inspect.QueueCounts;
import io.headgate.queues.streams.NewEntry;
import io.headgate.testkit.Await;
import io.headgate.testkit.ChildJvm;
import io.headgate.testkit.conditions.Requirement;
import io.headgate.testkit.conditions.Requires;
import jakarta.validation.Valid;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.ConfigurableApplicationContext;

/** Tests of listeners that receive several jobs in one call, on a real Redis. */
@Timeout(300)
class BatchListenersIT {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @RegisterExtension
    static final ListenerApplication APPLICATION = new ListenerApplication(Listeners.class);

    private final Received received = APPLICATION.received();

    static class Listeners {

        private final Received received;

        Listeners(Received received) {
            this.received = received;
        }

        @QueueListener(queue = "texts", id = "texts", batch = "50", concurrency = "1", batchWait = "500ms")
        void texts(List<String> texts) {
            received.add("sizes", String.valueOf(texts.size()));
            texts.forEach(text -> received.add("texts", text));
        }

        @QueueListener(queue = "failing", batch = "5", attempts = "2", backoff = "10ms", deadLetterOn = NumberFormatException.class)
        void fail(List<Job<String>> jobs) {
            jobs.forEach(job -> received.add("failing", job.payload() + " " + job.attempt()));
            if (jobs.stream().anyMatch(job -> job.payload().equals("fatal"))) {
                throw new NumberFormatException("no number");
            }
            throw new IllegalStateException("not yet");
        }

        @QueueListener(queue = "mails", batch = "10", batchWait = "500ms")
        CompletionStage<Void> mails(List<Mails.@Valid Mail> mails) {
            mails.forEach(mail -> received.add("mails", mail.to() + " of " + mails.size()));
            return CompletableFuture.completedFuture(null);
        }

        @QueueListener(queue = "valid-jobs", batch = "10", batchWait = "500ms")
        void validJobs(List<Job<Mails.@Valid Mail>> jobs) {
            jobs.forEach(job -> received.add("valid-jobs", job.payload().to()));
        }

        @QueueListener(queue = "valid-batch-jobs", batch = "10", batchWait = "500ms")
        void validBatchJobs(List<BatchJob<Mails.@Valid Mail>> jobs) {
            jobs.forEach(job -> received.add("valid-batch-jobs", job.payload().to()));
            jobs.forEach(BatchJob::ack);
        }

        @QueueListener(queue = "valid-job")
        void validJob(Job<Mails.@Valid Mail> job) {
            received.add("valid-job", job.payload().to());
        }

        @QueueListener(queue = "settled", batch = "10", batchWait = "500ms", attempts = "1")
        void settle(List<BatchJob<String>> jobs) {
            for (BatchJob<String> job : jobs) {
                received.add("settled", job.payload() + " " + job.job().delivery());
                switch (job.payload()) {
                    case "ack" -> job.ack();
                    case "retry" -> job.retry(Duration.ofHours(1), "again");
                    case "back" -> job.handBack(Duration.ofHours(1));
                    case "dead" -> job.deadLetter("no use");
                    default -> {}
                }
            }
            if (jobs.stream().anyMatch(job -> job.payload().equals("throw"))) {
                throw new IllegalStateException("in the middle");
            }
        }

        @StreamListener(stream = "clicks", group = "count", batch = "10", batchWait = "500ms")
        void clicks(List<BatchJob<String>> clicks) {
            clicks.forEach(BatchJob::ack);
            clicks.forEach(click -> received.add("clicks", click.payload() + " of " + clicks.size()));
        }

        @QueueListener(queue = "slow", id = "slow", batch = "3", batchWait = "10s", lease = "4s", concurrency = "1")
        void slow(List<String> texts) throws InterruptedException {
            received.add("slow", texts.toString());
            received.release().acquire();
            received.add("slow", texts + " done");
        }

        @QueueListener(queue = "busy", batch = "100", batchWait = "200ms", concurrency = "1")
        void busy(List<String> texts) throws InterruptedException {
            received.add("busy", texts.toString());
            received.release().acquire();
        }

        @QueueListener(queue = "closing", id = "closing", batch = "2", concurrency = "2", batchWait = "0ms", autoStartup = "${closing.start:false}")
        void closing(List<String> texts) throws InterruptedException {
            texts.forEach(text -> received.add("closing", text));
            received.release().acquire();
        }

        @QueueListener(queue = "waiting", id = "waiting", batch = "500", batchWait = "1m", concurrency = "1")
        void waiting(List<String> texts) {
            received.add("waiting", texts.toString());
        }

        @QueueListener(queue = "threads", batch = "1")
        void threads(List<String> texts) throws ReflectiveOperationException {
            // Java 21 and later; the code is compiled for Java 17.
            received.add("threads", String.valueOf(Thread.class.getMethod("isVirtual").invoke(Thread.currentThread())));
        }

        @QueueListener(queue = "killed-batch", id = "killed", batch = "3", batchWait = "0s", autoStartup = "false")
        void killed(List<String> texts) {
            texts.forEach(text -> received.add("killed", text));
        }
    }

    private void awaitReceived(String listener, int count) {
        Await.until(count + " of " + listener, PATIENCE, () -> received.of(listener).size() == count);
    }

    private static void awaitDone(String queue, long delayed, long dead) {
        Await.until("end of " + queue, PATIENCE, () -> {
            QueueCounts counts = APPLICATION.queue(queue).counts();
            return counts.ready() + counts.leased() == 0 && counts.delayed() == delayed && counts.dead() == dead;
        });
    }

    private static List<String> causes(String queue, String payload) {
        return APPLICATION.queue(queue).deadLetters().list(100).items().stream()
                .filter(dead -> dead.job().payload().equals(payload))
                .flatMap(dead -> dead.job().causes().stream())
                .toList();
    }

    @Test
    void a_call_receives_all_due_jobs_up_to_the_size_of_a_batch() {
        String[] payloads = IntStream.range(0, 120).mapToObj(String::valueOf).toArray(String[]::new);
        APPLICATION.enqueue("texts", payloads);

        awaitReceived("texts", 120);
        awaitDone("texts", 0, 0);
        assertThat(received.of("texts")).containsExactly(payloads);
        assertThat(received.of("sizes")).first().isEqualTo("50");
        assertThat(received.of("sizes")).allMatch(size -> Integer.parseInt(size) <= 50).hasSizeLessThan(10);
    }

    @Test
    void a_failure_retries_all_jobs_of_the_call() {
        APPLICATION.enqueue("failing", "a", "b", "c");
        awaitDone("failing", 0, 3);
        assertThat(received.of("failing")).containsExactlyInAnyOrder("a 1", "b 1", "c 1", "a 2", "b 2", "c 2");
        assertThat(causes("failing", "b")).hasSize(2).allMatch(cause -> cause.contains("not yet"));

        APPLICATION.enqueue("failing", "fatal");
        awaitDone("failing", 0, 4);
        assertThat(causes("failing", "fatal")).singleElement().asString().contains("no number");
    }

    @Test
    void a_payload_that_cannot_be_converted_makes_only_its_job_a_dead_letter() {
        APPLICATION.enqueue("mails", "{\"to\":\"alice\"}", "no json", "{\"to\":\"bob\"}", "{\"to\":\"\"}");

        awaitDone("mails", 0, 2);
        assertThat(received.of("mails")).containsExactly("alice of 2", "bob of 2");
        assertThat(causes("mails", "no json").get(0)).contains("the payload cannot be converted to ");
        assertThat(causes("mails", "{\"to\":\"\"}").get(0)).contains("the payload is invalid: to: must not be blank");
    }

    @ParameterizedTest
    @ValueSource(strings = {"valid-jobs", "valid-batch-jobs", "valid-job"})
    void payloads_with_valid_inside_of_jobs_are_validated(String queue) {
        APPLICATION.enqueue(queue, "{\"to\":\"\"}", "{\"to\":\"bob\"}");

        awaitDone(queue, 0, 1);
        assertThat(received.of(queue)).containsExactly("bob");
        assertThat(causes(queue, "{\"to\":\"\"}").get(0)).contains("the payload is invalid: to: must not be blank");
    }

    @Test
    void a_method_settles_each_job_by_itself_also_before_it_fails() {
        APPLICATION.enqueue("settled", "ack", "retry", "back", "dead", "nothing");
        awaitDone("settled", 1, 3);
        assertThat(received.of("settled")).contains("ack 1", "nothing 1").hasSize(5);
        assertThat(causes("settled", "retry")).containsExactly("again");
        assertThat(causes("settled", "dead")).containsExactly("no use");
        assertThat(causes("settled", "nothing").get(0)).contains("the listener returned without settling the job");

        APPLICATION.enqueue("settled", "ack", "back", "throw");
        awaitDone("settled", 2, 4);
        assertThat(causes("settled", "throw").get(0)).contains("in the middle");
    }

    @Test
    @Requires(Requirement.VIRTUAL_THREADS)
    void calls_have_virtual_threads_if_the_jvm_has_them() {
        APPLICATION.enqueue("threads", "a");
        received.await("threads", "true");
    }

    @Test
    void entries_of_a_stream_are_received_in_batches() {
        APPLICATION.engine().stream("clicks", Codec.text()).produceAll(List.of(NewEntry.of("1"), NewEntry.of("2"), NewEntry.of("3")));

        awaitReceived("clicks", 3);
        assertThat(received.of("clicks")).containsExactly("1 of 3", "2 of 3", "3 of 3");
    }

    @Test
    void all_jobs_are_leased_while_they_wait_for_their_batch_and_while_the_method_runs() {
        JobQueue<String> slow = APPLICATION.queue("slow");
        APPLICATION.enqueue("slow", "a", "b");
        Await.until("leases", PATIENCE, () -> slow.counts().leased() == 2);
        assertNotClaimable(slow);
        assertThat(received.of("slow")).isEmpty();
        APPLICATION.enqueue("slow", "c");
        received.await("slow", "[a, b, c]");
        assertNotClaimable(slow);
        received.release().release();
        received.await("slow", "[a, b, c] done");
        awaitDone("slow", 0, 0);
    }

    @Test
    void jobs_are_claimed_only_for_calls_that_can_start() {
        JobQueue<String> busy = APPLICATION.queue("busy");
        APPLICATION.enqueue("busy", "a");
        received.await("busy", "[a]");
        APPLICATION.enqueue("busy", "b", "c");
        long end = System.nanoTime() + Duration.ofSeconds(1).toNanos();
        Await.until("a second has passed", PATIENCE, () -> {
            QueueCounts counts = busy.counts();
            assertThat(counts.ready()).isEqualTo(2);
            assertThat(counts.leased()).isEqualTo(1);
            return System.nanoTime() > end;
        });
        received.release().release();
        received.await("busy", "[b, c]");
        received.release().release();
        awaitDone("busy", 0, 0);
    }

    /** Another consumer would get the jobs as soon as their leases expire. */
    private static void assertNotClaimable(JobQueue<String> queue) {
        long end = System.nanoTime() + Duration.ofMillis(4500).toNanos();
        Await.until("a lease has passed", PATIENCE, () -> {
            assertThat(queue.claim(10, Duration.ofSeconds(30))).isEmpty();
            return System.nanoTime() > end;
        });
    }

    @Test
    void a_shutdown_waits_for_running_calls_and_hands_back_the_other_jobs() {
        ConfigurableApplicationContext closing = APPLICATION.run("closing.start=true");
        Received inClosing = closing.getBean(Received.class);
        APPLICATION.enqueue("closing", "1", "2", "3", "4");
        Await.until("two calls", PATIENCE, () -> inClosing.of("closing").size() >= 2);
        Thread close = new Thread(closing::close);
        close.start();
        Await.until("the listener is stopping", PATIENCE, () ->
                closing.getBean(QueueListeners.class).state("closing") == QueueListeners.State.STOPPED);
        inClosing.release().release(10);
        Await.until("end of the application", PATIENCE, () -> !close.isAlive());

        assertThat(APPLICATION.queue("closing").counts().leased()).isZero();
        assertThat(APPLICATION.queue("closing").counts().ready() + inClosing.of("closing").size()).isEqualTo(4);
        purge("closing");
    }

    @Test
    void a_shutdown_hands_back_the_jobs_of_a_call_that_does_not_end() {
        APPLICATION.enqueue("closing", "x");
        try (ConfigurableApplicationContext closing =
                APPLICATION.run("closing.start=true", "spring.lifecycle.timeout-per-shutdown-phase=1s")) {
            closing.getBean(Received.class).await("closing", "x");
        }
        assertThat(APPLICATION.queue("closing").claim(10, Duration.ofSeconds(30)))
                .singleElement()
                .satisfies(lease -> assertThat(lease.job().attempt()).isEqualTo(1))
                .satisfies(Lease::ack);
    }

    @Test
    void a_stop_hands_back_each_job_once_and_claims_no_more() {
        APPLICATION.enqueue("waiting", IntStream.range(0, 400).mapToObj(String::valueOf).toArray(String[]::new));
        Await.until("leases", PATIENCE, () -> APPLICATION.queue("waiting").counts().leased() == 400);
        APPLICATION.listeners().stop("waiting");

        List<Lease<String>> claimed = APPLICATION.queue("waiting").claim(500, Duration.ofSeconds(30));
        assertThat(claimed).hasSize(400).allMatch(lease -> lease.job().delivery() == 2);
        claimed.forEach(Lease::ack);
        assertThat(received.of("waiting")).isEmpty();
    }

    private static void purge(String queue) {
        APPLICATION.queue(queue).claim(500, Duration.ofSeconds(30)).forEach(Lease::ack);
    }

    @Test
    void another_instance_receives_the_jobs_of_a_killed_process() {
        APPLICATION.enqueue("killed-batch", "a", "b", "c");
        try (ChildJvm process = ChildJvm.of(StuckProcess.class)
                .shortLived()
                .start(APPLICATION.redis().stream().map(one -> "--" + one).toArray(String[]::new))) {
            process.awaitLine("received [a, b, c]"::equals, PATIENCE);
            process.kill();
        }
        APPLICATION.listeners().start("killed");

        awaitReceived("killed", 3);
        awaitDone("killed-batch", 0, 0);
    }
}
