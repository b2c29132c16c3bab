package io.headgate.queues.internal;

import io.headgate.queues.QueueException;
import io.headgate.queues.Settled;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What one turn of a worker brought.
 *
 * @param claimed jobs that are now in hand
 * @param moreInMicros after how long there may be more, as far as is known; 0 for now
 * @param settled what became of what was said of jobs in hand, in that order
 * @param doubt that what was settled is not as safe as it should be, or what else went wrong with a part of the turn
 * @param again places of what could not be said, and so is to be said again; what {@code settled} has there means nothing
 * @param <T> what a payload is
 */
public record Turn<T>(
        List<Work<T>> claimed,
        long moreInMicros,
        List<Settled> settled,
        Optional<QueueException> doubt,
        Set<Integer> again) {

    /** One that leaves no doubt. */
    public Turn(List<Work<T>> claimed, long moreInMicros, List<Settled> settled) {
        this(claimed, moreInMicros, settled, Optional.empty());
    }

    /** One that said all that it was to say. */
    public Turn(List<Work<T>> claimed, long moreInMicros, List<Settled> settled, Optional<QueueException> doubt) {
        this(claimed, moreInMicros, settled, doubt, Set.of());
    }
}
