package io.headgate.redis.queues.internal.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.queues.AsyncLease;
import io.headgate.queues.Codec;
import io.headgate.queues.Lease;
import io.headgate.queues.QueueEngine;
import io.headgate.queues.QueueException;
import io.headgate.queues.Settled;
import io.headgate.queues.inspect.QueueCounts;
import io.headgate.queues.streams.ConsumerGroup;
import io.headgate.queues.streams.EventStream;
import io.headgate.queues.streams.GroupSettings;
import io.headgate.queues.streams.NewEntry;
import io.headgate.queues.streams.StreamSettings;
import io.headgate.queues.worker.RetryPolicy;
import io.headgate.queues.worker.Worker;
import io.headgate.queues.worker.WorkerListener;
import io.headgate.redis.RedisSettings;
import io.headgate.redis.limits.Engines;
import io.headgate.redis.queues.RedisQueueEngine;
import io.headgate.testkit.Await;
import io.headgate.testkit.RedisServer;
import io.headgate.testkit.faults.FaultProxy;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Defects of streams, consumers and retries that users of other libraries have reported, and that must not occur here. */
@Timeout(120)
class ConsumerGroupEdgeCasesIT {

    private static final Duration LONG = Duration.ofSeconds(60);
    private static final Duration HOUR = Duration.ofHours(1);

    @RegisterExtension
    static final OwnStreams REDIS = new OwnStreams();

    private final ConsumerGroup<String> billing = REDIS.billing();
    private final Set<String> done = ConcurrentHashMap.newKeySet();

    private static List<NewEntry<String>> entries(int count) {
        return IntStream.range(0, count).mapToObj(i -> NewEntry.of("e" + i)).toList();
    }

    /** Redis (#6199, #10756): trimmed entries stay pending, although they no longer exist. */
    @Test
    void pending_entries_that_other_clients_trim_stop_being_pending_and_do_not_block_the_stream() {
        EventStream<String> small = REDIS.stream(StreamSettings.of("orders").withMaxLength(5));
        small.produceAll(entries(5));
        billing.claim(3).forEach(lease -> REDIS.setIdle(lease, Duration.ofMinutes(1)));
        REDIS.probe.command("XTRIM", OwnStreams.KEY, "MAXLEN", "2");
        assertThat(REDIS.pending()).isEqualTo(3);
        ConsumerGroup<String> others = REDIS.otherBilling();
        List<Lease<String>> rest = others.claim(9);
        assertThat(OwnStreams.payloads(rest)).containsExactly("e3", "e4");
        assertThat(REDIS.pending()).isEqualTo(2);
        assertThat(others.ackAll(rest)).containsOnly(Settled.DONE);
        small.produceAll(entries(5));
        assertThat(small.state().length()).isEqualTo(5);
    }

    /** The maximum length of the stream trims entries, too, but spares pending ones. */
    @Test
    void the_maximum_length_of_a_stream_trims_no_pending_entry() {
        EventStream<String> small = REDIS.stream(StreamSettings.of("orders").withMaxLength(5));
        small.produceAll(entries(5));
        List<Lease<String>> leases = billing.claim(5);
        leases.subList(0, 2).forEach(Lease::ack);
        small.produceAll(entries(2));
        assertThat(REDIS.pending()).isEqualTo(3);
        assertThat(OwnStreams.list(REDIS.probe.command("XRANGE", OwnStreams.KEY, "-", "+")))
                .hasSize(5);
        assertThat(billing.ackAll(leases.subList(2, 5))).containsOnly(Settled.DONE);
    }

