package io.headgate.redis.queues;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.queues.Codec;
import io.headgate.queues.JobQueue;
import io.headgate.queues.QueueException;
import io.headgate.queues.streams.ConsumerGroup;
import io.headgate.queues.worker.JobSource;
import io.headgate.queues.worker.PollRequest;
import io.headgate.queues.worker.PollResult;
import io.headgate.queues.worker.Settlement;
import io.headgate.queues.worker.Worker;
import io.headgate.queues.worker.WorkerListener;
import io.headgate.redis.limits.Engines;
import io.headgate.testkit.Await;
import io.headgate.testkit.RedisProbe;
import io.headgate.testkit.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Workers that poll a job source which the application has decorated, for example to pause claims. */
class DecoratedSourceIT {

    private static final RedisServer REDIS = RedisServer.startOwn();
    private static final Duration LONG = Duration.ofSeconds(60);

    private final RedisProbe probe = RedisProbe.of(REDIS.url());
    private final RedisQueueEngine engine = Engines.queues(REDIS.url());
    private final JobQueue<String> queue = engine.queue("mails", Codec.text());
    private final Queue<String> handled = new ConcurrentLinkedQueue<>();
    private final Queue<QueueException> errors = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean claimsAllowed = new AtomicBoolean(true);

    @BeforeEach
    void empty() {
        probe.flushAll();
    }

    @AfterEach
    void close() {
        engine.close();
        probe.close();
    }

    /** A source that changes requests and results. */
    private record Decorated<T>(
            JobSource<T> source, UnaryOperator<PollRequest> request, UnaryOperator<PollResult<T>> result)
            implements JobSource<T> {

        @Override
        public String name() {
            return source.name();
        }

        @Override
        public Duration defaultLease() {
            return source.defaultLease();
        }

        @Override
        public Duration maxLease() {
            return source.maxLease();
        }

        @Override
        public CompletionStage<PollResult<T>> poll(PollRequest given) {
            return source.poll(request.apply(given)).thenApply(result);
        }

        @Override
        public Subscription subscribe(Runnable onSignal) {
            return source.subscribe(onSignal);
        }
    }

    private <T> JobSource<T> pausable(JobSource<T> source) {
        return new Decorated<>(
                source,
                request -> claimsAllowed.get() ? request : request.withMax(0),
                result -> claimsAllowed.get() ? result : result.withMoreInMicros(10_000));
    }

    @Test
    void a_source_that_claims_nothing_for_a_while_still_settles() {
        try (Worker worker = Worker.of(pausable(queue.source())).start(job -> {
            claimsAllowed.set(false);
            handled.add(job.payload());
        })) {
            queue.enqueue("a");
            Await.until(
                    "it is settled",
                    LONG,
                    () -> handled.contains("a") && queue.counts().leased() == 0);
            queue.enqueue("b");
            queue.enqueue("c");
            assertThat(queue.counts().ready()).isEqualTo(2);
            claimsAllowed.set(true);
            Await.until("the next is handled", LONG, () -> handled.size() > 1);
        }
        assertThat(handled).startsWith("a");
    }

    @Test
    void a_group_is_decorated_in_the_same_way() {
        ConsumerGroup<String> group = engine.stream("orders", Codec.text()).group("billing");
        engine.stream("orders", Codec.text()).produce("a");
        JobSource<String> source = pausable(group.source());
        assertThat(source.name()).isEqualTo("group billing");
        assertThat(source.defaultLease()).isEqualTo(group.settings().minIdle());
        try (Worker worker = Worker.of(source).start(job -> handled.add(job.payload()))) {
            Await.until("it is handled", LONG, () -> handled.contains("a"));
        }
    }

    @Test
    void a_result_that_does_not_match_its_request_is_an_error_and_the_settlements_are_sent_again() {
        AtomicInteger polls = new AtomicInteger();
        JobSource<String> source = new Decorated<>(
                queue.source(),
                request -> request,
                result -> !result.settled().isEmpty() && polls.getAndIncrement() == 0
                        ? new PollResult<>(result.claimed(), 0, List.of())
                        : result);
        queue.enqueue("a");
        try (Worker worker = Worker.of(source)
                .listener(new WorkerListener() {
                    @Override
                    public void onQueueError(QueueException problem) {
                        errors.add(problem);
                    }
                })
                .start(job -> handled.add(job.payload()))) {
            Await.until("it is reported", LONG, () -> !errors.isEmpty());
            Await.until("the settlement is sent again", LONG, () -> polls.get() > 1);
        }
        assertThat(errors.peek())
                .hasMessageContaining("queue mails must return a result for each of 1 settlements, but returned 0");
        assertThat(queue.counts().leased()).isZero();
    }

    @Test
    void a_source_refuses_the_settlements_of_another_one() {
        Settlement foreign = () -> Settlement.Kind.ACK;
        PollRequest request = new PollRequest(0, LONG, List.of(foreign));
        assertThatThrownBy(() -> poll(queue.source(), request))
                .hasMessageContaining("a settlement of another source can't be sent to queue mails");
        JobSource<String> group =
                engine.stream("orders", Codec.text()).group("billing").source();
        assertThatThrownBy(() -> poll(group, request))
                .hasMessageContaining("a settlement of another source can't be sent to group billing");
        assertThat(poll(queue.source(), new PollRequest(0, LONG, List.of())).claimed())
                .isEmpty();
    }

    private static PollResult<String> poll(JobSource<String> source, PollRequest request) {
        try {
            return source.poll(request).toCompletableFuture().join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : e;
        }
    }
}
