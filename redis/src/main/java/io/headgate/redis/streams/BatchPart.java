package io.headgate.redis.streams;

import io.headgate.queues.EntryId;
import io.headgate.queues.Settled;
import io.headgate.redis.internal.Packed;
import java.util.BitSet;
import java.util.HashSet;
import java.util.Set;

/** What one call says of the entries of one batch; not safe for use by several threads. */
final class BatchPart {

    private static final int KEEP = 0;
    private static final int REMOVE_IF_EMPTY = 1;
    private static final int WHOLE = 2;

    private static final int NONE = 0;
    private static final int ALL = 1;

    private final Batch batch;
    private final long fence;
    private final BitSet acks = new BitSet();
    private int spokenOf;
    private int how = KEEP;

    BatchPart(Batch batch, long fence) {
        this.batch = batch;
        this.fence = fence;
    }

    boolean isOf(Batch other) {
        return batch == other;
    }

    /** Notes that something is said of an entry for the first time, and where in the call that is if it is an ack. */
    void add(int place, boolean isAck) {
        spokenOf++;
        if (isAck) {
            acks.set(place);
        }
    }

    /**
     * To be called once when all is noted. All that the batch has is done when each of its entries is acked here, and nothing was
     * said of any before: nobody else waits for an answer that would be another one then.
     */
    void end() {
        boolean isLast = spokenOf > 0 && batch.spokenOf(spokenOf);
        how = acks.cardinality() == batch.size() ? WHOLE : isLast ? REMOVE_IF_EMPTY : KEEP;
    }

    boolean isWhole() {
        return how == WHOLE;
    }

    /** The places of acks that are said of by the batch's name, if it is whole. */
    BitSet acks() {
        return acks;
    }

    /** As ack_all.lua takes it. */
    byte[] argument() {
        return new Packed()
                .number(how, 1)
                .number(fence, 7)
                .all(batch.nameBytes())
                .bytes();
    }

    /** Reads what became of a whole one, and where in the reply that ends. */
    int settled(byte[] reply, int at, Settled[] into, EntrySettlements said) {
        int answer = reply[at];
        if (answer == NONE || answer == ALL) {
            acks.stream().forEach(place -> into[place] = answer == ALL ? Settled.DONE : Settled.LEASE_LOST);
            return at + 1;
        }
        MessagePack ids = new MessagePack(reply, at + 1);
        Set<EntryId> done = new HashSet<>();
        for (int left = ids.list(); left > 0; left--) {
            done.add(ids.entryId());
        }
        acks.stream()
                .forEach(place -> into[place] =
                        done.contains(said.said().get(place).entry().id()) ? Settled.DONE : Settled.LEASE_LOST);
        return ids.at();
    }
}
