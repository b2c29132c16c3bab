package io.headgate.queues.internal;

import io.headgate.queues.QueueException;
import io.headgate.queues.Settled;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * What one turn of a worker brought.
 *
 * @param claimed jobs that are now in hand
 * @param moreInMicros after how long there may be more, as far as is known; 0 for now
 * @param settled what became of what was said of jobs in hand, in that order
 * @param unconfirmed by their places what was settled, but is not as safe as it should be, and why
 * @param trouble what else went wrong with a part of the turn
 * @param again places of what could not be said, and so is to be said again; what {@code settled} has there means nothing
 * @param failed shards that failed when they were told something, or asked for jobs
 * @param <T> what a payload is
 */
public record Turn<T>(
        List<Work<T>> claimed,
        long moreInMicros,
        List<Settled> settled,
        Map<Integer, QueueException> unconfirmed,
        Optional<QueueException> trouble,
        Set<Integer> again,
        Set<Integer> failed) {

    /** One that leaves no doubt. */
    public Turn(List<Work<T>> claimed, long moreInMicros, List<Settled> settled) {
        this(claimed, moreInMicros, settled, Optional.empty());
    }

    /** One that said all that it was to say, of which all is in doubt or nothing. */
    public Turn(List<Work<T>> claimed, long moreInMicros, List<Settled> settled, Optional<QueueException> doubt) {
        this(claimed, moreInMicros, settled, ofAll(settled, doubt), Optional.empty(), Set.of(), Set.of());
    }

    private static Map<Integer, QueueException> ofAll(List<Settled> settled, Optional<QueueException> doubt) {
        return doubt.isEmpty()
                ? Map.of()
                : IntStream.range(0, settled.size()).boxed().collect(Collectors.toMap(i -> i, i -> doubt.get()));
    }

    /** One that settled the same, and claimed these. */
    public <O> Turn<O> claiming(List<Work<O>> others, long othersInMicros, Optional<QueueException> othersTrouble) {
        return new Turn<>(others, othersInMicros, settled, unconfirmed, trouble.or(() -> othersTrouble), again, failed);
    }

    /** What went wrong, or is in doubt: the first of it. */
    public Optional<QueueException> problem() {
        return trouble.or(() -> unconfirmed.values().stream().findFirst());
    }
}
