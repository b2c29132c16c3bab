package io.headgate.limits.internal;

import io.headgate.limits.Policy;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;

/**
 * The limiters of an engine that are reachable: holds weak references only, and none of a limiter that was collected. Safe for use by
 * any number of threads.
 *
 * @param <L> the object that every user of a limiter holds
 */
public final class LimiterRegistry<L> {

    private final Function<L, Policy> policyOf;
    private final ReentrantLock lock = new ReentrantLock();
    private final Set<L> limiters = Collections.newSetFromMap(new WeakHashMap<>());

    /** An empty registry of limiters that have their policy by this function. */
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

    /** The current policies of all limiters, each once, by name. */
    public List<Policy> policies() {
        List<L> now;
        lock.lock();
        try {
            now = List.copyOf(limiters);
        } finally {
            lock.unlock();
        }
        return now.stream()
                .map(policyOf)
                .distinct()
                .sorted(Comparator.comparing(Policy::name))
                .toList();
    }

    /** How many limiters are known. */
    int size() {
        lock.lock();
        try {
            return limiters.size();
        } finally {
            lock.unlock();
        }
    }
}
