package io.headgate.redis.limits;

import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The keys of an engine under which another program has stored something. Such a key says nothing of Redis, so a fallback answers
 * its requests and nobody would notice: the latest is kept for a minute, and a line a minute is logged. Safe for use by any number of
 * threads.
 */
final class ForeignKeys {

    private static final System.Logger LOG = System.getLogger(ForeignKeys.class.getName());
    private static final long KEPT_NANOS = Duration.ofMinutes(1).toNanos();

    private final String redis;
    private final LongSupplier nanoTime;
    private final AtomicReference<@Nullable Found> latest = new AtomicReference<>();
    private final AtomicLong loggedNanos;

    private record Found(String key, long atNanos) {}

    /**
     * None yet.
     *
     * @param redis which Redis it is, for the log
     * @param nanoTime as {@link System#nanoTime()}
     */
    ForeignKeys(String redis, LongSupplier nanoTime) {
        this.redis = redis;
        this.nanoTime = nanoTime;
        this.loggedNanos = new AtomicLong(nanoTime.getAsLong() - KEPT_NANOS);
    }

    /** A call has failed, as this key holds a foreign value. */
    void found(String key) {
        long now = nanoTime.getAsLong();
        latest.set(new Found(key, now));
        long logged = loggedNanos.get();
        if (now - logged >= KEPT_NANOS && loggedNanos.compareAndSet(logged, now)) {
            LOG.log(Level.WARNING, redis + ": " + remedy(key));
        }
    }

    /** What is wrong with the key that was found last within a minute, and what to do. */
    Optional<String> problem() {
        Found found = latest.get();
        return found == null || nanoTime.getAsLong() - found.atNanos >= KEPT_NANOS
                ? Optional.empty()
                : Optional.of(remedy(found.key));
    }

    private static String remedy(String key) {
        return key + " holds something that Headgate did not store; find which program writes it, then remove it (DEL "
                + key + ") or give Headgate another key prefix";
    }
}
