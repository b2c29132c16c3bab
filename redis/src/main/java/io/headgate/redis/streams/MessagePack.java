package io.headgate.redis.streams;

import io.headgate.redis.internal.Packed;
import java.nio.charset.StandardCharsets;

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
