package io.headgate.spring.queues.internal.deadletters;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.queues.AsyncDeadLetters;
import io.headgate.queues.Codec;
import io.headgate.queues.JobId;
import io.headgate.queues.JobQueue;
import io.headgate.queues.NewJob;
import io.headgate.queues.QueueEngine;
import io.headgate.queues.QueueException;
import io.headgate.queues.QueueSettings;
import io.headgate.queues.Settled;
import io.headgate.queues.inspect.JobState;
import io.headgate.queues.worker.ClaimedJob;
import io.headgate.queues.worker.PollRequest;
import io.headgate.queues.worker.PollResult;
import io.headgate.queues.worker.Settlement;
import io.headgate.redis.RedisSettings;
import io.headgate.redis.queues.RedisQueueEngine;
import io.headgate.testkit.Await;
import io.headgate.testkit.RedisServer;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Polls of dead letters on a real Redis, of which single calls fail. */
@Timeout(60)
@ExtendWith(OutputCaptureExtension.class)
class DeadLetterSourceIT {

    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    /** How many calls with an id fail. */
    private final Map<JobId, AtomicInteger> failing = new ConcurrentHashMap<>();

    /** The method whose calls never end. */
    private volatile String stuck = "";

    private QueueEngine engine;
    private JobQueue<byte[]> orders;
    private JobQueue<byte[]> notifications;
    private DeadLetterSource source;

    @BeforeEach
    void open() {
        engine = RedisQueueEngine.connect(
                RedisSettings.of(RedisServer.shared().url()).withKeyPrefix("d" + UUID.randomUUID()));
        orders = engine.queue("orders", Codec.bytes());
        notifications =
                engine.queue(QueueSettings.of("orders.dead-letters").withMaxCrashes(100), Codec.bytes());
        source = new DeadLetterSource(
                "dead letters of orders",
                failing(orders.async().deadLetters()),
                notifications);
    }

    @AfterEach
    void close() {
        engine.close();
    }

