package io.headgate.redis.streams;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Makes batches, as long as not too many have entries in hand: each is a consumer more, all of which Redis looks at now and then. */
final class Batches {

    private static final int MOST = 64;

    private final Consumer consumer;
    private final long expiresAfterNanos;
    private final List<Batch> open = new ArrayList<>();

    Batches(Consumer consumer, Duration minIdle) {
        this.consumer = consumer;
        this.expiresAfterNanos = minIdle.toNanos();
    }

    /** The next one; none while there are too many. */
    synchronized Optional<Batch> next() {
        long now = System.nanoTime();
        if (open.size() >= MOST) {
            open.removeIf(batch -> batch.isOver(now));
        }
        if (open.size() >= MOST) {
            return Optional.empty();
        }
        Batch batch = new Batch(consumer.nextName(), now + expiresAfterNanos);
        open.add(batch);
        return Optional.of(batch);
    }
}