    /** Defect in spring-data-redis (#2833, #2919): a consumer dies at its first exception without a report. */
    @Test
    void a_worker_survives_exceptions_and_errors_of_handlers_and_codecs() {
        REDIS.stream().produceAll(entries(30));
        AtomicInteger thrown = new AtomicInteger();
        Codec<String> picky = Codec.of(Codec.text()::encode, bytes -> {
            String text = Codec.text().decode(bytes);
            if (text.equals("e7")) {
                throw new IllegalStateException("no payload");
            }
            return text;
        });
        ConsumerGroup<String> group = REDIS.engine.stream("orders", picky).group("billing");
        try (Worker worker = Worker.of(group)
                .retries(RetryPolicy.DEFAULT
                        .withWaits(Duration.ZERO, Duration.ZERO)
                        .withAttempts(2))
                .start(job -> {
                    if (job.attempt() == 1 && thrown.incrementAndGet() % 2 == 0) {
                        throw new StackOverflowError("as a test");
                    } else if (job.attempt() == 1) {
                        throw new IllegalStateException("as a test");
                    }
                    done.add(job.payload());
                })) {
            Await.until(
                    "all others to be done",
                    LONG,
                    () -> done.size() == 29 && billing.retryCounts().dead() == 1);
            REDIS.stream().produce("later");
            Await.until("the later entry", LONG, () -> done.contains("later"));
        }
    }

    /** Defect in spring-data-redis (#2833, #2919): a consumer dies at its first timeout or broken connection. */
    @Test
    void a_worker_survives_timeouts_and_broken_connections() {
        try (RedisServer redis = RedisServer.startOwn();
                FaultProxy proxy = FaultProxy.before(redis.url());
                QueueEngine queues =
                        RedisQueueEngine.connect(RedisSettings.of(proxy.url()).withTimeout(Duration.ofMillis(100)));
                QueueEngine direct = Engines.queues(redis.url())) {
            EventStream<String> orders = direct.stream("orders", Codec.text());
            AtomicInteger errors = new AtomicInteger();
            GroupSettings quick = GroupSettings.of("billing").withMinIdle(Duration.ofSeconds(1));
            try (Worker worker = Worker.of(queues.stream("orders", Codec.text()).group(quick))
                    .listener(new WorkerListener() {
                        @Override
                        public void onQueueError(QueueException error) {
                            errors.incrementAndGet();
                        }
                    })
                    .start(job -> done.add(job.payload()))) {
                for (int round = 0; round < 4; round++) {
                    int before = errors.get();
                    if (round % 2 == 0) {
                        proxy.holdReplies();
                    } else {
                        proxy.cutNextReplyTo("EVALSHA");
                    }
                    String payload = "round " + round;
                    orders.produce(payload);
                    Await.until("an error to be reported", LONG, () -> errors.get() > before);
                    proxy.resume();
                    Await.until(payload, LONG, () -> done.contains(payload));
                }
            }
        }
    }

    /** Defect in redisson (#5653, #3835, #4088): delayed jobs are lost, or wait until the next enqueue. */
    @Test
    void delayed_retries_run_without_new_entries() {
        REDIS.stream().produceAll(entries(50));
        RetryPolicy soon = RetryPolicy.DEFAULT.withWaits(Duration.ofMillis(100), Duration.ofMillis(100));
        try (Worker worker = Worker.of(billing).retries(soon).start(job -> {
            if (job.attempt() == 1) {
                throw new IllegalStateException("not yet");
            }
            done.add(job.payload());
        })) {
            Await.until("all to be done", LONG, () -> done.size() == 50);
        }
        QueueCounts left = billing.retryCounts();
        assertThat(left.ready() + left.delayed() + left.leased() + left.dead()).isZero();
    }

    @Test
    void a_consumer_that_was_idle_for_less_than_ten_times_the_minimum_idle_time_stays() {
        GroupSettings quick = GroupSettings.of("billing").withMinIdle(Duration.ofSeconds(1));
        REDIS.billing(quick).claim(1);
        long made = REDIS.millis();
        REDIS.probe.command("XGROUP", "CREATECONSUMER", OwnStreams.KEY, "billing", "silent");
        Await.until("it to be idle for longer than the minimum idle time", LONG, () -> REDIS.millis() > made + 1100);
        REDIS.makeScanDue();
        REDIS.otherBilling(quick).claim(1);
        boolean stays = REDIS.stream().state().groups().get(0).consumers().stream()
                .anyMatch(consumer -> consumer.name().equals("silent"));
        // On a slow machine it may have been idle for ten times as long.
        assertThat(stays || REDIS.millis() > made + 10_000).isTrue();
    }

