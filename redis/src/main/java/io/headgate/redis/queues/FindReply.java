package io.headgate.redis.queues;

import io.headgate.queues.JobState;
import io.headgate.redis.internal.Packed;
import java.util.Arrays;
import java.util.Optional;

/** What find.lua answers. */
sealed interface FindReply {

    /** The job, or that there is none. */
    record Found(Optional<RawJob> job) implements FindReply {}

    /**
     * Nothing so far.
     *
     * @param from where to go on
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record GoOn(byte[] from) implements FindReply {}

    static FindReply of(byte[] reply) {
        if (reply[0] == 0) {
            return new Found(Optional.empty());
        }
        if (reply[0] == 1) {
            return new GoOn(Arrays.copyOfRange(reply, 1, reply.length));
        }
        JobRecord record = JobRecord.some(reply, 1 + Times.BYTES, 1).get(0);
        long at = Packed.number(reply, 1, Times.BYTES);
        JobState state =
                switch (reply[0]) {
                    case 2 -> new JobState.Ready();
                    case 3 -> new JobState.Delayed();
                    case 4 -> new JobState.Leased(Times.instant(at));
                    case 5 -> new JobState.Dead(Times.instant(at));
                    default -> throw new IllegalStateException("no place of a job is " + reply[0]);
                };
        return new Found(Optional.of(new RawJob(record, state)));
    }
}
