package io.headgate.redis.queues;

import io.headgate.queues.QueueCounts;
import io.headgate.redis.internal.Packed;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/** Reads the reply of counts.lua. */
final class CountsReply {

    private CountsReply() {}

    static QueueCounts of(byte[] reply) {
        // Negative when the oldest job is due later.
        long dueForMicros = Packed.signed(reply, 31, 7);
        return new QueueCounts(
                Packed.number(reply, 0, 6),
                Packed.number(reply, 6, 6),
                Packed.number(reply, 12, 6),
                Packed.number(reply, 18, 6),
                Packed.number(reply, 24, 6),
                reply[30] != 0,
                dueForMicros < 0 ? Optional.empty() : Optional.of(Duration.of(dueForMicros, ChronoUnit.MICROS)));
    }
}
