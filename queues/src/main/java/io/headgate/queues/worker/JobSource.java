package io.headgate.queues.worker;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;

/**
 * A source of jobs for a worker: a queue or a consumer group of an engine. One poll settles the jobs that the worker has finished and
 * claims the next ones.
 *
 * @param <T> the type of the payload
 */
public interface JobSource<T> {

    /**
     * Settles claimed jobs, then claims due jobs under a lease.
     *
     * @param max how many jobs to claim at most; 0 to claim none
     */
    CompletionStage<PollResult<T>> poll(int max, Duration lease, List<Settlement> settlements);

    /**
     * Settles claimed jobs, then claims due jobs under a lease, from a source that may have several shards.
     *
     * @param excludedShards shards from which nothing is claimed
     */
    default CompletionStage<PollResult<T>> poll(
            int max, Set<Integer> excludedShards, Duration lease, List<Settlement> settlements) {
        return poll(max, lease, settlements);
    }

    /** Runs the callback whenever jobs may have become due earlier than the last poll reported, until the subscription is closed. */
    Subscription subscribe(Runnable onSignal);

    /** A subscription to the signals of a source. */
    interface Subscription extends AutoCloseable {

        @Override
        void close();
    }
}
