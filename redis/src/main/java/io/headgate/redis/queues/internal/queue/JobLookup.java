package io.headgate.redis.queues.internal.queue;

import io.headgate.queues.Codec;
import io.headgate.queues.JobId;
import io.headgate.queues.inspect.Cursor;
import io.headgate.queues.inspect.JobState;
import io.headgate.queues.inspect.Page;
import io.headgate.queues.inspect.QueueCounts;
import io.headgate.queues.inspect.StoredJob;
import io.headgate.queues.internal.JobBounds;
import io.headgate.queues.internal.QueueEvents;
import io.headgate.redis.internal.script.ScriptExecutor;
import io.headgate.redis.queues.internal.durability.Writes;
import io.headgate.redis.queues.internal.queue.LookupPlanner.FindResult;
import io.headgate.redis.queues.internal.queue.LookupPlanner.RawJob;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Looks up, lists and purges jobs of a queue; an operation makes several calls if one is not enough. */
public record JobLookup<T>(
        LookupPlanner planner, Codec<T> codec, ScriptExecutor executor, Writes writes, QueueEvents events) {

    /** A job that moves to another claim during the scan may be missed, so the scan is repeated. */
    private static final int MAX_ROUNDS = 3;

    CompletableFuture<Optional<StoredJob<T>>> find(JobId id) {
        return find(id, new byte[0], 1);
    }

    private CompletableFuture<Optional<StoredJob<T>>> find(JobId id, byte[] from, int round) {
        return executor.execute(planner.find(id, from)).thenCompose(reply -> {
            if (reply instanceof FindResult.Continue more) {
                return find(id, more.from(), round);
            }
            Optional<RawJob> job = ((FindResult.Found) reply).job();
            if (job.isEmpty() && from.length > 0 && round < MAX_ROUNDS) {
                return find(id, new byte[0], round + 1);
            }
            return CompletableFuture.completedFuture(job.map(found -> found.decode(codec, shard())));
        });
    }

    CompletableFuture<Page<StoredJob<T>>> jobs(JobState.Kind kind, Cursor from, int max) {
        checkedMax(max);
        return planner.isInLanes(kind)
                ? lanes().page(from, max, (tenant, there, some) -> jobs(tenant, kind, there, some))
                : jobs(Optional.empty(), kind, from, max);
    }

    Lanes lanes() {
        return new Lanes(planner, executor);
    }

    private CompletableFuture<Page<StoredJob<T>>> jobs(
            Optional<String> tenant, JobState.Kind kind, Cursor from, int max) {
        return executor.execute(planner.jobs(tenant, kind, from, max)).thenCompose(page -> {
            if (page.items().isEmpty() && page.next().isPresent()) {
                return jobs(tenant, kind, page.next().get(), max);
            }
            return CompletableFuture.completedFuture(new Page<>(
                    page.items().stream().map(job -> job.decode(codec, shard())).toList(), page.next()));
        });
    }

    CompletableFuture<Integer> purge(JobState.Kind kind, int max) {
        return switch (purgeable(kind)) {
            case READY, DELAYED, DONE ->
                planner.isInLanes(kind)
                        ? lanes().purge(checkedMax(max), (tenant, some) -> purgeSome(tenant, kind, some))
                        : purgeSome(Optional.empty(), kind, checkedMax(max));
            case DEAD ->
                writes.execute(
                        planner.planner().discard(checkedMax(max), QueuePlanner.Selection.OLDEST),
                        count -> events.removed(kind, count));
            case LEASED -> throw new IllegalStateException("leased jobs are not purged");
        };
    }

    /** Corrects counts in which the delayed jobs of tenants are counted as ready. */
    CompletableFuture<QueueCounts> corrected(QueueCounts counts) {
        return planner.isInLanes(JobState.Kind.READY)
                ? lanes().correct(counts)
                : CompletableFuture.completedFuture(counts);
    }

    private CompletableFuture<Integer> purgeSome(Optional<String> tenant, JobState.Kind kind, int max) {
        return writes.execute(planner.purge(tenant, kind, max), reply -> events.removed(kind, reply.count()))
                .thenCompose(reply -> reply.count() == 0 && reply.more()
                        ? purgeSome(tenant, kind, max)
                        : CompletableFuture.completedFuture(reply.count()));
    }

    private int shard() {
        return planner.planner().keys().shard();
    }

    /** Returns the kind of jobs if such jobs may be purged. */
    public static JobState.Kind purgeable(JobState.Kind kind) {
        if (kind == JobState.Kind.LEASED) {
            throw new IllegalArgumentException("leased jobs can't be purged; purge waiting jobs or dead letters");
        }
        return kind;
    }

    /** Returns the number of jobs of one call if it is from 1 to 500. */
    public static int checkedMax(int max) {
        return (int) JobBounds.inRange("number of jobs", max, 1, JobBounds.MAX_BATCH);
    }
}
