package io.headgate.redis.queues;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.queues.Codec;
import io.headgate.queues.Durability;
import io.headgate.queues.JobId;
import io.headgate.queues.JobQueue;
import io.headgate.queues.Lease;
import io.headgate.queues.NewJob;
import io.headgate.queues.QueueException;
import io.headgate.queues.QueueFullException;
import io.headgate.queues.QueueListener;
import io.headgate.queues.QueueSettings;
import io.headgate.queues.inspect.JobState;
import io.headgate.queues.streams.ConsumerGroup;
import io.headgate.queues.streams.EventStream;
import io.headgate.queues.streams.GroupSettings;
import io.headgate.queues.streams.NewEntry;
import io.headgate.queues.streams.StreamFullException;
import io.headgate.queues.streams.StreamSettings;
import io.headgate.queues.worker.Worker;
import io.headgate.redis.RedisSettings;
import io.headgate.testkit.Await;
import io.headgate.testkit.conditions.ServerVersionSensitive;
import io.headgate.testkit.faults.FaultProxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The events that an engine reports to its listeners. */
@Timeout(60)
@ServerVersionSensitive
class QueueListenerIT {

    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Duration LONG = Duration.ofSeconds(20);

    @RegisterExtension
    final OwnQueues redis = new OwnQueues();

    private final EventRecorder recorder = new EventRecorder();

    /** An event, and the queue that it is about. */
    private record Event(String source, Object what) {}

    private record Redriven(int jobs) {}

    private record Removed(JobState.Kind state, int jobs) {}

    private record Cancelled() {}

    /** Records the events that it receives. */
    private static final class EventRecorder implements QueueListener {

        private final java.util.Queue<Event> events = new ConcurrentLinkedQueue<>();

        @Override
        public void onEnqueued(Source source, EnqueuedJobs jobs) {
            events.add(new Event(source.name(), jobs));
        }

        @Override
        public void onClaimed(Source source, ClaimedJobs jobs) {
            events.add(new Event(source.name(), jobs));
        }

        @Override
        public void onSettled(Source source, SettledJobs jobs) {
            events.add(new Event(source.name(), jobs));
        }

        @Override
        public void onRedriven(Source source, int jobs) {
            events.add(new Event(source.name(), new Redriven(jobs)));
        }

        @Override
        public void onRemoved(Source source, JobState.Kind state, int jobs) {
            events.add(new Event(source.name(), new Removed(state, jobs)));
        }

        @Override
        public void onCancelled(Source source) {
            events.add(new Event(source.name(), new Cancelled()));
        }

        @Override
        public void onFailed(Source source, QueueException failure) {
            events.add(new Event(source.name(), failure));
        }

        private List<Event> drain() {
            List<Event> drained = new ArrayList<>();
            for (Event next = events.poll(); next != null; next = events.poll()) {
                drained.add(next);
            }
            return drained;
        }

        private void assertReported(String source, Object... what) {
            assertThat(drain())
                    .containsExactly(
                            Stream.of(what).map(one -> new Event(source, one)).toArray(Event[]::new));
        }
    }

    /** Throws an exception or error at each event. */
    private static final class Broken implements QueueListener {

        @Override
        public void onEnqueued(Source source, EnqueuedJobs jobs) {
            throw new IllegalStateException("a mistake");
        }

        @Override
        public void onClaimed(Source source, ClaimedJobs jobs) {
            throw new StackOverflowError("another");
        }

        @Override
        public void onSettled(Source source, SettledJobs jobs) {
            throw new AssertionError("a third");
        }

        @Override
        public void onFailed(Source source, QueueException failure) {
            throw failure;
        }
    }

    private RedisQueueEngine.Builder engine() {
        return engine(redis.url());
    }

    private RedisQueueEngine.Builder engine(String url) {
        return RedisQueueEngine.builder(RedisSettings.of(url).withTimeout(LONG)).listener(recorder);
    }

    private static QueueListener.EnqueuedJobs added(int jobs) {
        return new QueueListener.EnqueuedJobs(jobs, 0, 0, 0);
    }

    private static QueueListener.ClaimedJobs claimed(int jobs, int crashed, Duration latest) {
        return new QueueListener.ClaimedJobs(jobs, crashed, 0, latest);
    }

    private static QueueListener.SettledJobs acked(int done, int lost) {
        return new QueueListener.SettledJobs(done, 0, 0, 0, 0, lost);
    }

