package io.headgate.redis.queues.internal.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.queues.Codec;
import io.headgate.queues.Lease;
import io.headgate.queues.QueueEngine;
import io.headgate.queues.QueueException;
import io.headgate.queues.Settled;
import io.headgate.queues.streams.ConsumerGroup;
import io.headgate.queues.streams.EventStream;
import io.headgate.queues.streams.GroupSettings;
import io.headgate.redis.RedisSettings;
import io.headgate.redis.queues.RedisQueueEngine;
import io.headgate.testkit.Await;
import io.headgate.testkit.RedisServer;
import io.headgate.testkit.faults.FaultProxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A stream and its consumers when Redis is killed and when connections break. */
@Timeout(120)
class StreamSurvivesIT {

    private static final Duration LONG = Duration.ofSeconds(30);

    private static QueueEngine engine(String url) {
        return RedisQueueEngine.connect(RedisSettings.of(url).withTimeout(Duration.ofSeconds(5)));
    }

    /** Repeats a call until Redis replies, and returns the result. */
    private static <R> R untilReply(Supplier<R> call) {
        AtomicReference<R> result = new AtomicReference<>();
        Await.until("Redis to reply again", LONG, () -> {
            try {
                result.set(call.get());
                return true;
            } catch (QueueException e) {
                return false;
            }
        });
        return Objects.requireNonNull(result.get());
    }

    @Test
    void no_entry_is_lost_when_redis_is_killed_and_restarts_from_its_append_only_file() {
        try (RedisServer redis = RedisServer.startOwn("--appendonly", "yes", "--appendfsync", "always");
                QueueEngine queues = engine(redis.url())) {
            EventStream<String> stream = queues.stream("orders", Codec.text());
            ConsumerGroup<String> billing = stream.group("billing");
            for (String payload : List.of("acked", "pending", "retried", "new")) {
                stream.produce(payload);
            }
            List<Lease<String>> leases = billing.claim(3);
            assertThat(leases.get(0).ack()).isEqualTo(Settled.DONE);
            assertThat(leases.get(2).retry(Duration.ZERO, "no")).isEqualTo(Settled.DONE);
            redis.kill();
            redis.restart();
            assertThat(untilReply(leases.get(1)::ack)).isEqualTo(Settled.DONE);
            assertThat(leases.get(0).ack()).isEqualTo(Settled.LEASE_LOST);
            assertThat(OwnStreams.payloads(billing.claim(9))).containsExactly("retried", "new");
        }
    }

    @Test
    void produce_and_claim_continue_after_redis_restarts_empty() {
        try (RedisServer redis = RedisServer.startOwn();
                QueueEngine queues = engine(redis.url())) {
            EventStream<String> stream = queues.stream("orders", Codec.text());
            ConsumerGroup<String> billing = stream.group("billing");
            stream.produce("a");
            Lease<String> lost = billing.claim(1).get(0);
            redis.kill();
            redis.restart();
            untilReply(() -> stream.produce("b"));
            assertThat(lost.ack()).isEqualTo(Settled.LEASE_LOST);
            assertThat(OwnStreams.payloads(billing.claim(9))).contains("b").doesNotContain("a");
        }
    }

    @Test
    void a_call_whose_reply_is_lost_reports_that_it_may_have_taken_effect() {
        try (RedisServer redis = RedisServer.startOwn();
                FaultProxy proxy = FaultProxy.before(redis.url());
                QueueEngine direct = engine(redis.url());
                QueueEngine queues = engine(proxy.url())) {
            EventStream<String> stream = queues.stream("orders", Codec.text());
            stream.produce("a");
            // Waits until the name of the stream is registered, so that the reply that is cut is that of the next call.
            stream.state();
            proxy.cutNextReplyTo("EVALSHA");
            assertThatThrownBy(() -> stream.produce("b"))
                    .isInstanceOfSatisfying(
                            QueueException.class, e -> assertThat(e.mayBeDone()).isTrue())
                    .hasMessageContaining("it may have been produced");
            assertThat(direct.stream("orders", Codec.text()).state().length()).isEqualTo(2);
        }
    }

    /**
     * Defect in sidekiq (#1831): without super fetch, a job is lost if the worker crashes after the pop. Headgate records the claim in
     * Redis before the reply.
     */
    @Test
    void a_claim_whose_reply_is_lost_is_handed_out_again_when_its_lease_expires() {
        GroupSettings quick = GroupSettings.of("billing").withMinIdle(Duration.ofMillis(100));
        try (RedisServer redis = RedisServer.startOwn();
                FaultProxy proxy = FaultProxy.before(redis.url());
                QueueEngine queues = engine(proxy.url())) {
            EventStream<String> stream = queues.stream("orders", Codec.text());
            ConsumerGroup<String> billing = stream.group(quick);
            stream.produce("a");
            // Waits until the name of the stream is registered, so that the reply that is cut is that of the next call.
            stream.state();
            proxy.cutNextReplyTo("EVALSHA");
            assertThatThrownBy(() -> billing.claim(1))
                    .isInstanceOf(QueueException.class)
                    .hasMessageContaining("jobs may have been claimed; they become due again when their lease expires");
            List<Lease<String>> leases = new ArrayList<>();
            Await.until("the lease to expire", LONG, () -> {
                leases.addAll(untilReply(() -> billing.claim(1)));
                return !leases.isEmpty();
            });
            assertThat(leases.get(0).job().delivery()).isEqualTo(2);
        }
    }
}
