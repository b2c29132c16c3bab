package io.headgate.micrometer;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Meters by the name of what they measure. The first names have meters of their own, and all further ones share those of {@value
 * TagValues#OTHER}. So the memory is bounded, even if an application creates names at run time. Safe for use by any number of threads.
 */
final class MetersByName<T> {

    private final Map<String, T> meters = new ConcurrentHashMap<>();
    private final ReentrantLock adding = new ReentrantLock();
    private final int max;
    private final Function<String, T> create;
    private volatile @Nullable T other;

    /**
     * Creates an instance without meters.
     *
     * @param max the most names with meters of their own: 1 or more
     * @param create creates the meters of a name
     */
    MetersByName(int max, Function<String, T> create) {
        this.max = max;
        this.create = create;
    }

    /** Returns the meters of a name. The first call for the name creates them. */
    T get(String name) {
        T found = meters.get(name);
        if (found == null) {
            found = other;
        }
        return found != null ? found : added(name);
    }

    private T added(String name) {
        adding.lock();
        try {
            T found = meters.get(name);
            if (found == null && meters.size() < max) {
                found = create.apply(name);
                meters.put(name, found);
            }
            return found != null ? found : others();
        } finally {
            adding.unlock();
        }
    }

    /** Returns the shared meters, which are also those of the name {@value TagValues#OTHER}. */
    private T others() {
        T found = other;
        if (found == null) {
            found = meters.computeIfAbsent(TagValues.OTHER, create);
            other = found;
        }
        return found;
    }
}