    private static QueueListener.SettledJobs oneRetried() {
        return new QueueListener.SettledJobs(0, 1, 0, 0, 0, 0);
    }

    private static QueueListener.SettledJobs oneHandedBack() {
        return new QueueListener.SettledJobs(0, 0, 1, 0, 0, 0);
    }

    private static QueueListener.SettledJobs oneDeadLettered() {
        return new QueueListener.SettledJobs(0, 0, 0, 1, 0, 0);
    }

    private static QueueListener.SettledJobs oneExtended() {
        return new QueueListener.SettledJobs(0, 0, 0, 0, 1, 0);
    }

    @Test
    void each_transition_is_reported_once_per_call_with_the_number_and_lateness_of_jobs() {
        try (RedisQueueEngine engine =
                engine().timeMicros(redis.clock::nowMicros).build()) {
            JobQueue<String> queue = engine.queue(QueueSettings.of("orders").withMaxJobs(8), Codec.text());
            queue.enqueueAll(List.of(NewJob.of("a"), NewJob.of("b"), NewJob.of("c"), NewJob.of("d")));
            recorder.assertReported("orders", added(4));

            redis.clock.advance(Duration.ofMillis(250));
            queue.enqueue(NewJob.of("e").once("k"));
            recorder.assertReported("orders", added(1));
            List<Lease<String>> leases = queue.claim(5, LEASE);
            recorder.assertReported("orders", claimed(5, 0, Duration.ofMillis(250)));
            assertThat(queue.claim(5, LEASE)).isEmpty();
            recorder.assertReported("orders", claimed(0, 0, Duration.ZERO));

            leases.get(0).extend(LEASE);
            leases.get(1).retry(MINUTE, "no");
            leases.get(2).handBack(MINUTE);
            leases.get(3).deadLetter("never");
            queue.ackAll(List.of(leases.get(0), leases.get(1)));
            recorder.assertReported(
                    "orders", oneExtended(), oneRetried(), oneHandedBack(), oneDeadLettered(), acked(1, 1));

            redis.clock.advance(LEASE);
            queue.claim(5, LEASE);
            // The only job whose lease has expired.
            recorder.assertReported("orders", claimed(1, 1, LEASE));
        }
    }

    @Test
    void jobs_dead_lettered_after_too_many_expired_leases_are_reported_by_the_claim_that_found_them() {
        try (RedisQueueEngine engine =
                engine().timeMicros(redis.clock::nowMicros).build()) {
            JobQueue<String> queue = engine.queue(QueueSettings.of("orders").withMaxCrashes(2), Codec.text());
            queue.enqueueAll(
                    List.of(NewJob.of("a"), NewJob.of("b"), NewJob.of("c").after(LEASE)));
            assertThat(queue.claim(5, LEASE)).hasSize(2);
            redis.clock.advance(LEASE);
            assertThat(queue.claim(5, LEASE)).hasSize(3);
            redis.clock.advance(LEASE);
            queue.claim(5, LEASE);
            recorder.assertReported(
                    "orders",
                    added(3),
                    claimed(2, 0, Duration.ZERO),
                    claimed(3, 2, LEASE),
                    // One was claimed, for the second time, and two became dead letters.
                    new QueueListener.ClaimedJobs(1, 1, 2, LEASE));
        }
    }

    @Test
    void groups_report_dead_letters_of_new_and_of_retried_entries() {
        Duration lease = Duration.ofMillis(10);
        try (RedisQueueEngine engine = engine().build()) {
            EventStream<String> stream = engine.stream("orders", Codec.text());
            ConsumerGroup<String> billing =
                    stream.group(GroupSettings.of("billing").withMinIdle(lease).withMaxCrashes(1));
            stream.produceAll(List.of(NewEntry.of("a"), NewEntry.of("b"), NewEntry.of("c")));
            billing.claim(1).get(0).retry(Duration.ZERO, "no");
            Await.until("all to be dead letters", LONG, () -> {
                billing.claim(3);
                return billing.retryCounts().dead() == 3;
            });
        }
        List<QueueListener.ClaimedJobs> claims = recorder.drain().stream()
                .map(Event::what)
                .filter(QueueListener.ClaimedJobs.class::isInstance)
                .map(QueueListener.ClaimedJobs.class::cast)
                .toList();
        assertThat(claims.stream()
                        .mapToInt(QueueListener.ClaimedJobs::deadLettered)
                        .sum())
                .isEqualTo(3);
    }

