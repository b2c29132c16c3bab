package io.headgate.redis.queues.internal.stream;

import io.headgate.queues.AsyncDeadLetters;
import io.headgate.queues.AsyncJobQueue;
import io.headgate.queues.AsyncLease;
import io.headgate.queues.Codec;
import io.headgate.queues.JobId;
import io.headgate.queues.Settled;
import io.headgate.queues.inspect.AuditReport;
import io.headgate.queues.inspect.Cursor;
import io.headgate.queues.inspect.JobState;
import io.headgate.queues.inspect.Page;
import io.headgate.queues.inspect.QueueCounts;
import io.headgate.queues.inspect.StoredJob;
import io.headgate.queues.internal.JobBounds;
import io.headgate.queues.internal.QueueEvents;
import io.headgate.queues.streams.AsyncConsumerGroup;
import io.headgate.queues.streams.AsyncRetriedEntries;
import io.headgate.queues.streams.GroupSettings;
import io.headgate.queues.worker.JobSource;
import io.headgate.queues.worker.PollRequest;
import io.headgate.queues.worker.PollResult;
import io.headgate.queues.worker.Settlement;
import io.headgate.redis.internal.script.PairExecutor;
import io.headgate.redis.queues.internal.durability.WriteResult;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** The non-blocking consumer group on Redis: it claims from its stream and from its retry queue. */
final class RedisAsyncConsumerGroup<T> implements AsyncConsumerGroup<T>, JobSource<T> {

    private final GroupCalls calls;
    private final Codec<T> codec;
    private final RetryQueues queues;
    private final QueueEvents events;
    private final AsyncJobQueue<byte[]> retries;
    private final JobSource<T> source;

    RedisAsyncConsumerGroup(
            GroupPlanner planner, Codec<T> codec, PairExecutor executor, RetryQueues queues, QueueEvents events) {
        GroupSettings settings = planner.settings();
        RetryQueues.RetryQueue queue = queues.queue(planner.queueHeader(), settings, events);
        this.calls = new GroupCalls(planner, executor, queues, queues.writes(settings.durability(), events), events);
        this.codec = codec;
        this.queues = queues;
        this.events = events;
        this.retries = queue.queue();
        this.source = new DuplicateFilter<>(calls, new GroupSource<>(calls, codec, queue.source()));
    }

    @Override
    public GroupSettings settings() {
        return calls.settings();
    }

    @Override
    public CompletionStage<List<AsyncLease<T>>> claim(int max, Duration lease) {
        JobBounds.inRange("number of entries to claim", max, 1, JobBounds.MAX_BATCH);
        calls.checkLease(lease);
        return source.poll(new PollRequest(max, lease, List.of())).thenApply(result -> result.claimed().stream()
                .<AsyncLease<T>>map(claimed -> (GroupLease<T>) claimed)
                .toList());
    }

    @Override
    public String name() {
        return source.name();
    }

    @Override
    public Duration defaultLease() {
        return settings().minIdle();
    }

    @Override
    public Duration maxLease() {
        return settings().minIdle();
    }

    @Override
    public CompletionStage<PollResult<T>> poll(PollRequest request) {
        return source.poll(request);
    }

    @Override
    public Subscription subscribe(Runnable onSignal) {
        return source.subscribe(onSignal);
    }

    @Override
    public CompletionStage<List<Settled>> ackAll(Collection<AsyncLease<T>> leases) {
        JobBounds.inRange("number of leases", leases.size(), 1, JobBounds.MAX_BATCH);
        List<Settlement> acks =
                leases.stream().map(lease -> own(lease).ackSettlement()).toList();
        return source.poll(new PollRequest(0, settings().minIdle(), acks))
                .thenApply(result -> new WriteResult<>(result.settled(), result.firstProblem()).requireConfirmed());
    }

    private GroupLease<T> own(AsyncLease<T> lease) {
        if (lease instanceof GroupLease<T> own && own.isOf(calls)) {
            return own;
        }
        throw new IllegalArgumentException("a lease of something else can't be acked at the group "
                + settings().name());
    }

    @Override
    public CompletionStage<Void> pause() {
        // claim.lua reads the header of the retry queue before it claims from the stream.
        return retries.pause();
    }

    @Override
    public CompletionStage<Void> resume() {
        return retries.resume();
    }

    @Override
    public AsyncDeadLetters<T> deadLetters() {
        return queues.deadLetters(calls.planner().queueHeader(), settings(), codec, events);
    }

    @Override
    public CompletionStage<QueueCounts> retryCounts() {
        return retries.counts();
    }

    @Override
    public AsyncRetriedEntries<T> retriedEntries() {
        return new RetryQueueEntries<>(queues.queue(calls.planner().queueHeader(), settings(), codec, events));
    }

    /** The non-blocking view of a retry queue; only its group adds to it. */
    private record RetryQueueEntries<T>(AsyncJobQueue<T> queue) implements AsyncRetriedEntries<T> {

        @Override
        public CompletionStage<Optional<StoredJob<T>>> find(JobId id) {
            return queue.find(id);
        }

        @Override
        public CompletionStage<Page<StoredJob<T>>> list(JobState.Kind kind, Cursor from, int max) {
            return queue.jobs(kind, from, max);
        }

        @Override
        public CompletionStage<AuditReport> audit() {
            return queue.audit();
        }

        @Override
        public CompletionStage<AuditReport> repair() {
            return queue.repair();
        }
    }
}
