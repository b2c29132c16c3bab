package io.headgate.redis.queues;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.headgate.queues.Codec;
import io.headgate.queues.Durability;
import io.headgate.queues.Lease;
import io.headgate.queues.QueueException;
import io.headgate.queues.Settled;
import io.headgate.queues.inspect.Cursor;
import io.headgate.queues.streams.ConsumerGroup;
import io.headgate.queues.streams.EventStream;
import io.headgate.queues.streams.GroupSettings;
import io.headgate.queues.streams.NewEntry;
import io.headgate.queues.streams.StreamFullException;
import io.headgate.queues.streams.StreamSettings;
import io.headgate.queues.worker.Worker;
import io.headgate.redis.limits.Engines;
import io.headgate.testkit.Await;
import io.headgate.testkit.conditions.ServerVersionSensitive;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Entries of streams and settlements of groups that a replica confirmed survive the loss of the primary; other writes are reported as
 * unconfirmed. {@link DurabilityIT} tests the same of queues.
 */
@Timeout(120)
@ServerVersionSensitive
class StreamDurabilityIT {

    private static final Duration LONG = Duration.ofSeconds(30);
    private static final Durability CONFIRMED = Durability.replicas(1, Duration.ofSeconds(20));
    private static final Durability IMPATIENT = Durability.replicas(1, Duration.ofMillis(50));

    private final ReplicatedRedis redis = new ReplicatedRedis();
    private final RedisQueueEngine engine = Engines.queues(redis.primary.url());

    @AfterEach
    void stop() {
        engine.close();
        redis.close();
    }

    private EventStream<String> stream(Durability durability) {
        return stream(engine, durability);
    }

    private static EventStream<String> stream(RedisQueueEngine engine, Durability durability) {
        return engine.stream(StreamSettings.of("orders").withDurability(durability), Codec.text());
    }

    private ConsumerGroup<String> billing(Durability durability) {
        return stream(Durability.none()).group(settings(durability));
    }

    private static GroupSettings settings(Durability durability) {
        return GroupSettings.of("billing").withKeepDone(Duration.ofHours(1)).withDurability(durability);
    }

    private static QueueException failureOf(Runnable call) {
        return catchThrowableOfType(QueueException.class, call::run);
    }

    private long waitCalls() {
        return redis.onPrimary.commandCalls().getOrDefault("WAIT", 0L);
    }

    private long pending() {
        return stream(Durability.none()).state().groups().get(0).pending();
    }

    @Test
    void durable_streams_and_groups_wait_once_per_write_and_never_for_a_lookup_or_claim() {
        EventStream<String> stream = stream(CONFIRMED);
        ConsumerGroup<String> billing = billing(CONFIRMED);
        redis.onPrimary.command("CONFIG", "RESETSTAT");
        stream.produce("a");
        stream.produceAll(List.of(NewEntry.of("b"), NewEntry.of("c"), NewEntry.of("d"), NewEntry.of("e")));
        assertThat(waitCalls()).isEqualTo(2);
        List<Lease<String>> leases = billing.claim(10);
        stream.state();
        billing.retryCounts();
        assertThat(waitCalls()).isEqualTo(2);
        billing.ackAll(leases.subList(0, 2));
        leases.get(2).extend(Duration.ofSeconds(10));
        leases.get(3).retry(Duration.ZERO, "no");
        leases.get(4).deadLetter("no");
        billing.deadLetters().list(Cursor.START, 10);
        billing.deadLetters().redriveOldest(10, Duration.ZERO);
        billing.pause();
        billing.resume();
        assertThat(waitCalls()).isEqualTo(9);
        assertThat(billing.claim(10)).hasSize(2).allSatisfy(lease -> assertThat(lease.ack())
                .isEqualTo(Settled.DONE));
        assertThat(waitCalls()).isEqualTo(11);
        stream.removeGroup("billing");
        assertThat(waitCalls()).isEqualTo(12);
        stream.declareGroup("search");
        assertThat(waitCalls()).isEqualTo(13);
    }

