package io.headgate.redis.streams;

import io.headgate.queues.Settled;
import io.headgate.redis.internal.Packed;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * What is said of several entries in one call: to the script the acks first, in the order of ids; to the caller in the order
 * in which it was said.
 *
 * @param said what, in the caller's order
 * @param order which of these is the script's first, second and so on
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record EntrySettlements(List<EntrySettlement> said, int[] order) {

    private static final Comparator<EntrySettlement> ACKS_FIRST = (one, other) -> one.isAck() == other.isAck()
            ? one.entry().id().compareTo(other.entry().id())
            : Boolean.compare(other.isAck(), one.isAck());

    static EntrySettlements of(List<EntrySettlement> said) {
        IntStream places = IntStream.range(0, said.size());
        return new EntrySettlements(
                said,
                isInOrder(said)
                        ? places.toArray()
                        : places.boxed()
                                .sorted(Comparator.comparing(said::get, ACKS_FIRST))
                                .mapToInt(place -> place)
                                .toArray());
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

    /** As settle_all.lua takes them. */
    Stream<byte[]> arguments() {
        Packed deliveries = new Packed();
        acks().forEach(ack -> deliveries.number(ack.entry().delivery(), 2));
        Stream<byte[]> ids = acks().map(EntrySettlements::id);
        Stream<byte[]> others = ordered()
                .filter(one -> !one.isAck())
                .flatMap(one -> Stream.of(
                        new Packed()
                                .number(one.entry().delivery(), 2)
                                .all(one.verb())
                                .bytes(),
                        id(one)));
        return Stream.of(Stream.of(deliveries.bytes()), ids, others).flatMap(all -> all);
    }

    private Stream<EntrySettlement> acks() {
        return ordered().filter(EntrySettlement::isAck);
    }

    private Stream<EntrySettlement> ordered() {
        return Arrays.stream(order).mapToObj(said::get);
    }

    private static byte[] id(EntrySettlement one) {
        return one.entry().id().toString().getBytes(StandardCharsets.US_ASCII);
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
