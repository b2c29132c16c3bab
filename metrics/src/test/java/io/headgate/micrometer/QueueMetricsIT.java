package io.headgate.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.queues.Codec;
import io.headgate.queues.JobQueue;
import io.headgate.queues.Lease;
import io.headgate.queues.NewJob;
import io.headgate.queues.streams.ConsumerGroup;
import io.headgate.queues.streams.EventStream;
import io.headgate.redis.RedisSettings;
import io.headgate.redis.queues.RedisQueueEngine;
import io.headgate.testkit.Await;
import io.headgate.testkit.RedisServer;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
class QueueMetricsIT {

    private static final Duration LONG = Duration.ofMinutes(1);

    private final RedisServer redis = RedisServer.startOwn();
    private final RedisQueueEngine engine =
            RedisQueueEngine.connect(RedisSettings.of(redis.url()).withTimeout(LONG.dividedBy(2)));
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final QueueMetrics metrics = new QueueMetrics(engine);

    @BeforeEach
    void bind() {
        metrics.bindTo(meters);
    }

    @AfterEach
    void close() {
        metrics.close();
        engine.close();
        redis.close();
    }

    @Test
    void each_step_of_jobs_is_counted_by_queue_but_not_by_id() {
        JobQueue<String> mails = engine.queue("mails", Codec.text());
        mails.enqueueAll(List.of(NewJob.of("a"), NewJob.of("b"), NewJob.of("c"), NewJob.of("d")));
        mails.enqueue(NewJob.of("e").once("key-of-e"));
        mails.enqueue(NewJob.of("e").once("key-of-e"));
        List<Lease<String>> leases = mails.claim(5, LONG);
        leases.get(0).ack();
        leases.get(1).retry(LONG, "no");
        leases.get(2).handBack(LONG);
        leases.get(3).deadLetter("never");
        mails.ackAll(List.of(leases.get(1)));

        assertThat(count("headgate.jobs.enqueued", "mails", "result", "added")).isEqualTo(5);
        assertThat(count("headgate.jobs.enqueued", "mails", "result", "duplicate"))
                .isEqualTo(1);
        assertThat(count("headgate.jobs.claimed", "mails")).isEqualTo(5);
        assertThat(count("headgate.jobs.crashed", "mails")).isZero();
        assertThat(count("headgate.leases.lost", "mails")).isEqualTo(1);
        for (String outcome : List.of("done", "retried", "handed_back", "dead_lettered")) {
            assertThat(count("headgate.jobs.settled", "mails", "outcome", outcome))
                    .as(outcome)
                    .isEqualTo(1);
        }
        mails.deadLetters().redriveOldest(10, Duration.ZERO);
        assertThat(count("headgate.jobs.redriven", "mails")).isEqualTo(1);
        assertThat(meters.getMeters())
                .noneMatch(meter -> meter.getId().toString().contains("key-of-e"));
    }

    @Test
    void a_claim_records_how_late_its_latest_job_is() {
        JobQueue<String> mails = engine.queue("mails", Codec.text());
        mails.enqueue("a");
        assertThat(mails.claim(1, LONG)).hasSize(1);
        assertThat(mails.claim(1, LONG)).isEmpty();

        Timer lateness =
                meters.get("headgate.jobs.lateness").tag("queue", "mails").timer();
        assertThat(lateness.count()).isEqualTo(1);
        assertThat(lateness.max(TimeUnit.SECONDS)).isBetween(0.0, 60.0);
    }

    @Test
    void entries_are_counted_by_stream_and_group() {
        EventStream<String> orders = engine.stream("orders", Codec.text());
        ConsumerGroup<String> billing = orders.group("billing");
        orders.declareGroup("billing");
        orders.produce("a");
        billing.claim(1).forEach(Lease::ack);

        assertThat(count("headgate.jobs.enqueued", "orders", "result", "added", "kind", "stream"))
                .isEqualTo(1);
        assertThat(count("headgate.jobs.settled", "orders/billing", "outcome", "done", "kind", "group"))
                .isEqualTo(1);
        assertThat(meters.find("headgate.jobs.lateness").tag("kind", "stream").timer())
                .isNull();
    }

    @Test
    void an_outage_of_redis_is_a_state_and_counted_in_seconds() {
        assertThat(degraded()).isZero();
        redis.kill();
        Await.until("the loss of the connection", LONG, () -> degraded() == 1);
        Await.until("some time without Redis", LONG, () -> degradedSeconds() > 0);
        redis.restart();
        Await.until("the connection", LONG, () -> degraded() == 0);

        double seconds = degradedSeconds();
        redis.kill();
        Await.until("another loss of the connection", LONG, () -> degraded() == 1);
        metrics.close();
        assertThat(degraded()).isZero();
        double atClose = degradedSeconds();
        assertThat(atClose).isGreaterThan(seconds);
        assertThat(degradedSeconds()).isEqualTo(atClose);
    }

    private double degraded() {
        return meters.get("headgate.engine.degraded")
                .tag("engine", "queues")
                .gauge()
                .value();
    }

    private double degradedSeconds() {
        return meters.get("headgate.engine.degraded.time")
                .tag("engine", "queues")
                .functionCounter()
                .count();
    }

    private double count(String meter, String queue, String... tags) {
        return meters.get(meter)
                .tags(Tags.of("queue", queue).and(tags))
                .counter()
                .count();
    }
}
