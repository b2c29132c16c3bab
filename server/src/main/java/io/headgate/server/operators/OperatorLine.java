package io.headgate.server.operators;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A line of the operators' log, {@code operator WHO WHAT: OUTCOME}, written by the logger {@code io.headgate.operators}. */
public final class OperatorLine {

    private static final Logger log = LoggerFactory.getLogger("io.headgate.operators");

    private final String start;

    /**
     * Creates a line, which is written when its outcome is known.
     *
     * @param who the operator: an address, or a user and a host; the caller quotes it if it could forge a line
     * @param what the operation, and its queue, job or policy; the caller quotes names that clients choose
     */
    public OperatorLine(String who, String what) {
        this.start = "operator " + who + " " + what;
    }

    /** The whole line with this outcome. */
    String text(String outcome) {
        return start + ": " + outcome;
    }

    /** Logs the outcome of an operation, which may be a failure. */
    public void info(String outcome) {
        log.info("{}", text(outcome));
    }

    /** Logs that the operation was rejected. */
    public void warn(String outcome) {
        log.warn("{}", text(outcome));
    }
}
