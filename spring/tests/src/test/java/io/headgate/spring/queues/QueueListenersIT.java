package io.headgate.spring.queues;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.queues.Codec;
import io.headgate.queues.DeadLetter;
import io.headgate.queues.JobQueue;
import io.headgate.queues.NewJob;
import io.headgate.queues.QueueEngine;
import io.headgate.queues.QueueException;
import io.headgate.queues.QueueHealth;
import io.headgate.queues.inspect.JobState;
import io.headgate.queues.inspect.QueueCounts;
import io.headgate.queues.streams.ConsumerGroup;
import io.headgate.queues.streams.EventStream;
import io.headgate.redis.RedisSettings;
import io.headgate.redis.queues.RedisQueueEngine;
import io.headgate.spring.HeadgateAutoConfiguration;
import io.headgate.spring.queues.Mails.Mail;
import io.headgate.spring.queues.internal.QueuesAutoConfiguration;
import io.headgate.testkit.Await;
import io.headgate.testkit.RedisServer;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.support.TransactionTemplate;

/** Tests of listeners in an application on a real Redis. */
@Timeout(300)
class QueueListenersIT {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private static ConfigurableApplicationContext application;
    private static Received received;
    private static QueueTemplate template;

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @EnableTransactionManagement
    @Import({Mails.class, GuideOrders.OrderListeners.class, GuideOrders.OrderService.class})
    static class Application {

        @Bean
        PlatformTransactionManager transactions() {
            return new Transactions();
        }

        @Bean
        ObservationHandler<Observation.Context> traces(Received received) {
            return new TraceHandler(received);
        }

        @Bean
        Received received() {
            return new Received();
        }

        @Bean
        Server server(Received received, ObjectProvider<QueueListeners> listeners) {
            return new Server(received, listeners);
        }
    }

    /** Starts and stops in the phase in which Spring Boot ends the requests of a web server. */
    static final class Server implements SmartLifecycle {

        private final Received received;
        private final ObjectProvider<QueueListeners> listeners;
        private volatile boolean running;

        Server(Received received, ObjectProvider<QueueListeners> listeners) {
            this.received = received;
            this.listeners = listeners;
        }

        @Override
        public void start() {
            running = true;
            received.add("server", "started while the listener is "
                    + listeners.getObject().state("slow"));
        }

        @Override
        public void stop() {
            running = false;
            received.add("server", "stopped after " + received.of("slow"));
        }

        @Override
        public boolean isRunning() {
            return running;
        }

        @Override
        public int getPhase() {
            return DEFAULT_PHASE - 1024;
        }
    }

    static ConfigurableApplicationContext run(String... properties) {
        return new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .properties(
                        "headgate.redis.url=" + RedisServer.shared().url(),
                        "headgate.redis.timeout=30s",
                        "headgate.redis.key-prefix=q" + UUID.randomUUID())
                .properties(properties)
                .run();
    }

    @BeforeAll
    static void start() {
        application = run();
        received = application.getBean(Received.class);
        template = application.getBean(QueueTemplate.class);
    }

    @AfterAll
    static void stop() {
        application.close();
    }

    private static JobQueue<String> queue(String name) {
        return application.getBean(QueueEngine.class).queue(name, Codec.text());
    }

    private static DeadLetter<String> awaitDeadLetter(String queue, String payload) {
        Await.until("dead letter " + payload, PATIENCE, () -> deadLetters(queue, payload).size() == 1);
        return deadLetters(queue, payload).get(0);
    }

    private static List<DeadLetter<String>> deadLetters(String queue, String payload) {
        return queue(queue).deadLetters().list(100).items().stream()
                .filter(dead -> dead.job().payload().equals(payload))
                .toList();
    }

    private static void awaitCounts(String queue, long leased, long ready) {
        Await.until("jobs of " + queue, PATIENCE, () -> {
            QueueCounts counts = queue(queue).counts();
            return counts.leased() == leased && counts.ready() == ready;
        });
    }

    @Test
    void a_listener_receives_the_payload_from_json_and_headers() {
        template.enqueue(
                "mails",
                NewJob.of(new Mail("alice@example.com", "hello"))
                        .header("tenant", "acme")
                        .header("copies", "3"));
        template.enqueue("mails", new Mail("bob@example.com", "hello"));

        received.await("mails", "alice@example.com acme 3");
        received.await("mails", "bob@example.com null 1");
        awaitCounts("mails", 0, 0);
    }

