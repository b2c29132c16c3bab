package io.headgate.spring.queues;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.queues.Codec;
import io.headgate.queues.DeadLetter;
import io.headgate.queues.Job;
import io.headgate.queues.JobId;
import io.headgate.queues.JobQueue;
import io.headgate.queues.Lease;
import io.headgate.queues.NewJob;
import io.headgate.queues.QueueSettings;
import io.headgate.queues.inspect.JobState;
import io.headgate.queues.streams.ConsumerGroup;
import io.headgate.queues.streams.EntryId;
import io.headgate.testkit.Await;
import io.headgate.testkit.ChildJvm;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.context.ConfigurableApplicationContext;

/** Tests of listeners of dead letters on a real Redis. */
@Timeout(300)
class DeadLetterListenersIT {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration LEASE = Duration.ofSeconds(30);

    @RegisterExtension
    static final ListenerApplication APPLICATION = new ListenerApplication(
            Listeners.class,
            "headgate.queues.declared.full.max-jobs=1",
            "headgate.queues.declared.shared.shards=3",
            "spring.lifecycle.timeout-per-shutdown-phase=1s");

    private final Received received = APPLICATION.received();

    static class Listeners {

        private final Received received;

        Listeners(Received received) {
            this.received = received;
        }

        @DeadLetterListener(queue = "returned", id = "returned")
        void returned(Mails.Mail mail, @JobHeader("tenant") String tenant, DeadLetter<String> dead, JobId id, Job<byte[]> job) {
            assertThat(dead.job().id()).isEqualTo(id).isEqualTo(job.id());
            received.add("returned", mail.to() + " " + tenant + " " + dead.job().causes() + " " + job.attempt() + " " + dead.diedAt().isAfter(Instant.EPOCH));
        }

        @DeadLetterListener(queue = "failing", backoff = "10ms", longestBackoff = "10ms")
        void failing(String text, Job<String> job) {
            received.add("failing", text + " " + job.attempt());
            if (received.of("failing").size() < 4) {
                throw new IllegalStateException("not yet");
            }
        }

        @DeadLetterListener(queue = "unreadable", backoff = "10ms", longestBackoff = "10ms")
        CompletionStage<Void> unreadable(Mails.Mail mail) {
            received.add("unreadable", mail.to());
            return CompletableFuture.completedFuture(null);
        }

        @DeadLetterListener(queue = "settled")
        void settle(String text, DeadLetterAcknowledgement acknowledgement) {
            received.add("settled", text);
            switch (text) {
                case "keep" -> acknowledgement.keep();
                case "redrive" -> acknowledgement.redrive();
                case "discard" -> acknowledgement.discard();
                default -> throw new IllegalArgumentException(text);
            }
        }

        @DeadLetterListener(queue = "full", id = "full")
        void redrive(String text, DeadLetterAcknowledgement acknowledgement) {
            received.add("full", text);
            acknowledgement.redrive();
        }

        @DeadLetterListener(stream = "paid", group = "ledger", lease = "5m")
        void unpaid(String text, @JobHeader("headgate-entry") String entry) {
            received.add("unpaid", text + " of " + entry);
        }

        @DeadLetterListener(queue = "shared")
        void shared(String text) {
            received.add("shared", text);
        }

        @DeadLetterListener(queue = "blocked", lease = "3s")
        void blocked(String text) throws InterruptedException {
            received.add("blocked", text);
            received.release().acquire();
        }

        @DeadLetterListener(queue = "killed", id = "killed", autoStartup = "${killed.start:false}")
        void killed(String text) {
            received.add("killed", text);
        }

        @DeadLetterListener(queue = "closing", id = "closing", autoStartup = "${closing.start:false}")
        void closing(String text) throws InterruptedException {
            received.add("closing", text);
            received.release().acquire();
        }
    }

    private static JobId bury(JobQueue<String> queue, NewJob<String> job) {
        JobId id = queue.enqueue(job).id();
        buryAll(queue);
        return id;
    }

    private static void buryAll(JobQueue<String> queue) {
        List<Lease<String>> leases = queue.claim(500, LEASE);
        while (!leases.isEmpty()) {
            leases.forEach(lease -> lease.deadLetter("no use"));
            leases = queue.claim(500, LEASE);
        }
    }

    private static void awaitDead(String queue, long dead) {
        Await.until(dead + " dead letters of " + queue, PATIENCE, () -> APPLICATION.queue(queue).counts().dead() == dead);
    }

