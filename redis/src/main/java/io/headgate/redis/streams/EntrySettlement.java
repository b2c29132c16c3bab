package io.headgate.redis.streams;

import io.headgate.redis.internal.Packed;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * What is said of one entry in hand.
 *
 * @param entry the entry, under the delivery that is spoken of
 * @param verb what came of it, as settle_all.lua takes it
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record EntrySettlement(ClaimedEntry entry, byte[] verb) {

    static final byte[] ACK = {1};

    void addTo(List<byte[]> arguments) {
        arguments.add(entry.id().toString().getBytes(StandardCharsets.US_ASCII));
        arguments.add(new Packed().number(entry.delivery(), 2).all(verb).bytes());
    }
}
