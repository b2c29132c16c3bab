package io.headgate.redis.streams;

import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;

/**
 * What an engine is to the groups of its streams: one consumer, and another one for each batch of entries that is read at once,
 * by whose name the batch can be settled as a whole. No name is ever used for two batches, and nobody else has it.
 */
final class Consumer {

    private static final Pattern BATCH = Pattern.compile("[0-9a-f]{32}:[0-9]+");

    private final String name = StreamEngine.randomName();
    private final AtomicLong names = new AtomicLong();

    String name() {
        return name;
    }

    /** A name for a batch, or for what else there must not be twice. */
    String nextName() {
        return name + ":" + names.incrementAndGet();
    }

    /** Whose the batch of that name is; what is no such name stays as it is. */
    static String of(String name) {
        return BATCH.matcher(name).matches() ? name.substring(0, name.indexOf(':')) : name;
    }
}