    @Test
    void a_scan_that_a_wrong_clock_has_scheduled_years_ahead_runs_now() {
        REDIS.stream().produce("a");
        Lease<String> lease = billing.claim(1).get(0);
        REDIS.setIdle(lease, HOUR);
        // The first 7 bytes are the time of the next scan.
        REDIS.probe.command("SETRANGE", OwnStreams.SCAN_STATE, "0", "\020".repeat(7));
        assertThat(billing.claim(1)).extracting(again -> again.job().delivery()).containsExactly(2);
    }

    /** Defect in kombu (#337): a delay longer than the visibility timeout is delivered again and again. */
    @Test
    void an_entry_with_a_delay_longer_than_the_minimum_idle_time_is_redelivered_once() {
        ConsumerGroup<String> quick = REDIS.billing(GroupSettings.of("billing").withMinIdle(Duration.ofMillis(500)));
        Set<Integer> deliveries = ConcurrentHashMap.newKeySet();
        REDIS.stream().produce("a");
        quick.claim(1).get(0).retry(Duration.ofMillis(1500), "no");
        try (Worker worker = Worker.of(quick).start(job -> deliveries.add(job.delivery()))) {
            Await.until(
                    "it to be done",
                    LONG,
                    () -> !deliveries.isEmpty() && billing.retryCounts().leased() == 0);
        }
        assertThat(deliveries).containsExactly(2);
    }

    /** Defect in asynq (#721, #548): delays in steps of 5 seconds. */
    @Test
    void the_due_time_of_a_retry_is_the_time_of_the_call_plus_the_delay() {
        REDIS.stream().produce("a");
        Lease<String> lease = billing.claim(1).get(0);
        long before = REDIS.millis() * 1000;
        lease.retry(Duration.ofMillis(1234), "no");
        long after = (REDIS.millis() + 1) * 1000;
        List<?> waiting = OwnStreams.list(
                REDIS.probe.command("ZRANGE", OwnStreams.KEY + ":g:billing:waiting:1", "0", "-1", "WITHSCORES"));
        assertThat(waiting).hasSize(2);
        assertThat((long) Double.parseDouble(String.valueOf(waiting.get(1))))
                .isBetween(before + 1_234_000, after + 1_234_000);
    }

    /** Defect in asynq (#329): dead jobs beyond 10 000 are deleted without a report. */
    @Test
    void no_dead_letter_is_deleted_however_many_there_are() {
        int count = 10_500;
        for (int i = 0; i < count; i += 500) {
            REDIS.stream().produceAll(entries(500));
        }
        for (int i = 0; i < count; i += 500) {
            List<AsyncLease<String>> leases =
                    billing.async().claim(500).toCompletableFuture().join();
            CompletableFuture<?>[] deadLettered = leases.stream()
                    .map(lease -> lease.deadLetter("hopeless"))
                    .map(CompletionStage::toCompletableFuture)
                    .toArray(CompletableFuture<?>[]::new);
            CompletableFuture.allOf(deadLettered).join();
        }
        assertThat(billing.retryCounts().dead()).isEqualTo(count);
    }

    /** Defect in bullmq (#2734): 10 GB for 4.5 million delayed jobs, which is 2 200 bytes for each. */
    @Test
    void a_delayed_retry_takes_at_most_500_bytes() {
        int count = 500;
        REDIS.stream()
                .produceAll(IntStream.range(0, count)
                        .mapToObj(i -> NewEntry.of("%0100d".formatted(i)))
                        .toList());
        billing.claim(count).forEach(lease -> lease.retry(HOUR, "it is not there yet"));
        long bytes = 0;
        for (String part : List.of(":waiting:1", ":places")) {
            bytes += Long.parseLong(String.valueOf(
                    REDIS.probe.command("MEMORY", "USAGE", OwnStreams.KEY + ":g:billing" + part, "SAMPLES", "0")));
        }
        assertThat(bytes / count).isBetween(100L, 500L);
    }
}
