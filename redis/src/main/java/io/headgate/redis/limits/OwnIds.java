package io.headgate.redis.limits;

import java.security.SecureRandom;
import java.util.Base64;
import java.util.concurrent.atomic.AtomicLong;

/** Ids that an engine gives to requests by itself, as part of a key: never one that a caller's id may become. */
final class OwnIds {

    private static final int RANDOM_BYTES = 12;

    private final String engine;
    private final AtomicLong last = new AtomicLong();

    OwnIds() {
        byte[] random = new byte[RANDOM_BYTES];
        new SecureRandom().nextBytes(random);
        // A caller's id begins with this only as a hash, which has no dot.
        this.engine = "~" + Base64.getUrlEncoder().withoutPadding().encodeToString(random) + ".";
    }

    String next() {
        return engine + Long.toString(last.incrementAndGet(), Character.MAX_RADIX);
    }
}
