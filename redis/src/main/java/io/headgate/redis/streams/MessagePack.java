package io.headgate.redis.streams;

import io.headgate.queues.EntryId;
import io.headgate.redis.internal.Packed;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads lists and texts of MessagePack, as Redis's scripts write them, one after the other. */
final class MessagePack {

    private final byte[] bytes;
    private int at;

    MessagePack(byte[] bytes, int at) {
        this.bytes = bytes;
        this.at = at;
    }

    /** Where the next value begins. */
    int at() {
        return at;
    }

    /** How many values the list has that begins here; these come next. */
    int list() {
        int type = bytes[at++] & 0xff;
        return switch (type) {
            case 0xdc -> number(2);
            case 0xdd -> number(4);
            default -> small(type, 0x90, 0x9f);
        };
    }

    /** Goes into a text: how long it is; it begins {@link #at()}. */
    int text() {
        int type = bytes[at++] & 0xff;
        return switch (type) {
            case 0xd9 -> number(1);
            case 0xda -> number(2);
            case 0xdb -> number(4);
            default -> small(type, 0xa0, 0xbf);
        };
    }

    /** Whether the text that begins here is that one; if so, goes on behind it. */
    boolean passed(byte[] given) {
        int before = at;
        int length = text();
        if (length == given.length && Arrays.equals(bytes, at, at + length, given, 0, length)) {
            at += length;
            return true;
        }
        at = before;
        return false;
    }

    /** Goes on after so many bytes. */
    void skip(int length) {
        at += length;
    }

    /** The text that begins here. */
    String string() {
        int length = text();
        at += length;
        return new String(bytes, at - length, length, StandardCharsets.UTF_8);
    }

    /**
     * The entries that XREADGROUP read of one stream: behind its name, in one list with it, which is in another one where replies
     * have no maps.
     *
     * @return how many bytes that was
     */
    static int read(byte[] reply, long fence, @Nullable Batch batch, List<ClaimedEntry> into) {
        MessagePack from = new MessagePack(reply, 0);
        if (!from.isNil()) {
            from.list();
            if (from.isList()) {
                from.list();
            }
            from.skip(from.text());
            from.entries(fence, batch, into);
        }
        return from.at;
    }

    /** A list of entries that begins here, all handed out under that fence, and under the name of the batch if there is one. */
    void entries(long fence, @Nullable Batch batch, List<ClaimedEntry> into) {
        for (int left = list(); left > 0; left--) {
            into.add(ClaimedEntry.of(this, bytes, fence, batch));
        }
    }

    /** The id of an entry, as Redis writes it, that begins here. */
    EntryId entryId() {
        int length = text();
        int end = at + length;
        int dash = at;
        while (dash < end && bytes[dash] != '-') {
            dash++;
        }
        EntryId id = new EntryId(digits(at, dash), digits(dash + 1, end));
        at = end;
        return id;
    }

    /** Beyond 2^63 - 1 it is negative, as an id has it. */
    private long digits(int from, int to) {
        if (from >= to) {
            throw new IllegalArgumentException("no id of an entry at " + at);
        }
        long number = 0;
        for (int i = from; i < to; i++) {
            int digit = bytes[i] - '0';
            if (digit < 0 || digit > 9) {
                throw new IllegalArgumentException("no id of an entry at " + at);
            }
            number = 10 * number + digit;
        }
        return number;
    }

    private boolean isNil() {
        return (bytes[at] & 0xff) == 0xc0;
    }

    private boolean isList() {
        int type = bytes[at] & 0xff;
        return (type >= 0x90 && type <= 0x9f) || type == 0xdc || type == 0xdd;
    }

    private int small(int type, int least, int most) {
        if (type < least || type > most) {
            throw new IllegalArgumentException("type " + type + " at " + (at - 1));
        }
        return type - least;
    }

    private int number(int width) {
        at += width;
        return (int) Packed.number(bytes, at - width, width);
    }
}
