package io.headgate.redis.queues.internal.stream;

import io.headgate.queues.worker.Settlement;
import io.headgate.redis.internal.script.Packed;

/**
 * The settlement of one claimed entry of a stream.
 *
 * @param entry the entry, under the delivery that is settled
 * @param action what to do, as settle_all in settle.lua reads it
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

    /** Acknowledges the entry and keeps its key, so that duplicates are skipped for that time. */
    static EntrySettlement ack(ClaimedEntry entry, long keptMillis, byte[] key) {
        return new EntrySettlement(
                entry,
                new Packed().number(ACK_KEYED, 1).number(keptMillis, 6).all(key).bytes());
    }

    /** The action that changes the end of a lease: the entry counts as idle for that time already. */
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

    /** Whether this acknowledges the entry and does nothing else. */
    boolean isPlainAck() {
        return action == ACK;
    }

    boolean isExtension() {
        return action[0] == EXTEND;
    }
}
