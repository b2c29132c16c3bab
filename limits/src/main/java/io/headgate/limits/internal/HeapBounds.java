package io.headgate.limits.internal;

/**
 * Default bounds of the memory of an engine, derived from the largest heap of this JVM ({@code -Xmx}), so that a client that sends new
 * ids with every request can't exhaust it.
 */
public final class HeapBounds {

    /** The bytes of a sliding window's counter with an id of 128 characters and some permits. Most counters take a third of it. */
    public static final int BYTES_PER_KEY = 600;

    private HeapBounds() {}

    /**
     * Returns the number of entries that fit in a part of the heap.
     *
     * @param part the divisor: 4 for a quarter of the heap
     * @param bytesEach the bytes of an entry, with all objects that only it references
     * @param least the least number, for a small heap
     * @param most the greatest number, for a large heap
     */
    public static int entries(int part, int bytesEach, int least, int most) {
        return entries(Runtime.getRuntime().maxMemory(), part, bytesEach, least, most);
    }

    /**
     * Returns the bytes of a part of the heap.
     *
     * @param part the divisor: 4 for a quarter of the heap
     * @param least the least number, for a small heap
     * @param most the greatest number, for a large heap
     */
    public static long bytes(int part, long least, long most) {
        return bytes(Runtime.getRuntime().maxMemory(), part, least, most);
    }

    /** For a heap of the given size in bytes; visible for tests. */
    static long bytes(long heapBytes, int part, long least, long most) {
        return Math.max(least, Math.min(most, heapBytes / part));
    }

    /** For a heap of the given size in bytes; visible for tests. */
    static int entries(long heapBytes, int part, int bytesEach, int least, int most) {
        return (int) Math.max(least, Math.min(most, heapBytes / part / bytesEach));
    }
}