    @Test
    void streams_and_groups_that_are_not_durable_do_not_wait() {
        redis.replica.pause();
        stream(Durability.none()).produce("a");
        assertThat(billing(Durability.none()).claim(1).get(0).ack()).isEqualTo(Settled.DONE);
        assertThat(waitCalls()).isZero();
    }

    @Test
    void a_write_that_no_replica_confirmed_in_time_takes_effect_and_is_reported_as_unconfirmed() {
        EventStream<String> stream = stream(IMPATIENT);
        ConsumerGroup<String> billing = billing(IMPATIENT);
        redis.replica.pause();
        QueueException problem = failureOf(() -> stream.produce("a"));
        assertThat(problem)
                .hasMessage("produce hg:s:{orders}: in the stream, but only 0 of 1 replicas confirmed within 50 ms");
        assertThat(problem.mayBeDone()).isTrue();
        assertThatThrownBy(() -> stream.produceAll(
                        List.of(NewEntry.of("b").once("b"), NewEntry.of("c").once("c"))))
                .isInstanceOf(QueueException.class);
        List<Lease<String>> leases = billing.claim(10);
        assertThat(leases).hasSize(3);
        assertUnconfirmed(() -> leases.get(0).retry(Duration.ZERO, "no"));
        assertUnconfirmed(() -> leases.get(1).extend(Duration.ofSeconds(10)));
        assertUnconfirmed(() -> billing.ackAll(leases.subList(1, 3)));
        assertThat(pending()).isZero();
        Lease<String> again = billing.claim(10).get(0);
        assertThat(again.job().payload()).isEqualTo("a");
        assertUnconfirmed(again::ack);
        assertThat(billing.retryCounts().leased()).isZero();
    }

    private static void assertUnconfirmed(Runnable settling) {
        QueueException problem = failureOf(settling);
        assertThat(problem.problem()).isEqualTo("done, but only 0 of 1 replicas confirmed within 50 ms");
        assertThat(problem.mayBeDone()).isTrue();
    }

    @Test
    void a_full_stream_is_reported_as_full_and_not_as_unconfirmed() {
        StreamSettings settings = StreamSettings.of("orders").withMaxLength(1);
        // Creates the group, without which a full stream would delete its oldest entry.
        billing(Durability.none()).claim(1);
        engine.stream(settings, Codec.text()).produce("a");
        EventStream<String> stream = engine.stream(settings.withDurability(IMPATIENT), Codec.text());
        redis.replica.pause();
        assertThatThrownBy(() -> stream.produce("b")).isInstanceOf(StreamFullException.class);
    }

    @Test
    void a_worker_reports_unconfirmed_entries_and_handles_none_of_them_twice() {
        Set<String> payloads = new TreeSet<>();
        IntStream.range(0, 50).forEach(i -> payloads.add("entry" + i));
        stream(Durability.none())
                .produceAll(payloads.stream()
                        .map(payload -> NewEntry.of(payload).once(payload))
                        .toList());
        redis.replica.pause();
        ConcurrentLinkedQueue<String> handled = new ConcurrentLinkedQueue<>();
        DurabilityIT.RecordedEvents events = new DurabilityIT.RecordedEvents();
        Set<String> failed = new ConcurrentSkipListSet<>();
        try (Worker worker = Worker.of(billing(IMPATIENT)).listener(events).start(job -> {
            if (job.payload().endsWith("7") && failed.add(job.payload())) {
                throw new IllegalStateException("the first time");
            }
            handled.add(job.payload());
        })) {
            Await.until("all are unconfirmed", LONG, () -> events.unconfirmed.equals(payloads));
            Await.until("all are handled", LONG, () -> handled.size() >= payloads.size() && pending() == 0);
            assertThat(events.acked).isEmpty();
            assertThat(events.retried)
                    .containsExactlyInAnyOrder(
                            "entry7 unconfirmed",
                            "entry17 unconfirmed",
                            "entry27 unconfirmed",
                            "entry37 unconfirmed",
                            "entry47 unconfirmed");
            redis.replica.resume();
            Await.until("an ack is confirmed", LONG, () -> {
                stream(Durability.none()).produce("again");
                return events.acked.contains("again");
            });
            assertThat(worker).isNotNull();
        }
        // A retried entry may have been acked after the replica resumed.
        assertThat(events.acked).filteredOn(entry -> !failed.contains(entry)).containsExactly("again");
        assertThat(events.causes)
                .isNotEmpty()
                .extracting(QueueException::problem)
                .containsOnly("done, but only 0 of 1 replicas confirmed within 50 ms");
        assertThat(handled).filteredOn(payloads::contains).containsExactlyInAnyOrderElementsOf(payloads);
        assertThat(pending()).isZero();
    }

