package io.headgate.config;

import java.util.List;

/**
 * Thrown when a configuration is rejected. The message lists its problems, one in each line, for example {@code policies.yaml:7:15:
 * policies.checkout.rules.per-user.sliding-window.window: must be from 1 ms to 366 days, was 0s}.
 */
public final class ConfigException extends RuntimeException {

    private static final long serialVersionUID = 1;

    // The result of List.copyOf is serializable, but its type does not show it.
    @SuppressWarnings("serial")
    private final List<String> problems;

    private final int further;

    /** Creates an exception that lists all problems of a source of configuration. */
    public ConfigException(List<String> problems) {
        this(problems, 0);
    }

    /**
     * Creates an exception for a source of configuration.
     *
     * @param problems the first problems, in the order of the source
     * @param further the number of problems that are not listed
     */
    public ConfigException(List<String> problems, int further) {
        super(String.join("\n", problems) + (further > 0 ? "\nand " + further + " more" : ""));
        this.problems = List.copyOf(problems);
        this.further = further;
    }

    /**
     * Returns the first 20 problems in the order of the source, each beginning with its source, line, column and path of keys. A problem
     * with a property begins with the name of the property only. A problem with a whole file, for example that it can't be read, begins
     * with the source only.
     */
    public List<String> problems() {
        return problems;
    }

    /** Returns how many problems the source has besides {@link #problems()}. */
    public int further() {
        return further;
    }
}
