package io.headgate.spring.operations;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A value for each of the first {@value #MAX_POLICIES} policies, and one for all others, so that policies that are created at run time
 * need a bounded memory. Safe for use by any number of threads.
 */
final class FirstPolicies<T> {

    static final int MAX_POLICIES = 500;

    /** The name that stands for all other policies. */
    static final String OTHER = "other";

    private final Map<String, T> values = new ConcurrentHashMap<>();
    private final ReentrantLock adding = new ReentrantLock();
    private final Function<String, T> create;
    private volatile @Nullable T other;

    /**
     * Creates an empty map.
     *
     * @param create creates the value of a policy, or of {@value #OTHER}
     */
    FirstPolicies(Function<String, T> create) {
        this.create = create;
    }

    /** Returns the value of a policy, which the first call creates. */
    T get(String policy) {
        T found = values.get(policy);
        if (found != null) {
            return found;
        }
        T common = other;
        return common != null
                ? common
                : added(() -> {
                    if (values.size() < MAX_POLICIES) {
                        return values.computeIfAbsent(policy, create);
                    }
                    T created = create.apply(OTHER);
                    other = created;
                    return created;
                });
    }

    private T added(Supplier<T> add) {
        adding.lock();
        try {
            T common = other;
            return common != null ? common : add.get();
        } finally {
            adding.unlock();
        }
    }

    /** Returns the value of a policy that has one of its own. */
    Optional<T> find(String policy) {
        return Optional.ofNullable(values.get(policy));
    }

    /** Returns the value of all other policies; empty if there are none. */
    Optional<T> others() {
        return Optional.ofNullable(other);
    }
}
