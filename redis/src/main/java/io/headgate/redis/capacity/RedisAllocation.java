package io.headgate.redis.capacity;

import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The bytes that Redis 6.2 to 8.0 with jemalloc allocates for keys and strings. Each allocation is rounded up to a size class. Size
 * classes are a quantum apart up to eight quanta; above, there are four for each doubling. Redis allocates:
 *
 * <ul>
 *   <li>The name of a key, once, as a string of Redis (SDS): a header, its bytes, and a zero byte.
 *   <li>An entry of 24 bytes in the dictionary of keys; for a key that expires, a second one in the dictionary of expiries.
 *   <li>The value: an object of 16 bytes, and an SDS. A value of up to 44 bytes is one allocation.
 *   <li>Eight bytes for each slot of the dictionaries' tables. The number of slots is a power of two.
 * </ul>
 *
 * @param quantumBytes 16 in most builds of jemalloc, such as those of most distributions; 8 in the build that is part of Redis
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

    /** Reads the quantum from the reply to MEMORY MALLOC-STATS; empty for an allocator other than jemalloc. */
    static OptionalInt quantumBytes(String mallocStats) {
        Matcher quantum = QUANTUM.matcher(mallocStats);
        return quantum.find() ? OptionalInt.of(Integer.parseInt(quantum.group(1))) : OptionalInt.empty();
    }

    /** The bytes of a key that expires, without its value and without its slots. */
    long key(int length) {
        return string(length) + 2 * rounded(ENTRY);
    }

    /** The bytes of a key without an expiry, without its value and without its slot. */
    long persistentKey(int length) {
        return string(length) + rounded(ENTRY);
    }

    /** The bytes of a string value that one command has written. */
    long value(long length) {
        return length <= MAX_EMBEDDED ? rounded(OBJECT + 3 + length + 1) : OBJECT + string(length);
    }

    /** The bytes of a string value that SETRANGE has extended to this length, up to 1 MB; Redis allocates twice the length. */
    long grownValue(long length) {
        return OBJECT + string(2 * length);
    }

    /** The bytes of the tables of both dictionaries, if all keys expire. */
    long tables(double keys) {
        return 2 * table(keys);
    }

    /** The bytes of the table of a dictionary with this number of entries. */
    long table(double entries) {
        long slots = SMALLEST_TABLE;
        while (slots < entries) {
            slots *= 2;
        }
        return entries > 0 ? rounded(POINTER * slots) : 0;
    }

    /** The bytes of a string of Redis, such as a name, field or member. */
    long string(long length) {
        int header = length < 32 ? 1 : length < 256 ? 3 : length < 65_536 ? 5 : 9;
        return rounded(header + length + 1);
    }

    /** Rounds up to a size class. */
    long rounded(long bytes) {
        long step = bytes <= 8L * quantumBytes ? quantumBytes : Long.highestOneBit(bytes - 1) / 4;
        return (bytes + step - 1) / step * step;
    }
}
