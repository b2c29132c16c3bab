package io.headgate.config;

import java.util.List;

/**
 * A configuration was rejected as a whole. The message lists its problems, one in each line, for example {@code policies.yaml:7:15:
 * policies.checkout.rules.per-user.sliding-window.window: must be from 1 ms to 366 days, was 0s}.
 */
public final class ConfigException extends RuntimeException {

    private static final long serialVersionUID = 1;

    // A list made by List.copyOf is serializable, which its type can't say.
    @SuppressWarnings("serial")
    private final List<String> problems;

    /**
     * Creates an exception for a source of configuration.
     *
     * @param problems the first problems, one in each line
     * @param message all problems that are shown, one in each line
     */
    public ConfigException(List<String> problems, String message) {
        super(message);
        this.problems = List.copyOf(problems);
    }

    /** The first 20 problems in the order of the file, each with its source, line, column and path of keys. */
    public List<String> problems() {
        return problems;
    }
}
