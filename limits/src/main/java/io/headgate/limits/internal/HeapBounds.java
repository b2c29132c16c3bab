package io.headgate.limits.internal;

/**
 * Default bounds of the memory of an engine, derived from the largest heap of this JVM ({@code -Xmx}), so that a client that sends new
 * ids with every request can't exhaust it.
 */
public final class HeapBounds {

    /** A counter of a sliding window with an id of 128 characters, and some permits; most counters take a third of it. */
    public static final int BYTES_PER_KEY = 600;

    private HeapBounds() {}

    /**
     * Returns the number of entries that fit in a part of the heap.
     *
     * @param part as the divisor: 4 is a quarter of the heap
     * @param bytesEach the bytes of an entry, with all that only it refers to
     * @param least returned where the heap is smaller
     * @param most returned where the heap is larger
     */
    public static int entries(int part, int bytesEach, int least, int most) {
        return entries(Runtime.getRuntime().maxMemory(), part, bytesEach, least, most);
    }

    /**
     * Returns the bytes of a part of the heap.
     *
     * @param part as the divisor: 4 is a quarter of the heap
     * @param least returned where the part is smaller
     * @param most returned where the part is larger
     */
    public static long bytes(int part, long least, long most) {
        return bytes(Runtime.getRuntime().maxMemory(), part, least, most);
    }

    /** The same for a heap of the given size in bytes. */
    static long bytes(long heapBytes, int part, long least, long most) {
        return Math.max(least, Math.min(most, heapBytes / part));
    }

    /** The same for a heap of the given size in bytes. */
    static int entries(long heapBytes, int part, int bytesEach, int least, int most) {
        return (int) Math.max(least, Math.min(most, heapBytes / part / bytesEach));
    }
}
