package io.headgate.redis.queues.internal.stream;

import io.headgate.queues.worker.Settlement;
import io.headgate.redis.internal.script.Packed;

/**
 * The settlement of one claimed entry of a stream.
 *
 * @param entry the entry, with the delivery that is settled
 * @param action the packed action that settle_all in streams/settle.lua reads
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record EntrySettlement(ClaimedEntry entry, byte[] action) implements Settlement {

    private static final byte[] ACK = {1};
    private static final int ACK_KEYED = 2;
    private static final int WAIT_AGAIN = 3;
    private static final int DEAD_LETTER = 4;
    private static final int EXTEND = 5;

    static EntrySettlement ack(ClaimedEntry entry) {
        return new EntrySettlement(entry, ACK);
    }

    /** Acknowledges the entry and keeps its key for that time, in which duplicates are skipped. */
    static EntrySettlement ack(ClaimedEntry entry, long keptMillis, byte[] key) {
        return new EntrySettlement(
                entry,
                new Packed().number(ACK_KEYED, 1).number(keptMillis, 6).all(key).bytes());
    }

    /** The action that changes when a lease expires: Redis sets the idle time of the entry to {@code idleMillis}. */
    static byte[] extend(long idleMillis) {
        return new Packed().number(EXTEND, 1).number(idleMillis, 6).bytes();
    }

    @Override
    public Kind kind() {
        return switch (action[0]) {
            case WAIT_AGAIN -> action[1] == 0 ? Kind.HAND_BACK : Kind.RETRY;
            case DEAD_LETTER -> Kind.DEAD_LETTER;
            case EXTEND -> Kind.EXTEND;
            default -> Kind.ACK;
        };
    }

    /** Whether this settlement only acknowledges the entry. */
    boolean isPlainAck() {
        // ack returns this array itself.
        return action == ACK;
    }

    boolean isExtension() {
        return action[0] == EXTEND;
    }
}
