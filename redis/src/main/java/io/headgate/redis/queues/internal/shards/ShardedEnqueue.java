package io.headgate.redis.queues.internal.shards;

import io.headgate.queues.Enqueued;
import io.headgate.queues.PartialEnqueueException;
import io.headgate.queues.QueueException;
import io.headgate.queues.internal.QueueExceptions;
import io.headgate.redis.internal.script.QueuedCall;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * An enqueue call whose jobs are sent to several shards, a part to each shard, in parallel.
 *
 * <p>If all parts succeed, it returns the outcomes in the order of the jobs. If all parts fail and none may be done, it fails with the
 * exception of the first part. Otherwise it fails with a {@link PartialEnqueueException}, which has the outcome of each job. If a part
 * fails with anything other than a {@link QueueException}, such as the exception of a closed engine, the call fails with that exception.
 */
final class ShardedEnqueue extends QueuedCall<List<Enqueued>> {

    private final String key;
    private final int jobs;
    private final List<Part> parts;

    /**
     * The jobs of one shard.
     *
     * @param indexes the indexes of these jobs in the call
     * @param result the outcomes of these jobs
     */
    record Part(List<Integer> indexes, CompletableFuture<List<Enqueued>> result) {}

    /**
     * Creates a future that completes when all parts have ended.
     *
     * @param key the key of the queue, for errors
     * @param jobs the total number of jobs
     */
    ShardedEnqueue(String key, int jobs, List<Part> parts) {
        this.key = key;
        this.jobs = jobs;
        this.parts = parts;
        CompletableFuture<?>[] all = parts.stream().map(Part::result).toArray(CompletableFuture<?>[]::new);
        CompletableFuture.allOf(all).whenComplete((done, problem) -> end());
    }

    private void end() {
        List<Optional<Enqueued>> results = new ArrayList<>(Collections.nCopies(jobs, Optional.empty()));
        List<Optional<QueueException>> failures = new ArrayList<>(Collections.nCopies(jobs, Optional.empty()));
        List<QueueException> failed = new ArrayList<>();
        List<Throwable> others = new ArrayList<>();
        for (Part part : parts) {
            part.result().whenComplete((enqueued, problem) -> {
                if (problem != null && !(QueueExceptions.unwrapped(problem) instanceof QueueException)) {
                    others.add(QueueExceptions.unwrapped(problem));
                    return;
                }
                QueueException failure = problem == null ? null : QueueExceptions.of(problem);
                for (int i = 0; i < part.indexes().size(); i++) {
                    int index = part.indexes().get(i);
                    if (failure == null) {
                        results.set(index, Optional.of(enqueued.get(i)));
                    } else {
                        failures.set(index, Optional.of(failure));
                    }
                }
                if (failure != null) {
                    failed.add(failure);
                }
            });
        }
        if (!others.isEmpty()) {
            completeExceptionally(others.get(0));
        } else if (failed.isEmpty()) {
            complete(results.stream().flatMap(Optional::stream).toList());
        } else if (failed.size() == parts.size() && failed.stream().noneMatch(QueueException::mayBeDone)) {
            completeExceptionally(failed.get(0));
        } else {
            completeExceptionally(new PartialEnqueueException(key, results, failures));
        }
    }

    /** Cancels the parts that were not sent; returns whether no part was sent. */
    @Override
    public boolean cancelUnsent() {
        boolean all = true;
        for (Part part : parts) {
            all &= QueuedCall.cancelUnsent(part.result());
        }
        return all;
    }
}
