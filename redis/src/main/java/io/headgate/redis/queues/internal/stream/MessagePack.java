package io.headgate.redis.queues.internal.stream;

import io.headgate.queues.streams.EntryId;
import io.headgate.redis.internal.script.Packed;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** A reader of the MessagePack lists and strings that Redis scripts write with {@code cmsgpack}, and executors for trailing commands. */
final class MessagePack {

    private final byte[] bytes;
    private int at;

    MessagePack(byte[] bytes, int at) {
        this.bytes = bytes;
        this.at = at;
    }

    /** The position of the next value. */
    int at() {
        return at;
    }

    /** Reads the header of a list; returns how many values follow. */
    int list() {
        int type = bytes[at++] & 0xff;
        return switch (type) {
            case 0xdc -> number(2);
            case 0xdd -> number(4);
            default -> small(type, 0x90, 0x9f);
        };
    }

    /** Reads the header of a string; returns its length, and {@link #at()} is its first byte. */
    int text() {
        int type = bytes[at++] & 0xff;
        return switch (type) {
            case 0xd9 -> number(1);
            case 0xda -> number(2);
            case 0xdb -> number(4);
            default -> small(type, 0xa0, 0xbf);
        };
    }

    /** Skips the next string if it equals the given one; returns whether it does. */
    boolean skipIfEqual(byte[] given) {
        int before = at;
        int length = text();
        if (length == given.length && Arrays.equals(bytes, at, at + length, given, 0, length)) {
            at += length;
            return true;
        }
        at = before;
        return false;
    }

    /** Skips bytes. */
    void skip(int length) {
        at += length;
    }

    /** Reads a string. */
    String string() {
        int length = text();
        at += length;
        return new String(bytes, at - length, length, StandardCharsets.UTF_8);
    }

    /** Reads the id of an entry, in the format of Redis. */
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

    /** Parses a decimal number; numbers above 2^63 - 1 wrap around to negative ones, as in {@link EntryId}. */
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

    /** Whether the next value is nil. */
    boolean isNil() {
        return (bytes[at] & 0xff) == 0xc0;
    }

    /** Whether the next value is a list. */
    boolean isList() {
        int type = bytes[at] & 0xff;
        return (type >= 0x90 && type <= 0x9f) || type == 0xdc || type == 0xdd;
    }

    private int small(int type, int least, int max) {
        if (type < least || type > max) {
            throw new IllegalArgumentException("type " + type + " at " + (at - 1));
        }
        return type - least;
    }

    private int number(int width) {
        at += width;
        return (int) Packed.number(bytes, at - width, width);
    }
}