    @Test
    void confirmed_entries_survive_a_failover_and_acked_entries_are_not_handed_out_again() throws Exception {
        Set<String> produced = new ConcurrentSkipListSet<>();
        Set<String> acked = new ConcurrentSkipListSet<>();
        Set<String> acking = new ConcurrentSkipListSet<>();
        AtomicBoolean stopped = new AtomicBoolean();
        Thread[] threads = new Thread[6];
        for (int t = 0; t < threads.length; t++) {
            int own = t;
            EventStream<String> stream = stream(CONFIRMED);
            ConsumerGroup<String> billing = billing(CONFIRMED);
            threads[t] = new Thread(() -> {
                for (int i = 0; !stopped.get(); i++) {
                    try {
                        if (own < 4) {
                            String entry = own + "." + i;
                            stream.produce(entry);
                            produced.add(entry);
                        } else {
                            for (Lease<String> lease : billing.claim(2)) {
                                String entry = lease.job().payload();
                                acking.add(entry);
                                // Some entries are retried, through the queue of the group.
                                Settled settled = i % 8 == 0 ? lease.retry(Duration.ZERO, "later") : lease.ack();
                                if (settled == Settled.DONE && i % 8 > 0) {
                                    acked.add(entry);
                                }
                            }
                        }
                    } catch (QueueException e) {
                        // A failed call may have taken effect.
                    }
                }
            });
            threads[t].start();
        }
        Await.until("many entries are produced and acked", LONG, () -> produced.size() > 2000 && acked.size() > 200);
        redis.failOver();
        stopped.set(true);
        for (Thread thread : threads) {
            thread.join();
        }
        Set<String> found = new TreeSet<>();
        try (RedisQueueEngine after = Engines.queues(redis.replica.url())) {
            EventStream<String> rest = stream(after, Durability.none());
            long pendingAfter = rest.state().groups().get(0).pending();
            ConsumerGroup<String> billing = rest.group("billing");
            for (List<Lease<String>> more = billing.claim(500); !more.isEmpty(); more = billing.claim(500)) {
                more.forEach(lease -> found.add(lease.job().payload()));
            }
            assertThat(found).doesNotContainAnyElementsOf(acked);
            Set<String> lost = new TreeSet<>(produced);
            lost.removeAll(found);
            lost.removeAll(acking);
            // A claim whose reply was lost still leases its entries: two threads, two entries each.
            assertThat((long) lost.size()).isLessThanOrEqualTo(Math.min(4, pendingAfter));
        }
    }

    @Test
    void opening_a_durable_stream_or_group_on_a_replica_fails() {
        try (RedisQueueEngine onReplica = Engines.queues(redis.replica.url())) {
            assertThatThrownBy(() -> stream(onReplica, CONFIRMED))
                    .isInstanceOf(QueueException.class)
                    .hasMessageContaining("WAIT cannot be used with replica instances");
            EventStream<String> stream = stream(onReplica, Durability.none());
            assertThatThrownBy(() -> stream.group(settings(CONFIRMED)))
                    .isInstanceOf(QueueException.class)
                    .hasMessageContaining("WAIT cannot be used with replica instances");
        }
    }
}
