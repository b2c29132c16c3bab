package io.headgate.spring.queues.internal;

import io.headgate.config.ConfigException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/** Collects the problems of a configuration, so that one start reports all of them. Not safe for use by several threads. */
final class Problems {

    private static final int MAX = 20;

    private final Set<String> problems = new LinkedHashSet<>();

    /**
     * Adds a problem.
     *
     * @param where the property or annotation
     */
    void add(String where, String problem) {
        problems.add(where + ": " + problem);
    }

    /** Returns a value; if creating it throws an {@link IllegalArgumentException}, adds the problem and returns a placeholder. */
    <T> T checked(String where, Supplier<T> value, T placeholder) {
        try {
            return value.get();
        } catch (IllegalArgumentException e) {
            add(where, String.valueOf(e.getMessage()));
            return placeholder;
        }
    }

    /**
     * Fails if there are problems.
     *
     * @throws ConfigException lists the first 20
     */
    void failIfAny() {
        if (!problems.isEmpty()) {
            List<String> first = problems.stream().limit(MAX).toList();
            int more = problems.size() - first.size();
            throw new ConfigException(
                    first, String.join("\n", first) + (more > 0 ? "\nand " + more + " more problems" : ""));
        }
    }
}
