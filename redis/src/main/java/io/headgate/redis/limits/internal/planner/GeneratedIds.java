package io.headgate.redis.limits.internal.planner;

import java.security.SecureRandom;
import java.util.Base64;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Makes ids for requests whose callers gave none, as parts of keys. They are unique, and differ from the key text of every id that a
 * caller can give. Safe for use by any number of threads.
 */
public final class GeneratedIds {

    private static final int RANDOM_BYTES = 12;

    private final String engine;
    private final AtomicLong last = new AtomicLong();

    public GeneratedIds() {
        byte[] random = new byte[RANDOM_BYTES];
        new SecureRandom().nextBytes(random);
        // A caller's id begins with this only as a hash, which has no dot.
        this.engine = "~" + Base64.getUrlEncoder().withoutPadding().encodeToString(random) + ".";
    }

    public String next() {
        return engine + Long.toString(last.incrementAndGet(), Character.MAX_RADIX);
    }
}
