package io.headgate.server.cli;

/** Ends a command that cannot start, or that failed. The message is for the user who typed the command. */
public final class StartException extends RuntimeException {

    private static final long serialVersionUID = 1;

    private final int exitCode;

    private StartException(String message, int exitCode) {
        super(message);
        this.exitCode = exitCode;
    }

    /** Wrong input, for example a file that cannot be read: exit code 2. */
    public static StartException wrongInput(String message) {
        return new StartException(message, 2);
    }

    /** A wrong environment, for example a port that is in use or a Redis that does not reply: exit code 1. */
    public static StartException failed(String message) {
        return new StartException(message, 1);
    }

    public int exitCode() {
        return exitCode;
    }
}
