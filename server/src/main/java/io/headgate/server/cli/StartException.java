package io.headgate.server.cli;

/** What was asked for can't be started; the message is for the one who typed the command. */
public final class StartException extends RuntimeException {

    private static final long serialVersionUID = 1;

    private final int exitCode;

    private StartException(String message, int exitCode) {
        super(message);
        this.exitCode = exitCode;
    }

    /** What was given is wrong: a file that can't be read. */
    public static StartException wrongInput(String message) {
        return new StartException(message, 2);
    }

    /** What is around is not as needed: a port that is taken, a Redis that does not answer. */
    public static StartException failed(String message) {
        return new StartException(message, 1);
    }

    public int exitCode() {
        return exitCode;
    }
}
