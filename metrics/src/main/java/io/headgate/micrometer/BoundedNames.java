package io.headgate.micrometer;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The meters of each name, up to a number of names, and those of all further ones, whose tag is {@value #OTHER}. So names that are created
 * at run time need a bounded memory. Safe for use by any number of threads.
 */
final class BoundedNames<T> {

    /** The tag of all names beyond the maximum. */
    static final String OTHER = "other";

    private final Map<String, T> meters = new ConcurrentHashMap<>();
    private final ReentrantLock adding = new ReentrantLock();
    private final int max;
    private final Function<String, T> create;
    private volatile @Nullable T other;

    /**
     * Creates an instance without names.
     *
     * @param max the most names with meters of their own: 1 or more
     * @param create creates the meters of a name, or of {@value #OTHER}
     */
    BoundedNames(int max, Function<String, T> create) {
        this.max = max;
        this.create = create;
    }

    /** Returns the meters of a name, which its first call creates. */
    T get(String name) {
        T found = meters.get(name);
        return found != null ? found : added(name);
    }

    private T added(String name) {
        T common = other;
        if (common != null) {
            return common;
        }
        adding.lock();
        try {
            T found = meters.get(name);
            if (found == null && meters.size() < max) {
                found = create.apply(name);
                meters.put(name, found);
            }
            if (found == null) {
                found = other;
            }
            if (found == null) {
                found = create.apply(OTHER);
                other = found;
            }
            return found;
        } finally {
            adding.unlock();
        }
    }
}
