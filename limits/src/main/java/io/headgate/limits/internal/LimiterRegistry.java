package io.headgate.limits.internal;

import io.headgate.limits.Policy;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * The limiters of an engine that the application still references. It holds only weak references, so a limiter disappears after it was
 * garbage-collected. Safe for use by any number of threads.
 *
 * @param <L> the type of a limiter: an object that every user of the limiter references
 */
public final class LimiterRegistry<L> {

    private final Function<L, Policy> policyOf;
    private final ReentrantLock lock = new ReentrantLock();
    private final Set<L> limiters = Collections.newSetFromMap(new WeakHashMap<>());

    /** Creates an empty registry. The function returns the policy of a limiter. */
    public LimiterRegistry(Function<L, Policy> policyOf) {
        this.policyOf = policyOf;
    }

    /** Adds a limiter, and returns it. */
    public L add(L limiter) {
        lock.lock();
        try {
            limiters.add(limiter);
        } finally {
            lock.unlock();
        }
        return limiter;
    }

    /** Returns the current policies of all limiters, each once, sorted by name. */
    public List<Policy> policies() {
        return all().stream()
                .map(policyOf)
                .distinct()
                .sorted(Comparator.comparing(Policy::name))
                .toList();
    }

    /** Calls a function with each limiter. */
    public void forEach(Consumer<L> action) {
        all().forEach(action);
    }

    private List<L> all() {
        lock.lock();
        try {
            return List.copyOf(limiters);
        } finally {
            lock.unlock();
        }
    }

    /** The number of registered limiters. */
    int size() {
        lock.lock();
        try {
            return limiters.size();
        } finally {
            lock.unlock();
        }
    }
}
