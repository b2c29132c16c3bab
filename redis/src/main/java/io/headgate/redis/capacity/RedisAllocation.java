package io.headgate.redis.capacity;

import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The bytes that Redis 6.2 to 8.0 with jemalloc allocates for keys and strings: each piece is rounded up to the next size of the
 * allocator. Small sizes are a quantum apart, up to eight of them, and then four to each doubling.
 *
 * <ul>
 *   <li>The name, once, as a string of Redis (SDS): a header, its bytes, and a zero.
 *   <li>An entry in the dictionary of keys and, where the key expires, one in that of expiries, 24 bytes each.
 *   <li>The value: its object of 16 bytes, and an SDS; up to 44 bytes both in one piece.
 *   <li>Eight bytes for each slot of the dictionaries' tables, of which there are as many as the next power of two.
 * </ul>
 *
 * @param quantumBytes 16 in most builds of jemalloc, also that of most distributions; 8 in the one that is part of Redis
 */
record RedisAllocation(int quantumBytes) {

    /** The quantum that needs more memory. */
    static final int LARGER_QUANTUM = 16;

    private static final Pattern QUANTUM = Pattern.compile("(?m)^Quantum size: (8|16)\\b");

    private static final int ENTRY = 24;
    private static final int OBJECT = 16;
    private static final int MAX_EMBEDDED = 44;
    private static final int POINTER = 8;
    private static final int SMALLEST_TABLE = 4;

    /** The quantum, from the reply to MEMORY MALLOC-STATS; empty for another allocator. */
    static OptionalInt quantumBytes(String mallocStats) {
        Matcher quantum = QUANTUM.matcher(mallocStats);
        return quantum.find() ? OptionalInt.of(Integer.parseInt(quantum.group(1))) : OptionalInt.empty();
    }

    /** A key that expires, without its value and without its slots. */
    long key(int length) {
        return string(length) + 2 * rounded(ENTRY);
    }

    /** A key that stays, without its value and without its slots. */
    long keyThatStays(int length) {
        return string(length) + rounded(ENTRY);
    }

    /** A value that was written at once. */
    long value(long length) {
        return length <= MAX_EMBEDDED ? rounded(OBJECT + 3 + length + 1) : OBJECT + string(length);
    }

    /** A value that grew to this length by SETRANGE, for which Redis allocates twice the length. */
    long grownValue(long length) {
        return OBJECT + string(2 * length);
    }

    /** The tables of both dictionaries, if all keys expire. */
    long tables(double keys) {
        return 2 * table(keys);
    }

    /** The table of a dictionary with this number of entries. */
    long table(double entries) {
        long slots = SMALLEST_TABLE;
        while (slots < entries) {
            slots *= 2;
        }
        return entries > 0 ? rounded(POINTER * slots) : 0;
    }

    /** A string of Redis, such as a name, field or member. */
    long string(long length) {
        int header = length < 32 ? 1 : length < 256 ? 3 : length < 65_536 ? 5 : 9;
        return rounded(header + length + 1);
    }

    /** Rounds up to a size of the allocator. */
    long rounded(long bytes) {
        long step = bytes <= 8L * quantumBytes ? quantumBytes : Long.highestOneBit(bytes - 1) / 4;
        return (bytes + step - 1) / step * step;
    }
}
