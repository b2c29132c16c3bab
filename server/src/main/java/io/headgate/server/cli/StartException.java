package io.headgate.server.cli;

/** A command cannot run. The message is for the user who typed the command. */
public final class StartException extends RuntimeException {

    private static final long serialVersionUID = 1;

    private final int exitCode;

    private StartException(String message, int exitCode) {
        super(message);
        this.exitCode = exitCode;
    }

    /** The input is wrong, for example a file that cannot be read. */
    public static StartException wrongInput(String message) {
        return new StartException(message, 2);
    }

    /** The environment is wrong, for example a port that is in use or a Redis that does not answer. */
    public static StartException failed(String message) {
        return new StartException(message, 1);
    }

    public int exitCode() {
        return exitCode;
    }
}
