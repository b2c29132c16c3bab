package io.headgate.redis.queues;

import io.headgate.queues.Settled;
import io.headgate.redis.internal.Packed;
import java.util.List;
import java.util.stream.IntStream;

/**
 * What became of what was said of jobs in hand.
 *
 * @param nowMicros when, by Redis's clock
 * @param settled what became of each, in their order
 */
record SettleReply(long nowMicros, List<Settled> settled) {

    private static final int TIME_BYTES = 7;

    static SettleReply of(byte[] reply, int count) {
        return new SettleReply(Packed.number(reply, 0, TIME_BYTES), settled(reply, TIME_BYTES, count));
    }

    /** A byte for each, from a place on to the end. */
    static List<Settled> settled(byte[] reply, int from, int count) {
        if (reply.length != from + count) {
            throw new IllegalArgumentException(reply.length + " bytes where " + (from + count) + " should be");
        }
        return IntStream.range(from, reply.length)
                .mapToObj(i -> reply[i] == 0 ? Settled.LEASE_LOST : Settled.DONE)
                .toList();
    }
}
