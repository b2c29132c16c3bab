package io.headgate.queues.internal;

import io.headgate.queues.Job;
import io.headgate.queues.JobId;
import java.time.Duration;

/**
 * A job in hand, for a worker, who says what came of many in one turn.
 *
 * @param <T> what a payload is
 */
public interface Work<T> {

    /** Its id. */
    JobId id();

    /** The shard that it is in, where its queue has several. */
    default int shard() {
        return 0;
    }

    /** The job; throws what the codec throws. */
    Job<T> job();

    /** How often its lease has expired before. */
    int crashes();

    /** That it is done. */
    Settlement acking();

    /** That it waits again, for so long, and this was no attempt. */
    Settlement handingBack(Duration delay);

    /** That the attempt failed. */
    Settlement retrying(Duration delay, String cause);

    /** That it is a dead letter. */
    Settlement buryingFor(String cause);

    /** That it stays in hand, for so long from now. */
    Settlement extending(Duration lease);
}
