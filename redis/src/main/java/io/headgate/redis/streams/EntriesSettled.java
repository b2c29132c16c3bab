package io.headgate.redis.streams;

import io.headgate.queues.Settled;
import io.headgate.redis.internal.Packed;
import java.util.List;
import java.util.stream.IntStream;

/**
 * What became of what was said of entries in hand.
 *
 * @param nowMicros when, by Redis's clock
 * @param each what became of each, in their order
 */
record EntriesSettled(long nowMicros, List<Settled> each) {

    static EntriesSettled of(byte[] reply, int count) {
        return new EntriesSettled(Packed.number(reply, 0, 7), each(reply, 7, count));
    }

    /** A byte for each, from a place on to the end. */
    static List<Settled> each(byte[] reply, int from, int count) {
        if (reply.length != from + count) {
            throw new IllegalArgumentException(reply.length + " bytes where " + (from + count) + " should be");
        }
        return IntStream.range(from, reply.length)
                .mapToObj(i -> reply[i] == 0 ? Settled.LEASE_LOST : Settled.DONE)
                .toList();
    }
}
