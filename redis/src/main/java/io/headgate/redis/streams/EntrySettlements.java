package io.headgate.redis.streams;

import io.headgate.queues.Settled;
import io.headgate.redis.internal.Packed;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/**
 * What is said of several entries in one call: to the script the acks first, in the order of ids; to the caller in the order
 * in which it was said.
 *
 * @param said what, in the caller's order
 * @param order which of these is the script's first, second and so on
 * @param acks how many are acks
 * @param fence under which all that are acked were handed out, when that is one and this is the first that is said of them;
 *     else 0, and each is looked up
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record EntrySettlements(List<EntrySettlement> said, int[] order, int acks, long fence) {

    private static final Comparator<EntrySettlement> ACKS_FIRST = (one, other) -> one.isAck() == other.isAck()
            ? one.entry().id().compareTo(other.entry().id())
            : Boolean.compare(other.isAck(), one.isAck());

    static EntrySettlements of(List<EntrySettlement> said) {
        IntStream places = IntStream.range(0, said.size());
        int[] order = isInOrder(said)
                ? places.toArray()
                : places.boxed()
                        .sorted(Comparator.comparing(said::get, ACKS_FIRST))
                        .mapToInt(place -> place)
                        .toArray();
        int acks = (int) said.stream().filter(EntrySettlement::isAck).count();
        return new EntrySettlements(said, order, acks, fence(said));
    }

    /** As most are: acks of what one claim brought. */
    private static boolean isInOrder(List<EntrySettlement> said) {
        for (int i = 1; i < said.size(); i++) {
            if (ACKS_FIRST.compare(said.get(i - 1), said.get(i)) > 0) {
                return false;
            }
        }
        return true;
    }

    private static long fence(List<EntrySettlement> said) {
        long fence = -1;
        for (EntrySettlement one : said) {
            boolean first = one.isExtension() || one.entry().speakOf();
            if (one.isAck()) {
                long own = first ? one.entry().fence() : 0;
                fence = fence < 0 || fence == own ? own : 0;
            }
        }
        return Math.max(0, fence);
    }

    /** Whether nothing is said but that entries are done. */
    boolean areAcks() {
        return acks == order.length;
    }

    /** As settle_all.lua takes them. */
    List<byte[]> arguments() {
        List<byte[]> arguments = new ArrayList<>();
        Packed deliveries = new Packed().number(fence, 7);
        arguments.add(new byte[0]);
        for (int i = 0; i < order.length; i++) {
            EntrySettlement one = said.get(order[i]);
            if (i < acks) {
                deliveries.number(one.entry().delivery(), 2);
            } else {
                arguments.add(new Packed()
                        .number(one.entry().delivery(), 2)
                        .all(one.verb())
                        .bytes());
            }
            arguments.add(one.entry().idText());
        }
        arguments.set(0, deliveries.bytes());
        return arguments;
    }

    /** What became of each: a byte for each, from a place of the reply on to its end. */
    List<Settled> settled(byte[] reply, int from) {
        if (reply.length != from + order.length) {
            throw new IllegalArgumentException(reply.length + " bytes where " + (from + order.length) + " should be");
        }
        Settled[] settled = new Settled[order.length];
        for (int i = 0; i < order.length; i++) {
            settled[order[i]] = reply[from + i] == 0 ? Settled.LEASE_LOST : Settled.DONE;
        }
        return List.of(settled);
    }
}