    /** Waits until the queue has this number of notifications, which all wait. */
    private static void awaitNotifications(String queue, long count) {
        Await.until(count + " notifications of " + queue, PATIENCE, () -> {
            var counts = APPLICATION.queue(queue + ".dead-letters").counts();
            return counts.ready() + counts.leased() == 0 && counts.delayed() == count && counts.dead() == 0;
        });
    }

    @Test
    void a_dead_letter_is_delivered_with_its_causes_and_discarded_when_the_method_returns() {
        bury(APPLICATION.queue("returned"), NewJob.of("{\"to\":\"alice\"}").header("tenant", "acme").tenant("acme"));

        received.await("returned", "alice acme [no use] 1 true");
        awaitDead("returned", 0);
        awaitNotifications("returned", 0);
        assertThat(received.of("returned")).hasSize(1);
    }

    @Test
    void a_failure_keeps_the_dead_letter_and_is_repeated_without_a_bound() {
        bury(APPLICATION.queue("failing"), NewJob.of("x"));

        awaitDead("failing", 0);
        assertThat(received.of("failing")).containsExactly("x 1", "x 1", "x 1", "x 1");
    }

    @Test
    void a_payload_that_cannot_be_converted_keeps_the_dead_letter() {
        bury(APPLICATION.queue("unreadable"), NewJob.of("no json"));
        bury(APPLICATION.queue("unreadable"), NewJob.of("{\"to\":\"bob\"}"));

        received.await("unreadable", "bob");
        awaitDead("unreadable", 1);
        JobQueue<String> notifications = APPLICATION.queue("unreadable.dead-letters");
        Await.until("third delivery", PATIENCE, () -> notifications.jobs(JobState.Kind.DELAYED, 1).items().stream()
                .anyMatch(found -> found.job().delivery() >= 3));
    }

    @Test
    void an_acknowledgement_discards_or_redrives_the_dead_letter() {
        JobQueue<String> settled = APPLICATION.queue("settled");
        JobId redriven = bury(settled, NewJob.of("redrive"));
        bury(settled, NewJob.of("discard"));

        received.await("settled", "discard");
        awaitDead("settled", 0);
        assertThat(settled.find(redriven).orElseThrow().state().kind()).isEqualTo(JobState.Kind.READY);
        assertThat(settled.find(redriven).orElseThrow().job().attempt()).isZero();
        settled.purge(JobState.Kind.READY, 10);
        awaitNotifications("settled", 0);
    }

    @Test
    void a_dead_letter_that_cannot_be_redriven_is_delivered_again() {
        JobQueue<String> full = APPLICATION.engine().queue(QueueSettings.of("full").withMaxJobs(1), Codec.text());
        APPLICATION.listeners().pause("full");
        bury(full, NewJob.of("x"));
        full.enqueue("fills the queue");
        APPLICATION.listeners().resume("full");

        received.await("full", "x");
        awaitNotifications("full", 1);
        assertThat(full.counts().dead()).isEqualTo(1);
        full.purge(JobState.Kind.READY, 1);
        APPLICATION.queue("full.dead-letters").jobs(JobState.Kind.DELAYED, 1).items().forEach(job -> APPLICATION.queue("full.dead-letters").runNow(job.job().id()));
        awaitDead("full", 0);
    }

    @Test
    void a_kept_dead_letter_is_delivered_once_and_once_more_after_it_was_redriven() {
        JobQueue<String> kept = APPLICATION.queue("settled");
        JobId id = bury(kept, NewJob.of("keep"));

        received.await("settled", "keep");
        JobQueue<String> notifications = APPLICATION.queue("settled.dead-letters");
        Await.until("kept", PATIENCE, () -> notifications.counts().delayed() == 1);
        runNow(notifications);
        assertThat(kept.deadLetters().redrive(id)).isTrue();
        buryAll(kept);
        Await.until("second delivery", PATIENCE, () -> received.of("settled").stream().filter("keep"::equals).count() == 2);
        Await.until("kept", PATIENCE, () -> notifications.counts().delayed() >= 1 && notifications.counts().leased() == 0);

        assertThat(kept.deadLetters().discard(id)).isTrue();
        Await.until("no notifications", PATIENCE, () -> {
            runNow(notifications);
            return notifications.counts().delayed() == 0;
        });
        assertThat(received.of("settled").stream().filter("keep"::equals)).hasSize(2);
    }

    private static void runNow(JobQueue<String> notifications) {
        notifications.jobs(JobState.Kind.DELAYED, 10).items().forEach(found -> notifications.runNow(found.job().id()));
    }

