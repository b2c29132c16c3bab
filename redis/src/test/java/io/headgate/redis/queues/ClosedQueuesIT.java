package io.headgate.redis.queues;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.queues.AsyncJobQueue;
import io.headgate.queues.Codec;
import io.headgate.queues.JobId;
import io.headgate.queues.JobQueue;
import io.headgate.queues.Lease;
import io.headgate.queues.NewJob;
import io.headgate.queues.QueueException;
import io.headgate.queues.QueueSettings;
import io.headgate.queues.inspect.Cursor;
import io.headgate.queues.inspect.JobState;
import io.headgate.queues.streams.AsyncConsumerGroup;
import io.headgate.queues.streams.AsyncEventStream;
import io.headgate.queues.streams.ConsumerGroup;
import io.headgate.queues.streams.EventStream;
import io.headgate.queues.streams.NewEntry;
import io.headgate.redis.RedisSettings;
import io.headgate.testkit.RedisServer;
import io.headgate.testkit.faults.FaultProxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** After {@code close()} every call on queues, streams and leases fails with the same exception. */
class ClosedQueuesIT {

    private static final RedisServer REDIS = RedisServer.startOwn();
    private static final Duration LEASE = Duration.ofMinutes(1);

    private final FaultProxy proxy = FaultProxy.before(REDIS.url());
    private final RedisQueueEngine engine =
            RedisQueueEngine.connect(RedisSettings.of(proxy.url()).withTimeout(Duration.ofSeconds(30)));

    @AfterEach
    void close() {
        engine.close();
        proxy.close();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4})
    void every_call_after_close_fails_with_the_same_exception(int shards) {
        QueueSettings settings = QueueSettings.of("jobs" + shards).withShards(shards);
        JobQueue<String> queue = engine.queue(settings, Codec.text());
        // The first call of a queue waits until its number of shards is read: this queue has made no call before
        // close().
        JobQueue<String> unused =
                engine.queue(QueueSettings.of("unused" + shards).withShards(shards), Codec.text());
        EventStream<String> stream = engine.stream("events", Codec.text());
        ConsumerGroup<String> group = stream.group("billing");
        JobId id = queue.enqueue("a").id();
        stream.produce("a");
        List<Lease<String>> leases = queue.claim(1, LEASE);
        List<Lease<String>> entries = group.claim(1, LEASE);
        engine.close();
        engine.close();
        List<ThrowingCallable> calls = List.of(
                () -> engine.queue(settings, Codec.text()),
                () -> engine.stream("events", Codec.text()),
                engine::names,
                engine::streamNames,
                queue::shards,
                () -> queue.enqueue("b"),
                () -> unused.enqueue("b"),
                () -> queue.enqueueAll(List.of(NewJob.of("b"))),
                () -> queue.claim(1, LEASE),
                () -> queue.ackAll(leases),
                () -> leases.get(0).ack(),
                () -> leases.get(0).extend(LEASE),
                () -> queue.cancel(id),
                () -> queue.reschedule(id, LEASE),
                () -> queue.find(id),
                () -> queue.jobs(JobState.Kind.READY, Cursor.START, 1),
                () -> queue.purge(JobState.Kind.READY, 1),
                () -> queue.deadLetters().list(1),
                queue::audit,
                queue::repair,
                queue::pause,
                queue::resume,
                queue::counts,
                () -> stream.produce("b"),
                stream::state,
                () -> stream.removeGroup("billing"),
                () -> group.claim(1, LEASE),
                () -> group.ackAll(entries),
                () -> entries.get(0).ack(),
                group::pause,
                group::resume,
                group::retryCounts,
                () -> group.deadLetters().list(1));
        for (ThrowingCallable call : calls) {
            assertThatThrownBy(call).isInstanceOf(IllegalStateException.class).hasMessage(closedMessage());
        }
        AsyncJobQueue<String> async = queue.async();
        AsyncEventStream<String> asyncStream = stream.async();
        AsyncConsumerGroup<String> asyncGroup = group.async();
        List<Supplier<CompletionStage<?>>> asyncCalls = List.of(
                async::shards,
                () -> async.enqueue("b"),
                () -> async.enqueueAll(List.of(NewJob.of("b"))),
                () -> async.claim(1, LEASE),
                () -> leases.get(0).async().ack(),
                () -> async.cancel(id),
                () -> async.find(id),
                () -> async.deadLetters().list(1),
                async::counts,
                async::audit,
                () -> asyncStream.produceAll(List.of(NewEntry.of("b"))),
                asyncStream::state,
                () -> asyncGroup.claim(1, LEASE),
                () -> entries.get(0).async().ack(),
                asyncGroup::retryCounts);
        for (Supplier<CompletionStage<?>> call : asyncCalls) {
            assertFails(call.get().toCompletableFuture());
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4})
    void calls_in_flight_at_close_fail_with_the_same_exception(int shards) {
        QueueSettings settings = QueueSettings.of("flying" + shards).withShards(shards);
        AsyncJobQueue<String> queue = engine.queue(settings, Codec.text()).async();
        // The first call reads the number of shards, so that later calls of this queue are sent immediately.
        queue.counts().toCompletableFuture().join();
        // The first call of this queue still waits for the number of shards at close().
        AsyncJobQueue<String> unused = engine.queue(
                        QueueSettings.of("unused" + shards).withShards(shards), Codec.text())
                .async();
        AsyncEventStream<String> stream = engine.stream("events", Codec.text()).async();
        List<NewJob<String>> ofManyShards = IntStream.range(0, 16)
                .mapToObj(i -> NewJob.of("c").once("key" + i))
                .toList();
        proxy.holdReplies();
        List<CompletableFuture<?>> calls = List.of(
                queue.enqueue("a").toCompletableFuture(),
                queue.enqueue("b").toCompletableFuture(),
                queue.enqueueAll(ofManyShards).toCompletableFuture(),
                queue.claim(10, LEASE).toCompletableFuture(),
                unused.enqueue("a").toCompletableFuture(),
                queue.counts().toCompletableFuture(),
                stream.state().toCompletableFuture());
        engine.close();
        calls.forEach(this::assertFails);
        assertThatThrownBy(() -> calls.get(0).get()).cause().cause().isInstanceOf(QueueException.class);
    }

    private String closedMessage() {
        return "queues on " + engine.description() + " are closed";
    }

    private void assertFails(CompletableFuture<?> call) {
        assertThatThrownBy(() -> call.get(20, TimeUnit.SECONDS))
                .hasCauseInstanceOf(IllegalStateException.class)
                .cause()
                .hasMessage(closedMessage());
    }
}
