package io.headgate.redis.streams;

import io.headgate.queues.internal.Settlement;
import io.headgate.redis.internal.Packed;

/**
 * What is said of one entry in hand.
 *
 * @param entry the entry, under the delivery that is spoken of
 * @param verb what came of it, as settle_all.lua takes it
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record EntrySettlement(ClaimedEntry entry, byte[] verb) implements Settlement {

    private static final byte[] ACK = {1};
    private static final int ACK_KEYED = 2;
    private static final int WAIT_AGAIN = 3;
    private static final int DEAD_LETTER = 4;
    private static final int EXTEND = 5;

    static EntrySettlement ack(ClaimedEntry entry) {
        return new EntrySettlement(entry, ACK);
    }

    /** The same, and its key is kept for so long. */
    static EntrySettlement ack(ClaimedEntry entry, long keptMillis, byte[] key) {
        return new EntrySettlement(
                entry,
                new Packed().number(ACK_KEYED, 1).number(keptMillis, 6).all(key).bytes());
    }

    /** That a lease ends later or earlier: its entry counts as idle for so long already. */
    static byte[] extend(long idleMillis) {
        return new Packed().number(EXTEND, 1).number(idleMillis, 6).bytes();
    }

    @Override
    public Kind kind() {
        return switch (verb[0]) {
            case WAIT_AGAIN -> verb[1] == 0 ? Kind.HAND_BACK : Kind.RETRY;
            case DEAD_LETTER -> Kind.DEAD_LETTER;
            case EXTEND -> Kind.EXTEND;
            default -> Kind.ACK;
        };
    }

    boolean isAck() {
        return verb == ACK;
    }

    boolean isExtension() {
        return verb[0] == EXTEND;
    }
}
