package io.headgate.redis.queues.internal.job;

import io.headgate.queues.inspect.Cursor;
import io.headgate.queues.inspect.Page;
import io.headgate.queues.internal.Quoted;
import io.headgate.redis.internal.script.Packed;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * Encodes the cursors of one kind of page: a byte for the kind, then the position from which the script continues. The reply of the
 * script starts with a byte, which is not 0 if there are more pages, and the next position.
 *
 * @param kind the kind of page
 * @param bytes the length of a position
 */
public record Cursors(int kind, int bytes) {

    private static final HexFormat HEX = HexFormat.of();

    /** Returns the position of a cursor; empty for the start. */
    public byte[] position(Cursor cursor) {
        if (cursor.equals(Cursor.START)) {
            return new byte[0];
        }
        byte[] all = HEX.parseHex(cursor.value());
        if (all.length != 1 + bytes || all[0] != kind) {
            throw new IllegalArgumentException(
                    "a cursor must be one that a page of this list returned, was " + Quoted.of(cursor.value()));
        }
        return Arrays.copyOfRange(all, 1, all.length);
    }

    /** Reads a reply; the function decodes the items after the position. */
    public <E> Page<E> page(byte[] reply, Function<byte[], List<E>> items) {
        byte[] position = Arrays.copyOfRange(reply, 1, 1 + bytes);
        Optional<Cursor> next = reply[0] == 0
                ? Optional.empty()
                : Optional.of(new Cursor(
                        HEX.formatHex(new Packed().number(kind, 1).all(position).bytes())));
        return new Page<>(items.apply(Arrays.copyOfRange(reply, 1 + bytes, reply.length)), next);
    }
}
