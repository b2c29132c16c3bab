package io.headgate.queues.internal;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;

/**
 * Where a worker has its jobs from: an engine's queue, in whose one call it settles what is done and claims what is next.
 *
 * @param <T> what a payload is
 */
public interface WorkSource<T> {

    /**
     * Says what came of jobs in hand, and then claims.
     *
     * @param most how many jobs to claim at most; 0 to claim none
     */
    CompletionStage<Turn<T>> turn(int most, Duration lease, List<Settlement> settling);

    /**
     * The same of a queue that may have several shards.
     *
     * @param notClaimedOf shards of which nothing is claimed
     */
    default CompletionStage<Turn<T>> turn(
            int most, Set<Integer> notClaimedOf, Duration lease, List<Settlement> settling) {
        return turn(most, lease, settling);
    }

    /** Calls back whenever there may be more before the time that a turn told, until that is closed. */
    Listening listen(Runnable onSignal);

    /** Ends with being closed. */
    interface Listening extends AutoCloseable {

        @Override
        void close();
    }
}