    @Test
    void rejected_cancelled_redriven_and_removed_jobs_are_reported_and_calls_without_effect_are_not() {
        try (RedisQueueEngine engine =
                engine().timeMicros(redis.clock::nowMicros).build()) {
            JobQueue<String> queue = engine.queue(QueueSettings.of("orders").withMaxJobs(5), Codec.text());
            queue.enqueueAll(List.of(
                    NewJob.of("a").after(MINUTE).once("a"),
                    NewJob.of("b").after(MINUTE).once("b")));
            queue.enqueueAll(List.of(
                    NewJob.of("a").once("a"),
                    NewJob.of("b").replacing("b").after(MINUTE),
                    NewJob.of("c").once("c")));
            assertThatThrownBy(() -> queue.enqueueAll(List.of(NewJob.of("d"), NewJob.of("e"), NewJob.of("f"))))
                    .isInstanceOf(QueueFullException.class);
            recorder.assertReported(
                    "orders",
                    added(2),
                    // One each was added, replaced a job, and was a duplicate; then the queue was full for three.
                    new QueueListener.EnqueuedJobs(1, 1, 1, 0),
                    new QueueListener.EnqueuedJobs(0, 0, 0, 3));

            JobId later = queue.enqueue("later", MINUTE).id();
            assertThat(queue.cancel(later)).isTrue();
            assertThat(queue.cancel(later)).isFalse();
            recorder.assertReported("orders", added(1), new Cancelled());

            queue.claim(1, LEASE).get(0).deadLetter("no");
            assertThat(queue.deadLetters().redriveOldest(5, Duration.ZERO)).isEqualTo(1);
            assertThat(queue.deadLetters().redriveOldest(5, Duration.ZERO)).isZero();
            queue.claim(1, LEASE).get(0).deadLetter("no");
            assertThat(queue.deadLetters().discardOldest(5)).isEqualTo(1);
            assertThat(queue.purge(JobState.Kind.DELAYED, 5)).isEqualTo(2);
            assertThat(queue.purge(JobState.Kind.READY, 5)).isZero();
            queue.pause();
            queue.counts();
            recorder.assertReported(
                    "orders",
                    claimed(1, 0, Duration.ZERO),
                    oneDeadLettered(),
                    new Redriven(1),
                    claimed(1, 0, Duration.ZERO),
                    oneDeadLettered(),
                    new Removed(JobState.Kind.DEAD, 1),
                    new Removed(JobState.Kind.DELAYED, 2));
        }
    }

    @Test
    void claims_and_acks_of_a_worker_are_reported() {
        try (RedisQueueEngine engine = engine().build()) {
            JobQueue<String> queue = engine.queue("orders", Codec.text());
            queue.enqueueAll(List.of(NewJob.of("a"), NewJob.of("b"), NewJob.of("c")));
            try (Worker worker = Worker.of(queue).start(job -> {})) {
                Await.until(
                        "all to be done",
                        LONG,
                        () -> queue.counts().leased() + queue.counts().ready() == 0);
                assertThat(worker).isNotNull();
            }
        }
        int done = 0;
        int handedOut = 0;
        for (Event event : recorder.drain()) {
            done += event.what() instanceof QueueListener.SettledJobs jobs ? jobs.done() : 0;
            handedOut += event.what() instanceof QueueListener.ClaimedJobs jobs ? jobs.jobs() : 0;
        }
        assertThat(List.of(handedOut, done)).containsExactly(3, 3);
    }