    @Test
    void an_invalid_payload_is_a_dead_letter_at_once() {
        template.enqueue("mails", "{\"to\":\" \",\"text\":\"x\"}");
        template.enqueue("mails", "no json");
        template.enqueue("mails", NewJob.of("{\"to\":\"a\"}").header("copies", "many"));

        assertThat(awaitDeadLetter("mails", "{\"to\":\" \",\"text\":\"x\"}").job().causes().get(0))
                .contains("the payload is invalid: to: must not be blank");
        assertThat(awaitDeadLetter("mails", "no json").job().causes().get(0)).contains("the payload cannot be converted to ");
        DeadLetter<String> header = awaitDeadLetter("mails", "{\"to\":\"a\"}");
        assertThat(header.job().causes().get(0)).contains("the header copies is no Integer");
        assertThat(header.job().attempt()).isEqualTo(1);
    }

    @Test
    void an_exception_decides_between_a_retry_a_dead_letter_and_parking() {
        template.enqueue("texts", "retry");
        template.enqueue("texts", "dead");
        template.enqueue("texts", "park");

        assertThat(awaitDeadLetter("texts", "retry").job().causes()).hasSize(2);
        assertThat(awaitDeadLetter("texts", "dead").job().causes())
                .singleElement()
                .asString()
                .contains("NumberFormatException: no number");
        assertThat(received.of("texts")).contains("retry 1 5", "retry 2 5", "dead 1 4").doesNotContain("dead 2 4");
        Await.until("third delivery of parked job", PATIENCE, () -> received.of("texts").stream()
                        .filter("park 1 4"::equals)
                        .count()
                >= 3);
        assertThat(received.of("texts")).doesNotContain("park 2 4");
        queue("texts").purge(JobState.Kind.DELAYED, 100);
    }

    @Test
    void an_acknowledgement_settles_the_job() {
        template.enqueue("manual", "ack");
        template.enqueue("manual", "retry");
        template.enqueue("manual", "back");
        template.enqueue("manual", "dead");
        template.enqueue("manual", "nothing");

        assertThat(awaitDeadLetter("manual", "retry").job().causes()).containsExactly("again", "again");
        assertThat(awaitDeadLetter("manual", "dead").job().causes()).containsExactly("no use");
        assertThat(awaitDeadLetter("manual", "nothing").job().causes().get(1))
                .contains("the listener returned without settling the job");
        received.await("manual", "back 1 2");
        Await.until("job is delayed", PATIENCE, () -> queue("manual").counts().delayed() == 1);
        assertThat(received.of("manual")).contains("ack 1 1", "retry 1 1", "retry 2 2", "back 1 1").doesNotContain("ack 2 2");
    }

    @Test
    void an_acknowledgement_settles_an_entry_also_with_a_delay() {
        template.produce("manual-entries", "ack");
        template.produce("manual-entries", "dead");

        EventStream<String> stream = application.getBean(QueueEngine.class).stream("manual-entries", Codec.text());
        ConsumerGroup<String> group = stream.group("manual");
        Await.until(
                "dead letter",
                PATIENCE,
                () -> group.deadLetters().list(10).items().size() == 1);
        assertThat(group.deadLetters().list(10).items().get(0).job().causes()).containsExactly("again", "no use");
        Await.until(
                "no entry is pending",
                PATIENCE,
                () -> stream.state().groups().get(0).pending() == 0);
        assertThat(received.of("manual-entries"))
                .containsExactlyInAnyOrder("ack 1", "ack 2", "dead 1", "dead 2");
    }

    @Test
    void a_listener_may_return_a_stage_or_a_publisher() {
        for (String queue : List.of("stages", "publishers")) {
            template.enqueue(queue, "1");
            template.enqueue(queue, "x");

            received.await(queue, "1");
            assertThat(awaitDeadLetter(queue, "x").job().causes().get(0)).contains("NumberFormatException");
            awaitCounts(queue, 0, 0);
        }
    }

    @Test
    void each_group_of_a_stream_receives_each_entry() {
        template.produce("orders", new Mail("carol", "x"));

        received.await("billing", "carol");
        received.await("shipping", "carol");
    }

