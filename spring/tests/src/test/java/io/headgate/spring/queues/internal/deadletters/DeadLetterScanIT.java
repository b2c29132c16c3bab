package io.headgate.spring.queues.internal.deadletters;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.queues.AsyncDeadLetters;
import io.headgate.queues.Codec;
import io.headgate.queues.JobQueue;
import io.headgate.queues.NewJob;
import io.headgate.queues.QueueEngine;
import io.headgate.queues.QueueSettings;
import io.headgate.redis.RedisSettings;
import io.headgate.redis.queues.RedisQueueEngine;
import io.headgate.testkit.RedisProbe;
import io.headgate.testkit.RedisServer;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Scans of dead letters on a real Redis, with a clock that the test advances. */
@Timeout(60)
class DeadLetterScanIT {

    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final long SECOND = 1_000_000;

    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 1);
    private final AtomicInteger found = new AtomicInteger();
    private volatile int longestPage = 500;
    private volatile boolean fails;
    private final Set<String> called = new HashSet<>();

    private final String prefix = "d" + UUID.randomUUID();
    private final RedisProbe probe = RedisProbe.of(RedisServer.shared().url());

    private QueueEngine engine;
    private JobQueue<byte[]> orders;
    private JobQueue<byte[]> notifications;
    private DeadLetterScan scan;

    @BeforeEach
    void open() {
        engine = RedisQueueEngine.connect(
                RedisSettings.of(RedisServer.shared().url()).withKeyPrefix(prefix));
        orders = engine.queue("orders", Codec.bytes());
        notifications = engine.queue(QueueSettings.of("orders.dead-letters").withShards(3), Codec.bytes());
        scan = new DeadLetterScan(
                "dead letters of orders",
                inPages(orders.async().deadLetters()),
                notifications.async(),
                found::incrementAndGet,
                nanos::get);
    }

    @AfterEach
    void close() {
        engine.close();
        probe.close();
    }

    /** The dead letters, in pages that are as short as those of large dead letters. */
    @SuppressWarnings("unchecked")
    private AsyncDeadLetters<byte[]> inPages(AsyncDeadLetters<byte[]> real) {
        return (AsyncDeadLetters<byte[]>) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {AsyncDeadLetters.class}, (proxy, method, arguments) -> {
                    called.add(method.getName());
                    if (fails) {
                        return CompletableFuture.failedFuture(new IllegalStateException("not now"));
                    }
                    arguments[1] = Math.min(longestPage, (Integer) arguments[1]);
                    return method.invoke(real, arguments);
                });
    }

    private void bury(int jobs) {
        List<NewJob<byte[]>> all = new ArrayList<>();
        for (int i = 0; i < jobs; i++) {
            all.add(NewJob.of(new byte[1]));
        }
        orders.enqueueAll(all);
        orders.claim(jobs, LEASE).forEach(lease -> lease.deadLetter("no use"));
        assertThat(orders.counts().dead()).isEqualTo(jobs);
    }

    private void scan() {
        scan.startIfDue().toCompletableFuture().orTimeout(20, TimeUnit.SECONDS).join();
    }

    private void advance(long micros) {
        nanos.addAndGet(micros * 1000);
    }

    @Test
    void short_pages_are_read_without_a_pause() {
        bury(10);
        longestPage = 3;
        scan();
        assertThat(notifications.counts().ready()).isEqualTo(10);
        assertThat(scan.nextInMicros()).isEqualTo(SECOND);
        assertThat(found).hasValue(1);
    }

    @Test
    void a_scan_reads_no_payloads() {
        bury(10);
        scan();
        assertThat(notifications.counts().ready()).isEqualTo(10);
        assertThat(called).containsExactly("ids");
    }

    @Test
    void a_shard_of_notifications_that_fails_is_reported_and_the_others_receive_theirs() {
        bury(450);
        int failing = 1;
        String header = prefix + ":q:{orders.dead-letters:" + failing + "}";
        probe.command("SET", header, "of another program");
        for (int i = 0; i < 3; i++) {
            scan();
            assertThat(scan.takeFailure().orElseThrow()).hasMessageContaining(header);
            advance(SECOND / 10);
        }
        probe.command("DEL", header);
        long others = notifications.counts().ready();
        assertThat(others).isBetween(250L, 350L);
        advance(3 * SECOND);
        for (int i = 0; i < 3; i++) {
            scan();
            advance(SECOND / 10);
        }
        assertThat(scan.takeFailure()).isEmpty();
        assertThat(notifications.counts().ready()).isEqualTo(450);
    }

    @Test
    void a_cycle_without_new_dead_letters_is_followed_by_a_longer_wait() {
        bury(450);
        for (int cycle = 0; cycle < 2; cycle++) {
            for (int i = 0; i < 2; i++) {
                scan();
                assertThat(scan.nextInMicros()).isEqualTo(SECOND / 10);
                advance(SECOND / 10);
            }
            scan();
            assertThat(notifications.counts().ready()).isEqualTo(450);
            assertThat(scan.nextInMicros()).isEqualTo(cycle == 0 ? SECOND : 3 * SECOND);
            advance(3 * SECOND);
        }
        assertThat(found).hasValue(3);
    }

    @Test
    void any_failure_is_reported_once_and_the_scan_starts_again() {
        bury(1);
        fails = true;
        scan();
        assertThat(scan.takeFailure().orElseThrow())
                .hasMessageContaining("dead letters of orders")
                .hasMessageContaining("not now");
        assertThat(scan.takeFailure()).isEmpty();
        fails = false;
        scan();
        assertThat(notifications.counts().ready()).isZero();
        advance(SECOND);
        scan();
        assertThat(notifications.counts().ready()).isEqualTo(1);
    }
}
