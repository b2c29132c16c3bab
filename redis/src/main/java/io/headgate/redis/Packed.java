package io.headgate.redis;

/**
 * Whole numbers packed as scripts pack them, the high byte first; each character of the text is a byte. Not safe for
 * use by several threads.
 */
final class Packed {

    private final StringBuilder text = new StringBuilder();

    /** Adds a number from 0 up in so many bytes. */
    Packed number(long value, int bytes) {
        for (int shift = (bytes - 1) * 8; shift >= 0; shift -= 8) {
            text.append((char) (value >>> shift & 0xff));
        }
        return this;
    }

    String text() {
        return text.toString();
    }

    /** The number from 0 up that begins at {@code at} and has so many bytes. */
    static long number(String text, int at, int bytes) {
        long value = 0;
        for (int i = at; i < at + bytes; i++) {
            value = value << 8 | text.charAt(i);
        }
        return value;
    }

    /** The number that may be below 0. */
    static long signed(String text, int at, int bytes) {
        int unused = Long.SIZE - bytes * 8;
        return number(text, at, bytes) << unused >> unused;
    }
}
