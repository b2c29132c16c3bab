package io.headgate.redis.queues.internal.stream;

import java.util.HexFormat;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;

/**
 * The consumer of an engine in the groups of its streams. It has a random name, from which the names of {@linkplain Batch batches} are
 * derived. No name is used for two batches or by two engines. Safe for use by several threads.
 */
final class Consumer {

    private static final Pattern BATCH = Pattern.compile("[0-9a-f]{32}:[0-9]+");

    private final String name = randomName();
    private final AtomicLong names = new AtomicLong();

    private static String randomName() {
        UUID random = UUID.randomUUID();
        return HexFormat.of().toHexDigits(random.getMostSignificantBits())
                + HexFormat.of().toHexDigits(random.getLeastSignificantBits());
    }

    String name() {
        return name;
    }

    /** Returns a unique name, for a batch or for a key. */
    String nextName() {
        return name + ":" + names.incrementAndGet();
    }

    /** Returns the name of the consumer of a batch, given the name of the batch; returns any other name unchanged. */
    static String of(String name) {
        return BATCH.matcher(name).matches() ? name.substring(0, name.indexOf(':')) : name;
    }
}
