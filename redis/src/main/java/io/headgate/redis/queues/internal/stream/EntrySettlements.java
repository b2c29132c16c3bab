package io.headgate.redis.queues.internal.stream;

import io.headgate.queues.Settled;
import io.headgate.queues.streams.EntryId;
import io.headgate.redis.internal.script.Packed;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The settlements of one call: encodes their arguments, and decodes their results. The script receives batches that are acknowledged as a
 * whole, then plain acknowledgements, which keep no key, in the order of ids, then all others. Results are returned in the caller's order.
 *
 * @param given the settlements, in the caller's order
 * @param parts the settlements by batch; some batches are acknowledged as a whole
 * @param order the indexes of the settlements that are sent by entry id, in the script's order
 * @param acks how many of the settlements in {@code order} are plain acknowledgements
 * @param fence the {@linkplain ClaimedEntry#fence() fence} under which the entries of these acknowledgements were claimed, if all have the
 *     same one and none was settled before; otherwise 0, and the script looks up each entry
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record EntrySettlements(List<EntrySettlement> given, List<BatchPart> parts, int[] order, int acks, long fence) {

    private static final Comparator<EntrySettlement> ACKS_FIRST = (one, other) -> one.isPlainAck() == other.isPlainAck()
            ? one.entry().id().compareTo(other.entry().id())
            : Boolean.compare(other.isPlainAck(), one.isPlainAck());

    /**
     * The results of settlements.
     *
     * @param nowMicros Redis's time
     * @param each the result of each, in the caller's order
     */
    record Results(long nowMicros, List<Settled> each) {}

    /** Prepares the settlements of a call. It marks entries as settled, so it must be called once for each call. */
    static EntrySettlements of(List<EntrySettlement> given) {
        BitSet firstTime = new BitSet(given.size());
        List<BatchPart> parts = parts(given, firstTime);
        BitSet whole = new BitSet();
        for (BatchPart part : parts) {
            part.close();
            if (part.isWhole()) {
                whole.or(part.acks);
            }
        }
        int[] order = order(given, whole);
        int acks = 0;
        // -1 until the first plain acknowledgement.
        long fence = -1;
        for (int index : order) {
            if (given.get(index).isPlainAck()) {
                long own = firstTime.get(index) ? given.get(index).entry().fence() : 0;
                fence = fence < 0 || fence == own ? own : 0;
                acks++;
            }
        }
        return new EntrySettlements(given, parts, order, acks, Math.max(0, fence));
    }

    /**
     * Marks the entries as settled, except those whose leases are extended, and groups the settlements by batch.
     *
     * @param firstTime receives the indexes of the settlements whose entries were not marked before
     */
    private static List<BatchPart> parts(List<EntrySettlement> given, BitSet firstTime) {
        List<BatchPart> parts = new ArrayList<>(1);
        for (int index = 0; index < given.size(); index++) {
            EntrySettlement one = given.get(index);
            boolean isFirst = !one.isExtension() && one.entry().markSettled();
            firstTime.set(index, isFirst);
            Batch batch = one.entry().batch();
            if (batch != null) {
                int at = indexOf(batch, parts);
                if (at == parts.size()) {
                    parts.add(new BatchPart(batch, one.entry().fence()));
                }
                if (isFirst) {
                    parts.get(at).add(index, one.isPlainAck());
                }
            }
        }
        return parts;
    }

    /** Searches from the end, because entries of a batch are mostly adjacent. */
    private static int indexOf(Batch batch, List<BatchPart> parts) {
        for (int i = parts.size() - 1; i >= 0; i--) {
            if (parts.get(i).batch == batch) {
                return i;
            }
        }
        return parts.size();
    }

    private static int[] order(List<EntrySettlement> given, BitSet whole) {
        int[] indexes = IntStream.range(0, given.size())
                .filter(index -> !whole.get(index))
                .toArray();
        return isInOrder(given, indexes)
                ? indexes
                : IntStream.of(indexes)
                        .boxed()
                        .sorted(Comparator.comparing(given::get, ACKS_FIRST))
                        .mapToInt(index -> index)
                        .toArray();
    }

    /** Whether the settlements are sorted already, which is usual: acknowledgements of the entries of one claim. */
    private static boolean isInOrder(List<EntrySettlement> given, int[] indexes) {
        for (int i = 1; i < indexes.length; i++) {
            if (ACKS_FIRST.compare(given.get(indexes[i - 1]), given.get(indexes[i])) > 0) {
                return false;
            }
        }
        return true;
    }

    /** Whether the call has only plain acknowledgements. */
    boolean areAcks() {
        return acks == order.length;
    }

    /** The arguments, as settle_all in streams/settle.lua reads them. */
    List<byte[]> arguments() {
        List<byte[]> arguments = new ArrayList<>();
        Packed heads = new Packed().number(parts.size(), 2).number(acks, 2).number(fence, 7);
        arguments.add(new byte[0]);
        parts.forEach(part -> arguments.add(part.argument()));
        for (int i = 0; i < order.length; i++) {
            EntrySettlement one = given.get(order[i]);
            Packed head = (i < acks ? heads : new Packed())
                    .number(one.entry().delivery(), 2)
                    .number(consumer(one.entry().batch()), 2);
            if (i >= acks) {
                arguments.add(head.all(one.action()).bytes());
            }
            arguments.add(one.entry().idText());
        }
        arguments.set(0, heads.bytes());
        return arguments;
    }

    /** Returns the index, from 1, of the batch among those of the call; 0 for an entry of the consumer itself. */
    private int consumer(@Nullable Batch batch) {
        return batch == null ? 0 : 1 + indexOf(batch, parts);
    }

    /** Reads the results from a position of the reply to its end: a byte for each entry id, then the results of whole batches. */
    List<Settled> settled(byte[] reply, int from) {
        Settled[] settled = new Settled[given.size()];
        int at = from;
        for (int index : order) {
            settled[index] = reply[at++] == 0 ? Settled.LEASE_LOST : Settled.DONE;
        }
        for (BatchPart part : parts) {
            if (part.isWhole()) {
                at = part.settled(reply, at, settled, given);
            }
        }
        if (reply.length != at) {
            throw new IllegalArgumentException(reply.length + " bytes where " + at + " should be");
        }
        return List.of(settled);
    }

    /** The settlements of one batch in one call; not safe for use by several threads. */
    static final class BatchPart {

        /** What the script does with the consumer of the batch, as ack_all in ack.lua describes. */
        private static final int KEEP = 0;

        private static final int REMOVE_IF_EMPTY = 1;
        private static final int WHOLE = 2;

        /** The result of a whole batch: no entry was acknowledged, or all were; otherwise the ids of the acknowledged entries follow. */
        private static final int NONE = 0;

        private static final int ALL = 1;

        private final Batch batch;
        private final long fence;

        /** The indexes of the plain acknowledgements. */
        private final BitSet acks = new BitSet();

        private int settled;
        private int mode = KEEP;

        BatchPart(Batch batch, long fence) {
            this.batch = batch;
            this.fence = fence;
        }

        /** Adds a settlement of an entry that is settled for the first time. */
        void add(int index, boolean isPlainAck) {
            settled++;
            if (isPlainAck) {
                acks.set(index);
            }
        }

        /**
         * Decides how the batch is sent; called once, after all settlements were added. A batch is acknowledged as a whole when this call
         * acknowledges all its entries and none was settled before. Then no other call has a settlement of the batch in flight.
         */
        void close() {
            boolean isLast = settled > 0 && batch.settle(settled);
            mode = acks.cardinality() == batch.size() ? WHOLE : isLast ? REMOVE_IF_EMPTY : KEEP;
        }

        boolean isWhole() {
            return mode == WHOLE;
        }

        /** The argument for the batch, as ack_all in ack.lua reads it. */
        byte[] argument() {
            return new Packed()
                    .number(mode, 1)
                    .number(fence, 7)
                    .all(batch.nameBytes())
                    .bytes();
        }

        /** Reads the results of a whole batch; returns the position in the reply after them. */
        int settled(byte[] reply, int at, Settled[] into, List<EntrySettlement> given) {
            int result = reply[at];
            if (result == NONE || result == ALL) {
                acks.stream().forEach(index -> into[index] = result == ALL ? Settled.DONE : Settled.LEASE_LOST);
                return at + 1;
            }
            MessagePack ids = new MessagePack(reply, at + 1);
            Set<EntryId> done = new HashSet<>();
            for (int left = ids.list(); left > 0; left--) {
                done.add(ids.entryId());
            }
            acks.stream()
                    .forEach(index -> into[index] =
                            done.contains(given.get(index).entry().id()) ? Settled.DONE : Settled.LEASE_LOST);
            return ids.at();
        }
    }
}
