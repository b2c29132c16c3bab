package io.headgate.redis.streams;

import io.headgate.queues.internal.Settling;

/**
 * What is said of one entry in hand.
 *
 * @param entry the entry, under the delivery that is spoken of
 * @param verb what came of it, as settle_all.lua takes it
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record EntrySettlement(ClaimedEntry entry, byte[] verb) implements Settling {

    private static final byte[] ACK = {1};

    static EntrySettlement ack(ClaimedEntry entry) {
        return new EntrySettlement(entry, ACK);
    }

    boolean isAck() {
        return verb == ACK;
    }
}
