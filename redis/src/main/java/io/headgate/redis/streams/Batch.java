package io.headgate.redis.streams;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Entries that one command has read under a name of their own: Redis keeps under it exactly these, but for such as were settled or
 * taken over.
 */
final class Batch {

    private final String name;
    private final long expiresNanos;
    private final AtomicInteger open = new AtomicInteger(1);
    private volatile int size;

    Batch(String name, long expiresNanos) {
        this.name = name;
        this.expiresNanos = expiresNanos;
    }

    String name() {
        return name;
    }

    byte[] nameBytes() {
        return name.getBytes(StandardCharsets.US_ASCII);
    }

    /** Says how many entries it has, before any of them is handed out. */
    void isOf(int entries) {
        size = entries;
        open.set(entries);
    }

    int size() {
        return size;
    }

    /** Notes that something was said of so many for the first time; whether nothing is left of which nothing was. */
    boolean spokenOf(int entries) {
        return open.addAndGet(-entries) == 0;
    }

    /** Whether its name is no longer expected in Redis: all is settled, or has expired. */
    boolean isOver(long nowNanos) {
        return open.get() <= 0 || nowNanos - expiresNanos > 0;
    }
}
