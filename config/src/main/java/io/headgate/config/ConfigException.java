package io.headgate.config;

import java.util.List;

/**
 * A configuration was refused: nothing of it is taken. The message lists what is wrong with it, one problem a line, such
 * as {@code policies.yaml:7:15: policies.checkout.rules.per-user.sliding-window.window: must be from 1 ms to 366 days,
 * was 0s}.
 */
public final class ConfigException extends RuntimeException {

    private static final long serialVersionUID = 1;

    // A list made by List.copyOf is serializable, which its type can't say.
    @SuppressWarnings("serial")
    private final List<String> problems;

    /**
     * Creates one for a source of configuration.
     *
     * @param problems the first problems, each in a line
     * @param message all of them that are shown, each in a line
     */
    public ConfigException(List<String> problems, String message) {
        super(message);
        this.problems = List.copyOf(problems);
    }

    /** The first 20 problems in the order of the file: each names its source, line, column and path of keys. */
    public List<String> problems() {
        return problems;
    }
}
