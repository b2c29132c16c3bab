package io.headgate.spring.internal;

import io.headgate.config.ConfigException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/** Collects the problems of a configuration, each once, so that one start reports all of them. Not safe for use by several threads. */
public final class Problems {

    private static final int MAX = 20;

    private final Set<String> problems = new LinkedHashSet<>();
    private int further;

    /** Creates an empty collection. */
    public Problems() {}

    /** Runs a check, and adds the problems with which it fails. */
    public void collect(Runnable check) {
        try {
            check.run();
        } catch (ConfigException e) {
            problems.addAll(e.problems());
            further += e.further();
        }
    }

    /**
     * Adds a problem.
     *
     * @param where the property or annotation
     */
    public void add(String where, String problem) {
        problems.add(where + ": " + problem);
    }

    /** Returns a value; if creating it throws an {@link IllegalArgumentException}, adds the problem and returns a placeholder. */
    public <T> T checked(String where, Supplier<T> value, T placeholder) {
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
     * @throws ConfigException lists the first 20, and counts the others
     */
    public void failIfAny() {
        if (!problems.isEmpty()) {
            List<String> first = problems.stream().limit(MAX).toList();
            throw new ConfigException(first, problems.size() - first.size() + further);
        }
    }
}
