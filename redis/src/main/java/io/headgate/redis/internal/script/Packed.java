package io.headgate.redis.internal.script;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** A byte array of big-endian integers, in the format that the scripts use. Not thread-safe. */
public final class Packed {

    private byte[] bytes = new byte[32];
    private int size;

    /** Creates an empty array. */
    public Packed() {}

    /**
     * Appends a non-negative integer.
     *
     * @param width its length in bytes
     */
    public Packed number(long value, int width) {
        makeRoom(width);
        for (int shift = (width - 1) * 8; shift >= 0; shift -= 8) {
            bytes[size++] = (byte) (value >>> shift);
        }
        return this;
    }

    /** Appends bytes unchanged. */
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

    /** Concatenates the parts. A single part is returned as it is, without a copy. */
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

    /** A copy of all bytes appended so far. */
    public byte[] bytes() {
        return Arrays.copyOf(bytes, size);
    }

    /**
     * Reads a non-negative integer.
     *
     * @param at the index of its first byte
     * @param width its length in bytes
     */
    public static long number(byte[] bytes, int at, int width) {
        long value = 0;
        for (int i = at; i < at + width; i++) {
            value = value << 8 | (bytes[i] & 0xff);
        }
        return value;
    }

    /**
     * Reads a signed integer.
     *
     * @param at the index of its first byte
     * @param width its length in bytes
     */
    public static long signed(byte[] bytes, int at, int width) {
        int unused = Long.SIZE - width * 8;
        return number(bytes, at, width) << unused >> unused;
    }

    /** Formats a number as decimal text, as Redis expects numeric arguments. */
    public static byte[] text(long number) {
        return Long.toString(number).getBytes(StandardCharsets.US_ASCII);
    }
}