    /** The dead letters, of which some calls fail or never end. */
    @SuppressWarnings("unchecked")
    private AsyncDeadLetters<byte[]> failing(AsyncDeadLetters<byte[]> real) {
        return (AsyncDeadLetters<byte[]>) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {AsyncDeadLetters.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals(stuck)) {
                        return new CompletableFuture<>();
                    }
                    return Arrays.stream(arguments).anyMatch(this::fails)
                            ? CompletableFuture.failedFuture(
                                    new QueueException(method.getName(), "orders", "not now", true, null))
                            : method.invoke(real, arguments);
                });
    }

    private boolean fails(Object argument) {
        AtomicInteger left = argument instanceof JobId id ? failing.get(id) : null;
        return left != null && left.getAndDecrement() > 0;
    }

    private void bury(int jobs) {
        for (int i = 0; i < jobs; i++) {
            orders.enqueue(new byte[] {(byte) i});
        }
        orders.claim(jobs, LEASE).forEach(lease -> lease.deadLetter("no use"));
    }

    private PollResult<byte[]> poll(int max, Settlement... settlements) {
        return poll(max, LEASE, settlements);
    }

    private PollResult<byte[]> poll(int max, Duration lease, Settlement... settlements) {
        return source.poll(new PollRequest(max, lease, List.of(settlements)))
                .toCompletableFuture()
                .orTimeout(20, TimeUnit.SECONDS)
                .join();
    }

    private static <T> T await(CompletionStage<T> stage) {
        return stage.toCompletableFuture().orTimeout(20, TimeUnit.SECONDS).join();
    }

    private List<ClaimedDeadLetter> claim(int count) {
        List<ClaimedJob<byte[]>> claimed = new ArrayList<>();
        Await.until(count + " claimed", PATIENCE, () -> {
            claimed.addAll(poll(count).claimed());
            return claimed.size() == count;
        });
        return claimed.stream().map(ClaimedDeadLetter.class::cast).toList();
    }

    private static JobId id(ClaimedDeadLetter dead) {
        return dead.deadLetter().job().id();
    }

    @Test
    void a_dead_letter_is_discarded_or_redriven_before_its_notification_is_acknowledged() {
        bury(2);
        List<ClaimedDeadLetter> dead = claim(2);
        await(dead.get(0).discard());
        assertThat(await(dead.get(1).redrive())).isTrue();
        assertThat(orders.counts().dead()).isZero();
        assertThat(orders.counts().ready()).isEqualTo(1);
        assertThat(notifications.counts().leased()).isEqualTo(2);
        assertThat(poll(0, dead.get(0).ackSettlement(), dead.get(1).ackSettlement()).settled())
                .containsExactly(Settled.DONE, Settled.DONE);
        assertThat(notifications.counts().leased()).isZero();
    }

    @Test
    void a_discard_or_redrive_that_fails_is_repeated_twice() {
        bury(2);
        List<ClaimedDeadLetter> dead = claim(2);
        for (ClaimedDeadLetter one : dead) {
            failing.put(id(one), new AtomicInteger(3));
        }
        assertThat(dead.get(0).discard()).failsWithin(PATIENCE).withThrowableThat().withMessageContaining("not now");
        assertThat(dead.get(1).redrive()).failsWithin(PATIENCE).withThrowableThat().withMessageContaining("not now");
        assertThat(orders.counts().dead()).isEqualTo(2);

        for (ClaimedDeadLetter one : dead) {
            failing.put(id(one), new AtomicInteger(2));
        }
        await(dead.get(0).discard());
        assertThat(await(dead.get(1).redrive())).isTrue();
        assertThat(orders.counts().dead()).isZero();
    }

    @Test
    void a_dead_letter_that_died_again_meanwhile_is_neither_discarded_nor_redriven() {
        bury(2);
        List<ClaimedDeadLetter> dead = claim(2);
        dead.forEach(one -> assertThat(orders.deadLetters().redrive(id(one))).isTrue());
        orders.claim(2, LEASE).forEach(lease -> lease.deadLetter("again"));

        await(dead.get(0).discard());
        await(dead.get(1).redrive());
        assertThat(orders.counts().dead()).isEqualTo(2);
        poll(0, dead.get(0).ackSettlement(), dead.get(1).ackSettlement());
        assertThat(claim(2)).allSatisfy(one -> assertThat(one.deadLetter().job().causes()).contains("again"));
    }

    @Test
    void a_dead_letter_that_killed_five_processes_is_kept(CapturedOutput output) {
        bury(1);
        JobId id = orders.deadLetters().list(1).items().get(0).job().id();
        for (int i = 0; i < 5; i++) {
            int crashes = i;
            Await.until("delivery after " + i + " crashes", PATIENCE, () -> poll(1, Duration.ofMillis(10))
                    .claimed().stream()
                    .anyMatch(claimed -> claimed.crashes() == crashes));
        }
        Await.until("kept", PATIENCE, () -> {
            assertThat(poll(1).claimed()).isEmpty();
            return notifications.counts().delayed() == 1;
        });
        assertThat(orders.counts().dead()).isEqualTo(1);
        assertThat(output.getAll().lines().filter(line -> line.contains("The job " + id)))
                .singleElement()
                .asString()
                .contains("of the dead letters of orders is kept: 5 processes died");

        assertThat(orders.deadLetters().redrive(id)).isTrue();
        orders.claim(1, LEASE).forEach(lease -> lease.deadLetter("again"));
        assertThat(id(claim(1).get(0))).isEqualTo(id);
    }

    @Test
    void the_stored_form_of_notifications_does_not_change() {
        String stored = "000100064420d1ac80000000000007-acme 2026-11-21T12:00:00.000001Z";
        Notification notification = new Notification(
                new JobId("000100064420d1ac80000000000007-acme"), Instant.parse("2026-11-21T12:00:00.000001Z"));
        NewJob<byte[]> job = notification.job();
        assertThat(new String(job.payload(), StandardCharsets.UTF_8)).isEqualTo(stored);
        assertThat(job.key().orElseThrow().value()).isEqualTo(stored);
        assertThat(Notification.of(stored.getBytes(StandardCharsets.UTF_8))).contains(notification);

        bury(1);
        poll(0, claim(1).get(0).keepSettlement());
        assertThat(notifications.jobs(JobState.Kind.DELAYED, 1).items().get(0).job().causes())
                .containsExactly("kept");
    }

    @Test
    void a_poll_does_not_wait_for_a_scan() {
        bury(1);
        ClaimedDeadLetter dead = claim(1).get(0);
        stuck = "ids";
        long end = System.nanoTime() + Duration.ofSeconds(2).toNanos();
        Await.until("a scan is due", PATIENCE, () -> {
            assertThat(poll(1, dead.extendSettlement(LEASE)).settled()).containsExactly(Settled.DONE);
            return System.nanoTime() > end;
        });
    }

    @Test
    void a_poll_does_not_wait_for_a_dead_letter_until_leases_expire() {
        bury(1);
        stuck = "find";
        Await.until("a notification that is handed back", PATIENCE, () -> {
            assertThat(poll(1, Duration.ofSeconds(1)).claimed()).isEmpty();
            return notifications.counts().delayed() == 1;
        });
        stuck = "";
        assertThat(claim(1)).hasSize(1);
    }
}