    @Test
    void streams_report_produced_entries_and_groups_their_claims_settlements_and_redrives() {
        try (RedisQueueEngine engine = engine().build()) {
            EventStream<String> stream =
                    engine.stream(StreamSettings.of("orders").withMaxLength(5), Codec.text());
            ConsumerGroup<String> billing = stream.group("billing");
            stream.produceAll(
                    List.of(NewEntry.of("a"), NewEntry.of("b"), NewEntry.of("c"), NewEntry.of("d"), NewEntry.of("e")));
            List<Lease<String>> leases = billing.claim(5);
            assertThatThrownBy(() -> stream.produce("f")).isInstanceOf(StreamFullException.class);
            leases.get(0).extend(LEASE);
            leases.get(1).retry(Duration.ZERO, "no");
            leases.get(2).handBack(MINUTE);
            leases.get(3).deadLetter("never");
            billing.ackAll(List.of(leases.get(0), leases.get(3), leases.get(4)));
            Lease<String> again = billing.claim(5).get(0);
            again.ack();
            billing.deadLetters().redriveOldest(5, Duration.ZERO);
            List<Event> events = recorder.drain();
            assertThat(events.get(0)).isEqualTo(new Event("orders", added(5)));
            assertThat(events.get(1).what()).isInstanceOfSatisfying(QueueListener.ClaimedJobs.class, first -> {
                assertThat(first).isEqualTo(claimed(5, 0, first.latest()));
                assertThat(first.latest()).isBetween(Duration.ZERO, LONG);
            });
            assertThat(events.get(2)).isEqualTo(new Event("orders", new QueueListener.EnqueuedJobs(0, 0, 0, 1)));
            assertThat(events.subList(3, events.size()))
                    .extracting(Event::source)
                    .containsOnly("orders/billing");
            assertThat(events.subList(3, events.size()))
                    .extracting(Event::what)
                    .filteredOn(what -> !(what instanceof QueueListener.ClaimedJobs))
                    .containsExactly(
                            oneExtended(),
                            oneRetried(),
                            oneHandedBack(),
                            oneDeadLettered(),
                            acked(2, 1),
                            acked(1, 0),
                            new Redriven(1));
            assertThat(events.subList(3, events.size()))
                    .extracting(Event::what)
                    .filteredOn(QueueListener.ClaimedJobs.class::isInstance)
                    .extracting(what -> ((QueueListener.ClaimedJobs) what).jobs())
                    .containsExactly(0, 1);
        }
    }

    @Test
    void a_failed_call_is_reported_once_before_it_returns() {
        try (FaultProxy proxy = FaultProxy.before(redis.url());
                RedisQueueEngine engine = engine(proxy.url()).build()) {
            JobQueue<String> queue = engine.queue("orders", Codec.text());
            queue.enqueue("a");
            recorder.drain();
            for (Runnable call : List.<Runnable>of(
                    () -> queue.enqueue("b"), () -> queue.claim(1, LEASE), queue::counts, queue::pause)) {
                proxy.cutNextReplyTo("EVALSHA");
                assertThatThrownBy(call::run).isInstanceOf(QueueException.class);
                assertThat(recorder.drain())
                        .singleElement()
                        .extracting(Event::what)
                        .isInstanceOf(QueueException.class);
                Await.until("to be connected again", LONG, () -> isAnswered(queue));
                recorder.drain();
            }
        }
    }

    private static boolean isAnswered(JobQueue<String> queue) {
        try {
            queue.counts();
            return true;
        } catch (QueueException e) {
            return false;
        }
    }

    @Test
    void a_done_but_unconfirmed_call_is_reported_as_both() {
        try (ReplicatedRedis replicated = new ReplicatedRedis();
                RedisQueueEngine engine = engine(replicated.primary.url()).build()) {
            Durability impatient = Durability.replicas(1, Duration.ofMillis(50));
            JobQueue<String> queue = engine.queue(QueueSettings.of("orders").withDurability(impatient), Codec.text());
            replicated.replica.pause();
            assertThatThrownBy(() -> queue.enqueue("a")).isInstanceOf(QueueException.class);
            Lease<String> lease = queue.claim(1, LEASE).get(0);
            assertThatThrownBy(lease::ack).isInstanceOf(QueueException.class);
            assertThat(recorder.drain())
                    .extracting(event -> event.what().getClass().getSimpleName())
                    .containsExactly("QueueException", "EnqueuedJobs", "ClaimedJobs", "QueueException", "SettledJobs");
        }
    }

    @Test
    void an_exception_of_a_listener_reaches_neither_the_caller_nor_other_listeners() {
        try (FaultProxy proxy = FaultProxy.before(redis.url());
                RedisQueueEngine engine = RedisQueueEngine.builder(
                                RedisSettings.of(proxy.url()).withTimeout(LONG))
                        .listener(new Broken())
                        .listener(recorder)
                        .build()) {
            JobQueue<String> queue = engine.queue("orders", Codec.text());
            queue.enqueue("a");
            queue.claim(1, LEASE).get(0).ack();
            assertThat(recorder.drain()).hasSize(3);
            proxy.cutNextReplyTo("EVALSHA");
            assertThatThrownBy(queue::counts).isInstanceOf(QueueException.class).hasMessageContaining("counts");
            assertThat(recorder.drain()).hasSize(1);
        }
    }
}
