package io.headgate.redis.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.limits.Limit;
import io.headgate.limits.Limiter;
import io.headgate.limits.LimiterException;
import io.headgate.queues.Codec;
import io.headgate.queues.JobQueue;
import io.headgate.redis.RedisSettings;
import io.headgate.redis.queues.RedisQueueEngine;
import io.headgate.testkit.Await;
import io.headgate.testkit.RedisProbe;
import io.headgate.testkit.RedisServer;
import io.headgate.testkit.conditions.ServerVersionSensitive;
import io.headgate.testkit.faults.FaultProxy;
import io.lettuce.core.RedisClient;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * When a Redis becomes a replica while its connections stay open, an engine reconnects to its address, which then leads to the new
 * master.
 */
@ServerVersionSensitive
class ReplicaIT {

    private static final Duration SOON = Duration.ofSeconds(60);
    private static final Limit LIMIT = Limit.slidingWindow(1_000_000, Duration.ofHours(1));

    private final RedisServer first = RedisServer.startOwn();
    private final RedisServer second = RedisServer.startOwn();
    private final FaultProxy proxy = FaultProxy.before(first.url());

    @AfterEach
    void close() {
        proxy.close();
        second.close();
        first.close();
    }

    /**
     * Makes the second Redis the master behind the address. Open connections still lead to the first, which is now a read-only
     * replica.
     */
    private void replace() {
        try (RedisProbe probe = RedisProbe.of(first.url())) {
            proxy.redirectTo(second.url());
            probe.command("REPLICAOF", "127.0.0.1", Integer.toString(second.port()));
        }
    }

    private static RedisLimitEngine limits(RedisSettings settings) {
        return Engines.builder(settings.withTimeout(Duration.ofSeconds(5))).build();
    }

    private static boolean isAllowed(Limiter limiter) {
        try {
            return limiter.tryAcquire("alice").allowed();
        } catch (LimiterException e) {
            return false;
        }
    }

    private void assertContinuesAtSecond(Limiter limiter) {
        assertThat(isAllowed(limiter)).isTrue();
        long connections = proxy.connectionsSeen();
        replace();
        Await.until("an answer of the second", SOON, () -> isAllowed(limiter));
        try (RedisProbe probe = RedisProbe.of(second.url())) {
            assertThat(probe.commandCalls()).containsKey("EVALSHA");
        }
        assertThat(proxy.connectionsSeen()).isGreaterThan(connections);
    }

    @Test
    void limits_continue_at_the_next_master() {
        try (RedisLimitEngine limits = limits(RedisSettings.of(proxy.url()))) {
            assertContinuesAtSecond(limits.limiter("logins", LIMIT));
        }
    }

    @Test
    void limits_with_the_client_of_an_application_continue_at_the_next_master() {
        RedisClient own = RedisClient.create(proxy.url());
        try (RedisLimitEngine limits = limits(RedisSettings.of(own))) {
            assertContinuesAtSecond(limits.limiter("logins", LIMIT));
        } finally {
            own.shutdown(Duration.ZERO, Duration.ofSeconds(2));
        }
    }

    @Test
    void queues_continue_at_the_next_master() {
        try (RedisQueueEngine queues =
                RedisQueueEngine.connect(RedisSettings.of(proxy.url()).withTimeout(SOON))) {
            JobQueue<String> queue = queues.queue("orders", Codec.text());
            queue.enqueue("one");
            replace();
            Await.until("a job to be enqueued", SOON, () -> EnqueueAttempt.succeeds(queue, "two"));
            try (RedisProbe probe = RedisProbe.of(second.url())) {
                assertThat(probe.command("EXISTS", "hg:q:{orders}")).isEqualTo(1L);
            }
        }
    }

    @Test
    void while_an_address_leads_to_a_replica_connections_are_renewed_at_most_once_a_second() {
        try (RedisLimitEngine limits = limits(RedisSettings.of(proxy.url()))) {
            Limiter limiter = limits.limiter("logins", LIMIT);
            assertThat(isAllowed(limiter)).isTrue();
            proxy.answerWithError("READONLY You can't write against a read only replica.", "EVALSHA", "EVAL");
            long startNanos = System.nanoTime();
            long connections = proxy.connectionsSeen();
            Await.until("a new connection", SOON, () -> !isAllowed(limiter) && proxy.connectionsSeen() > connections);
            for (int i = 0; i < 200; i++) {
                assertThatThrownBy(() -> limiter.tryAcquire("alice")).isInstanceOf(LimiterException.class);
            }
            long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - startNanos);
            assertThat(proxy.connectionsSeen() - connections).isLessThanOrEqualTo(1 + seconds);
        }
    }
}