    @Test
    void a_job_is_leased_until_its_listener_returns_also_after_its_lease_time() {
        template.enqueue("renewed", "long");
        received.await("renewed", "long");
        Instant first = leases("renewed").get(0);
        Await.until("the end of a renewed lease", PATIENCE, () -> {
            // Without renewals, the job would be claimed again under a second lease.
            assertThat(received.of("renewed")).containsExactly("long");
            return leases("renewed").get(0).isAfter(first.plusSeconds(4));
        });
        received.release().release();
        received.await("renewed", "long done");
        awaitCounts("renewed", 0, 0);
        assertThat(received.of("renewed")).containsExactly("long", "long done");
    }

    /** Returns when the leases of a queue expire. */
    private static List<Instant> leases(String queue) {
        return queue(queue).jobs(JobState.Kind.LEASED, 10).items().stream()
                .map(found -> ((JobState.Leased) found.state()).expiresAt())
                .toList();
    }

    @Test
    void a_listener_is_paused_and_stopped_by_its_id() {
        QueueListeners listeners = application.getBean(QueueListeners.class);
        assertThat(listeners.ids()).contains("mails", "slow", "billing");
        listeners.pause("billing");
        assertThat(listeners.state("billing")).isEqualTo(QueueListeners.State.PAUSED);
        template.produce("orders", new Mail("dave", "x"));
        received.await("shipping", "dave");
        assertThat(received.of("billing")).doesNotContain("dave");

        listeners.stop("billing");
        assertThat(listeners.state("billing")).isEqualTo(QueueListeners.State.STOPPED);
        listeners.start("billing");
        received.await("billing", "dave");
        listeners.pause("billing");
        template.produce("orders", new Mail("erin", "x"));
        listeners.resume("billing");
        received.await("billing", "erin");

        assertThatThrownBy(() -> listeners.start("unknown"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("there is no listener unknown; there are [");
    }

    @Test
    void the_code_of_the_guide_enqueues_after_the_commit_and_handles_the_jobs() {
        GuideOrders.OrderService service = application.getBean(GuideOrders.OrderService.class);
        assertThatThrownBy(() -> service.place(new GuideOrders.Order("frank", 0)))
                .isInstanceOf(IllegalArgumentException.class);
        service.place(new GuideOrders.Order("grace", 1));
        service.place(new GuideOrders.Order("stranger", 1));
        template.enqueue("deliveries", new GuideOrders.Order("grace", 1));

        received.await("confirmations", "grace de");
        received.await("placed", "grace");
        received.await("placed", "stranger");
        Await.until("one dead letter", PATIENCE, () -> queue("confirmations").counts().dead() == 1);
        Await.until("one delivery waits", PATIENCE, () -> queue("deliveries").counts().delayed() == 1);
        received.await("alerts", "1 30");
        template.enqueue("measurements", new GuideOrders.Measurement("north", 21.5));
        template.enqueue("invoices", new GuideOrders.Order("heidi", 0));
        template.enqueue("invoices", new GuideOrders.Order("ivan", 1));
        received.await("measurements", "north");
        received.await("invoices", "ivan");
        Await.until("one invoice waits", PATIENCE, () -> queue("invoices").counts().delayed() == 1);
        assertThat(received.of("confirmations")).containsExactly("grace de");
        assertThat(received.of("placed")).doesNotContain("frank");
    }

    @Test
    void jobs_are_enqueued_after_the_commit_in_their_order_and_not_after_a_rollback() {
        TransactionTemplate transaction = new TransactionTemplate(application.getBean(PlatformTransactionManager.class));
        QueueTemplate.AfterCommit afterCommit = template.afterCommit();
        JobQueue<String> queue = queue("committed");
        transaction.executeWithoutResult(status -> {
            afterCommit.enqueue("committed", "rolled back");
            status.setRollbackOnly();
        });
        transaction.executeWithoutResult(status -> {
            afterCommit.enqueue("committed", "1");
            afterCommit.enqueue("committed", "2");
            assertThat(queue.counts().ready()).isZero();
        });
        afterCommit.enqueue("committed", "without transaction");
        template.enqueueAll("committed", List.of(NewJob.of("3"), NewJob.of("4")));

        assertThat(queue.claim(10, Duration.ofSeconds(30)))
                .extracting(lease -> lease.job().payload())
                .containsExactly("1", "2", "without transaction", "3", "4");
    }

    @Test
    void what_cannot_be_sent_after_the_commit_reaches_the_committing_code_and_does_not_stop_the_rest() {
        TransactionTemplate transaction = new TransactionTemplate(application.getBean(PlatformTransactionManager.class));
        assertThatThrownBy(() -> transaction.executeWithoutResult(status -> {
                    template.afterCommit().enqueue("too-large", new byte[100_000]);
                    template.afterCommit().enqueue("not-too-large", "x");
                }))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(queue("not-too-large").counts().ready()).isEqualTo(1);
    }

    @Test
    void the_context_of_a_trace_is_in_the_headers_of_jobs_and_entries() {
        TraceHandler.TRACE.set("00-trace");
        try {
            template.enqueue("texts", "traced");
            template.enqueue("stages", "y");
            template.produce("orders", new Mail("traced", "x"));
            template.enqueueAsync("stages", NewJob.of("7")).toCompletableFuture().join();
        } finally {
            TraceHandler.TRACE.remove();
        }
        received.await("observations", "headgate.jobs.send texts");
        received.await("observations", "headgate.jobs.process texts 00-trace");
        received.await("observations", "headgate.jobs.process stages 00-trace failed");
        received.await("observations", "headgate.jobs.process orders 00-trace");
        received.await("observations", "headgate.jobs.process stages 00-trace");
    }

    @Test
    void an_application_starts_while_redis_is_down_and_handles_jobs_when_it_is_back() {
        try (RedisServer redis = RedisServer.startOwn()) {
            redis.kill();
            try (ConfigurableApplicationContext context = run("headgate.redis.url=" + redis.url())) {
                assertThat(context.getBean(QueueListeners.class).state("texts")).isEqualTo(QueueListeners.State.RUNNING);
                assertThatThrownBy(() -> context.getBean(QueueTemplate.class).enqueue("texts", "down"))
                        .isInstanceOf(QueueException.class);
                redis.restart();
                QueueEngine engine = context.getBean(QueueEngine.class);
                Await.until("connection", PATIENCE, () -> engine.health() == QueueHealth.HEALTHY);
                context.getBean(QueueTemplate.class).enqueue("texts", "up");
                context.getBean(Received.class).await("texts", "up 1 2");
            }
        }
    }

    @Test
    void the_engine_of_the_application_is_used() {
        try (QueueEngine own = RedisQueueEngine.connect(RedisServer.shared().url())) {
            new ApplicationContextRunner()
                    .withConfiguration(AutoConfigurations.of(HeadgateAutoConfiguration.class, QueuesAutoConfiguration.class))
                    .withBean(QueueEngine.class, () -> own, definition -> definition.setDestroyMethodName(""))
                    .run(context -> {
                        String queue = "own" + UUID.randomUUID();
                        context.getBean(QueueTemplate.class).enqueue(queue, "x");
                        assertThat(own.queue(queue, Codec.text()).purge(JobState.Kind.READY, 10)).isEqualTo(1);
                    });
        }
    }

    @Test
    void a_shutdown_waits_for_the_job_that_is_handled_and_then_hands_back_the_rest() {
        String prefix = "drain" + UUID.randomUUID();
        try (QueueEngine engine =
                RedisQueueEngine.connect(RedisSettings.of(
                                RedisServer.shared().url())
                        .withKeyPrefix(prefix)
                        .withTimeout(Duration.ofSeconds(30)))) {
            JobQueue<String> slow = engine.queue("slow", Codec.text());
            ConfigurableApplicationContext closing = run("headgate.redis.key-prefix=" + prefix);
            Received inClosing = closing.getBean(Received.class);
            closing.getBean(QueueTemplate.class).enqueue("slow", "first");
            inClosing.await("slow", "first");
            Thread close = new Thread(closing::close);
            close.start();
            Await.until("the listener is stopping", PATIENCE, () ->
                    closing.getBean(QueueListeners.class).state("slow") == QueueListeners.State.STOPPED);
            slow.enqueue("second");
            assertThat(slow.counts().leased()).isEqualTo(1);
            inClosing.release().release();
            Await.until("end of the application", PATIENCE, () -> !close.isAlive());
            assertThat(inClosing.of("slow")).containsExactly("first", "first done");
            assertThat(inClosing.of("server"))
                    .containsExactly("started while the listener is STOPPED", "stopped after [first, first done]");
            assertThat(slow.claim(10, Duration.ofSeconds(30)))
                    .extracting(lease -> lease.job().payload())
                    .containsExactly("second");
        }
    }
}
