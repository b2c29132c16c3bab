package io.headgate.server;

/** What was asked for can't be started; the message is for the one who typed the command. */
final class StartException extends RuntimeException {

    private static final long serialVersionUID = 1;

    StartException(String message) {
        super(message);
    }
}
