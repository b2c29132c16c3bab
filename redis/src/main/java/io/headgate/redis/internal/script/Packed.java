package io.headgate.redis.internal.script;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Whole numbers packed as scripts pack them, the high byte first. Not safe for use by several threads. */
public final class Packed {

    private byte[] bytes = new byte[32];
    private int size;

    /** Begins with nothing. */
    public Packed() {}

    /** Adds a number from 0 up in so many bytes. */
    public Packed number(long value, int width) {
        makeRoom(width);
        for (int shift = (width - 1) * 8; shift >= 0; shift -= 8) {
            bytes[size++] = (byte) (value >>> shift);
        }
        return this;
    }

    /** Adds bytes as they are. */
    public Packed all(byte[] given) {
        makeRoom(given.length);
        System.arraycopy(given, 0, bytes, size, given.length);
        size += given.length;
        return this;
    }

    private void makeRoom(int more) {
        if (more > bytes.length - size) {
            bytes = Arrays.copyOf(bytes, Math.max(Math.addExact(size, more), 2 * bytes.length));
        }
    }

    /** These, one after the other; one alone is not copied. */
    public static byte[] joined(byte[][] parts) {
        if (parts.length == 1) {
            return parts[0];
        }
        Packed all = new Packed();
        for (byte[] part : parts) {
            all.all(part);
        }
        return all.bytes();
    }

    /** All of it so far. */
    public byte[] bytes() {
        return Arrays.copyOf(bytes, size);
    }

    /** The number from 0 up that begins at {@code at} and has so many bytes. */
    public static long number(byte[] bytes, int at, int width) {
        long value = 0;
        for (int i = at; i < at + width; i++) {
            value = value << 8 | (bytes[i] & 0xff);
        }
        return value;
    }

    /** The number that may be below 0. */
    public static long signed(byte[] bytes, int at, int width) {
        int unused = Long.SIZE - width * 8;
        return number(bytes, at, width) << unused >> unused;
    }

    /** A number as text, as Redis takes numbers. */
    public static byte[] text(long number) {
        return Long.toString(number).getBytes(StandardCharsets.US_ASCII);
    }
}
