package io.headgate.queues;

import io.headgate.queues.inspect.Cursor;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A page of ids of dead letters.
 *
 * @param ids the ids
 * @param next the start of the next page; empty on the last page
 * @param failure why the shard at the end of this page could not be read; the next page starts with the shard after it
 */
public record DeadLetterIds(List<Id> ids, Optional<Cursor> next, Optional<QueueException> failure) {

    /** Keeps a copy of the ids. */
    public DeadLetterIds {
        ids = List.copyOf(ids);
    }

    /**
     * The id of a dead letter.
     *
     * @param jobId the id of the job
     * @param diedAt when it became a dead letter, by Redis's clock
     */
    public record Id(JobId jobId, Instant diedAt) {}
}
