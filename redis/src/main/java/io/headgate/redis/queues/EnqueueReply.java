package io.headgate.redis.queues;

import io.headgate.queues.Enqueued;
import io.headgate.queues.Priority;
import io.headgate.redis.internal.Packed;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * What became of one job that was to be enqueued.
 *
 * @param enqueued what, or empty when the queue was full
 */
record EnqueueReply(Optional<Enqueued> enqueued) {

    private static final int BYTES = 15;
    private static final int FULL = 3;
    private static final List<Enqueued.Outcome> OUTCOMES =
            List.of(Enqueued.Outcome.ADDED, Enqueued.Outcome.REPLACED, Enqueued.Outcome.SAME);

    /** What became of so many jobs. */
    static List<EnqueueReply> all(byte[] reply, int jobs) {
        if (reply.length != jobs * BYTES) {
            throw new IllegalArgumentException(reply.length + " bytes for " + jobs + " jobs");
        }
        return IntStream.range(0, jobs).mapToObj(i -> of(reply, i * BYTES)).toList();
    }

    private static EnqueueReply of(byte[] reply, int at) {
        if (reply[at] == FULL) {
            return new EnqueueReply(Optional.empty());
        }
        Priority priority = Levels.priority(reply[at + 1]);
        long number = Packed.number(reply, at + 2, 6);
        long firstDue = Packed.number(reply, at + 8, 7);
        Enqueued.Outcome outcome = OUTCOMES.get(reply[at]);
        return new EnqueueReply(Optional.of(new Enqueued(outcome, JobIds.of(priority, firstDue, number))));
    }
}
