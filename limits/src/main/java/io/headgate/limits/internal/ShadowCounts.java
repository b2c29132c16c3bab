package io.headgate.limits.internal;

import io.headgate.limits.LimitEngine;
import java.lang.ref.WeakReference;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The counts of {@linkplain LimitEngine#shadowLimiter shadow limiters} in memory, by the name of their shadow. They are kept while a limiter
 * references them. Safe for use by any number of threads.
 */
public final class ShadowCounts<C> {

    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, WeakReference<C>> byShadow = new HashMap<>();

    /** Creates an instance without counts. */
    public ShadowCounts() {}

    /** Returns the counts of a shadow, which are created if there are none. */
    public C of(String shadow, Supplier<C> creator) {
        lock.lock();
        try {
            byShadow.values().removeIf(counts -> counts.refersTo(null));
            WeakReference<C> known = byShadow.get(shadow);
            @Nullable C counts = known == null ? null : known.get();
            if (counts == null) {
                counts = creator.get();
                byShadow.put(shadow, new WeakReference<>(counts));
            }
            return counts;
        } finally {
            lock.unlock();
        }
    }
}
