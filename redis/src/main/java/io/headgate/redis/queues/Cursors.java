package io.headgate.redis.queues;

import io.headgate.queues.Cursor;
import io.headgate.queues.Page;
import io.headgate.queues.internal.Shown;
import io.headgate.redis.internal.Packed;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * Cursors of one kind of page: a byte that says of which, and what its script goes on from, of a fixed length. What a script
 * replies begins with that: 1 byte whether there is more, and from where.
 *
 * @param kind of which pages
 * @param bytes how many the scripts take
 */
record Cursors(int kind, int bytes) {

    private static final HexFormat HEX = HexFormat.of();

    /** What a script goes on from; nothing at the beginning. */
    byte[] position(Cursor cursor) {
        if (cursor.equals(Cursor.START)) {
            return new byte[0];
        }
        byte[] all = HEX.parseHex(cursor.value());
        if (all.length != 1 + bytes || all[0] != kind) {
            throw new IllegalArgumentException(
                    "a cursor is one that a page of the same has given, was " + Shown.of(cursor.value()));
        }
        return Arrays.copyOfRange(all, 1, all.length);
    }

    /** Reads a reply; what is after the position is told by the function. */
    <E> Page<E> page(byte[] reply, Function<byte[], List<E>> items) {
        byte[] position = Arrays.copyOfRange(reply, 1, 1 + bytes);
        Optional<Cursor> next = reply[0] == 0
                ? Optional.empty()
                : Optional.of(new Cursor(
                        HEX.formatHex(new Packed().number(kind, 1).all(position).bytes())));
        return new Page<>(items.apply(Arrays.copyOfRange(reply, 1 + bytes, reply.length)), next);
    }
}
