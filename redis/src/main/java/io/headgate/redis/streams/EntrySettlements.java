package io.headgate.redis.streams;

import io.headgate.queues.Settled;
import io.headgate.redis.internal.Packed;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * What is said of several entries in one call: to the script whole batches first, then acks in the order of ids, then the rest; to
 * the caller in the order in which it was said.
 *
 * @param said what, in the caller's order
 * @param parts the batches of which something is said, some as a whole
 * @param order which of what is said of entries by their ids is the script's first, second and so on
 * @param acks how many of these are acks
 * @param fence under which all that these ack were handed out, when that is one and this is the first that is said of them; else
 *     0, and each is looked up
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record EntrySettlements(List<EntrySettlement> said, List<BatchPart> parts, int[] order, int acks, long fence) {

    private static final Comparator<EntrySettlement> ACKS_FIRST = (one, other) -> one.isAck() == other.isAck()
            ? one.entry().id().compareTo(other.entry().id())
            : Boolean.compare(other.isAck(), one.isAck());

    static EntrySettlements of(List<EntrySettlement> said) {
        BitSet first = new BitSet(said.size());
        List<BatchPart> parts = parts(said, first);
        BitSet whole = new BitSet();
        for (BatchPart part : parts) {
            part.end();
            if (part.isWhole()) {
                whole.or(part.acks());
            }
        }
        int[] order = order(said, whole);
        int acks = 0;
        long fence = -1;
        for (int place : order) {
            if (said.get(place).isAck()) {
                long own = first.get(place) ? said.get(place).entry().fence() : 0;
                fence = fence < 0 || fence == own ? own : 0;
                acks++;
            }
        }
        return new EntrySettlements(said, parts, order, acks, Math.max(0, fence));
    }

    /** Speaks of all entries, notes of which for the first time, and of which batches they are. */
    private static List<BatchPart> parts(List<EntrySettlement> said, BitSet first) {
        List<BatchPart> parts = new ArrayList<>(1);
        for (int place = 0; place < said.size(); place++) {
            EntrySettlement one = said.get(place);
            boolean isFirst = !one.isExtension() && one.entry().speakOf();
            first.set(place, isFirst);
            Batch batch = one.entry().batch();
            if (batch != null) {
                int at = indexOf(batch, parts);
                if (at == parts.size()) {
                    parts.add(new BatchPart(batch, one.entry().fence()));
                }
                if (isFirst) {
                    parts.get(at).add(place, one.isAck());
                }
            }
        }
        return parts;
    }

    /** From behind, as entries of a batch mostly come together. */
    private static int indexOf(Batch batch, List<BatchPart> parts) {
        for (int i = parts.size() - 1; i >= 0; i--) {
            if (parts.get(i).isOf(batch)) {
                return i;
            }
        }
        return parts.size();
    }

    private static int[] order(List<EntrySettlement> said, BitSet whole) {
        int[] places = IntStream.range(0, said.size())
                .filter(place -> !whole.get(place))
                .toArray();
        return isInOrder(said, places)
                ? places
                : IntStream.of(places)
                        .boxed()
                        .sorted(Comparator.comparing(said::get, ACKS_FIRST))
                        .mapToInt(place -> place)
                        .toArray();
    }

    /** As most are: acks of what one claim brought. */
    private static boolean isInOrder(List<EntrySettlement> said, int[] places) {
        for (int i = 1; i < places.length; i++) {
            if (ACKS_FIRST.compare(said.get(places[i - 1]), said.get(places[i])) > 0) {
                return false;
            }
        }
        return true;
    }

    /** Whether nothing is said but that entries are done. */
    boolean areAcks() {
        return acks == order.length;
    }

    /** As settle_all.lua takes them. */
    List<byte[]> arguments() {
        List<byte[]> arguments = new ArrayList<>();
        Packed heads = new Packed().number(parts.size(), 2).number(acks, 2).number(fence, 7);
        arguments.add(new byte[0]);
        parts.forEach(part -> arguments.add(part.argument()));
        for (int i = 0; i < order.length; i++) {
            EntrySettlement one = said.get(order[i]);
            Packed head = (i < acks ? heads : new Packed())
                    .number(one.entry().delivery(), 2)
                    .number(consumer(one.entry().batch()), 2);
            if (i >= acks) {
                arguments.add(head.all(one.verb()).bytes());
            }
            arguments.add(one.entry().idText());
        }
        arguments.set(0, heads.bytes());
        return arguments;
    }

    /** Whose an entry is: of the how-manieth of the batches that are named, or 0 of the consumer itself. */
    private int consumer(@Nullable Batch batch) {
        return batch == null ? 0 : 1 + indexOf(batch, parts);
    }

    /** What became of each, from a place of the reply on to its end: a byte for each by its id, then what was said of batches. */
    List<Settled> settled(byte[] reply, int from) {
        Settled[] settled = new Settled[said.size()];
        int at = from;
        for (int place : order) {
            settled[place] = reply[at++] == 0 ? Settled.LEASE_LOST : Settled.DONE;
        }
        for (BatchPart part : parts) {
            if (part.isWhole()) {
                at = part.settled(reply, at, settled, this);
            }
        }
        if (reply.length != at) {
            throw new IllegalArgumentException(reply.length + " bytes where " + at + " should be");
        }
        return List.of(settled);
    }
}
