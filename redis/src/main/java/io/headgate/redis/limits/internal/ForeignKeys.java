package io.headgate.redis.limits.internal;

import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The keys of an engine that hold values of another program. Redis is healthy in that case, and the fallback would decide requests for such
 * a key unnoticed. Therefore the latest such key is reported for a minute, and a warning is logged at most once a minute. Safe for use by
 * any number of threads.
 */
public final class ForeignKeys {

    private static final System.Logger LOG = System.getLogger(ForeignKeys.class.getName());

    /** The most keys of one call in a message: one for each rule of a policy, and one for a request id. */
    private static final int MOST_NAMED = 17;

    private static final long KEPT_NANOS = Duration.ofMinutes(1).toNanos();

    private final String redis;
    private final LongSupplier nanoTime;
    private final AtomicReference<@Nullable Found> latest = new AtomicReference<>();
    private final AtomicLong loggedNanos;

    private record Found(List<String> keys, long atNanos) {}

    /**
     * Creates an instance without keys.
     *
     * @param redis describes the Redis in the log
     * @param nanoTime {@link System#nanoTime()}, except in tests
     */
    public ForeignKeys(String redis, LongSupplier nanoTime) {
        this.redis = redis;
        this.nanoTime = nanoTime;
        this.loggedNanos = new AtomicLong(nanoTime.getAsLong() - KEPT_NANOS);
    }

    /** Records that a call with these keys failed, because one of them holds a foreign value. */
    public void found(List<String> keys) {
        long now = nanoTime.getAsLong();
        latest.set(new Found(keys, now));
        long logged = loggedNanos.get();
        if (now - logged >= KEPT_NANOS && loggedNanos.compareAndSet(logged, now)) {
            LOG.log(Level.WARNING, redis + ": " + remedy(keys));
        }
    }

    /** Describes the latest such key and what to do; empty if none was found in the last minute. */
    public Optional<String> problem() {
        Found found = latest.get();
        return found == null || nanoTime.getAsLong() - found.atNanos >= KEPT_NANOS
                ? Optional.empty()
                : Optional.of(remedy(found.keys));
    }

    private static String remedy(List<String> keys) {
        if (keys.size() > 1) {
            String more = keys.size() > MOST_NAMED ? " and " + (keys.size() - MOST_NAMED) + " more" : "";
            return "one of the keys " + String.join(", ", keys.subList(0, Math.min(MOST_NAMED, keys.size()))) + more
                    + " holds something that Headgate did not store, and the others may be valid; find which key another"
                    + " program writes, then remove only that key or give Headgate another key prefix";
        }
        String key = keys.isEmpty() ? "a key" : keys.get(0);
        return key + " holds something that Headgate did not store; find which program writes it, then remove it (DEL "
                + key + ") or give Headgate another key prefix";
    }
}
