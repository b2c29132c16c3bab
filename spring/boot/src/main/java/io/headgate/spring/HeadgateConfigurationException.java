package io.headgate.spring;

/** Thrown when the application cannot start because of its configuration. Spring Boot prints the problem and the action. */
public final class HeadgateConfigurationException extends RuntimeException {

    private static final long serialVersionUID = 1;

    private final String action;

    /**
     * Creates an exception.
     *
     * @param problem what is wrong, and where; contains no password
     * @param action what to change
     */
    public HeadgateConfigurationException(String problem, String action) {
        super(problem);
        this.action = action;
    }

    /**
     * Creates an exception with a cause.
     *
     * @param problem what is wrong, and where; contains no password
     * @param action what to change
     */
    public HeadgateConfigurationException(String problem, String action, Throwable cause) {
        super(problem, cause);
        this.action = action;
    }

    /** Returns what to change. */
    public String getAction() {
        return action;
    }
}
