package io.headgate.server;

/** What was asked for can't be started; the message is for the one who typed the command. */
final class StartException extends RuntimeException {

    private static final long serialVersionUID = 1;

    private final int exitCode;

    private StartException(String message, int exitCode) {
        super(message);
        this.exitCode = exitCode;
    }

    /** What was given is wrong: a file that can't be read. */
    static StartException wrongInput(String message) {
        return new StartException(message, 2);
    }

    /** What is around is not as needed: a port that is taken, a Redis that does not answer. */
    static StartException failed(String message) {
        return new StartException(message, 1);
    }

    int exitCode() {
        return exitCode;
    }
}