    @Test
    void a_group_has_dead_letters_of_its_own() {
        ConsumerGroup<String> ledger = APPLICATION.engine().stream("paid", Codec.text()).group("ledger");
        EntryId entry = APPLICATION.engine().stream("paid", Codec.text()).produce("bill 1");
        ledger.claim(1).forEach(lease -> lease.deadLetter("no money"));

        received.await("unpaid", "bill 1 of " + entry);
        Await.until("no dead letters", PATIENCE, () -> ledger.retryCounts().dead() == 0);
        awaitNotifications("paid..ledger", 0);
    }

    @Test
    void instances_share_the_dead_letters_of_all_shards() {
        JobQueue<String> shared = APPLICATION.engine().queue(QueueSettings.of("shared").withShards(3), Codec.text());
        try (ConfigurableApplicationContext other = APPLICATION.run()) {
            List<NewJob<String>> jobs = new ArrayList<>();
            for (int i = 0; i < 300; i++) {
                jobs.add(NewJob.of("job " + i).group("g" + i % 7));
            }
            shared.enqueueAll(jobs);
            buryAll(shared);
            awaitDead("shared", 0);
            awaitNotifications("shared", 0);

            List<String> all = new ArrayList<>(received.of("shared"));
            all.addAll(other.getBean(Received.class).of("shared"));
            assertThat(all).hasSize(300).doesNotHaveDuplicates();
        }
    }

    @Test
    void a_dead_letter_that_is_handled_is_not_delivered_to_another_instance() {
        JobQueue<String> notifications = APPLICATION.queue("blocked.dead-letters");
        try (ConfigurableApplicationContext other = APPLICATION.run()) {
            Received inOther = other.getBean(Received.class);
            bury(APPLICATION.queue("blocked"), NewJob.of("x"));
            Await.until("delivery", PATIENCE, () -> received.of("blocked").size() + inOther.of("blocked").size() == 1);
            // Each instance looks for dead letters once a second.
            long end = System.nanoTime() + Duration.ofSeconds(4).toNanos();
            Await.until("several scans and a lease have passed", PATIENCE, () -> {
                assertThat(notifications.counts().leased() + notifications.counts().ready()).isEqualTo(1);
                return System.nanoTime() > end;
            });
            received.release().release();
            inOther.release().release();
            awaitDead("blocked", 0);
            assertThat(received.of("blocked").size() + inOther.of("blocked").size()).isEqualTo(1);
        } finally {
            received.release().drainPermits();
        }
    }

    @Test
    void another_instance_receives_the_dead_letter_of_a_killed_process() {
        bury(APPLICATION.queue("killed"), NewJob.of("x"));
        try (ChildJvm process = ChildJvm.of(StuckProcess.class)
                .shortLived()
                .start(APPLICATION.redis().stream().map(one -> "--" + one).toArray(String[]::new))) {
            process.awaitLine("received x"::equals, PATIENCE);
            process.kill();
        }
        assertThat(APPLICATION.queue("killed").counts().dead()).isEqualTo(1);
        APPLICATION.listeners().start("killed");

        received.await("killed", "x");
        awaitDead("killed", 0);
        awaitNotifications("killed", 0);
    }

    @Test
    void another_instance_receives_the_dead_letter_of_a_closed_application() {
        bury(APPLICATION.queue("closing"), NewJob.of("x"));
        try (ConfigurableApplicationContext closed = APPLICATION.run("closing.start=true")) {
            closed.getBean(Received.class).await("closing", "x");
        }
        assertThat(APPLICATION.queue("closing").counts().dead()).isEqualTo(1);
        received.release().release();
        APPLICATION.listeners().start("closing");

        received.await("closing", "x");
        awaitDead("closing", 0);
    }

    @Test
    void a_notification_without_its_dead_letter_is_acknowledged() {
        // A process that dies after it has discarded the dead letter leaves this.
        JobQueue<String> notifications = APPLICATION.queue("returned.dead-letters");
        JobId gone = APPLICATION.queue("returned").enqueue("gone").id();
        assertThat(APPLICATION.queue("returned").cancel(gone)).isTrue();
        notifications.enqueue(gone + " " + Instant.now());
        notifications.enqueue("something else");

        Await.until("end of notifications", PATIENCE, () -> notifications.counts().ready() + notifications.counts().leased() == 0);
        assertThat(notifications.deadLetters().list(10).items())
                .singleElement()
                .satisfies(dead -> assertThat(dead.job().causes()).containsExactly("is no notification of a dead letter"));
        notifications.deadLetters().discardOldest(1);
        assertThat(received.of("returned")).noneMatch(text -> text.contains("gone"));
    }
}
