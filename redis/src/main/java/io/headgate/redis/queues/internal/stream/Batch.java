package io.headgate.redis.queues.internal.stream;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The entries that one {@code XREADGROUP} has read, under a consumer name that no other call uses. The pending list of that consumer
 * contains only these entries, each until it is settled or taken over. So the whole batch can be acknowledged by removing the
 * consumer. Safe for use by several threads.
 */
final class Batch {

    private final String name;
    private final long expiresNanos;
    /** 1 until the size is known, so that the batch is not over before. */
    private final AtomicInteger unsettled = new AtomicInteger(1);

    private volatile int size;

    private Batch(String name, long expiresNanos) {
        this.name = name;
        this.expiresNanos = expiresNanos;
    }

    String name() {
        return name;
    }

    byte[] nameBytes() {
        return name.getBytes(StandardCharsets.US_ASCII);
    }

    /** Sets the number of entries; called before the claim returns them. */
    void setSize(int entries) {
        size = entries;
        unsettled.set(entries);
    }

    int size() {
        return size;
    }

    /** Records that a call settles entries for the first time; returns whether the batch has no other unsettled entries. */
    boolean settle(int entries) {
        return unsettled.addAndGet(-entries) == 0;
    }

    /** Whether the consumer probably no longer exists in Redis: every entry is settled, or its lease has expired. */
    private boolean isOver(long nowNanos) {
        return unsettled.get() <= 0 || nowNanos - expiresNanos > 0;
    }

    /** Creates batches, unless too many are open: each is another consumer in Redis, and claims scan the consumers from time to time. */
    static final class Factory {

        private static final int MAX_OPEN = 64;

        private final Consumer consumer;
        private final long expiresAfterNanos;
        private final List<Batch> open = new ArrayList<>();

        Factory(Consumer consumer, Duration minIdle) {
            this.consumer = consumer;
            this.expiresAfterNanos = minIdle.toNanos();
        }

        /** Returns the next batch; empty while too many are open. */
        synchronized Optional<Batch> next() {
            long now = System.nanoTime();
            if (open.size() >= MAX_OPEN) {
                open.removeIf(batch -> batch.isOver(now));
            }
            if (open.size() >= MAX_OPEN) {
                return Optional.empty();
            }
            Batch batch = new Batch(consumer.nextName(), now + expiresAfterNanos);
            open.add(batch);
            return Optional.of(batch);
        }
    }
}
