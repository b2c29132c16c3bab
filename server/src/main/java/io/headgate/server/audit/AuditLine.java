package io.headgate.server.audit;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A line for people about a call or change, {@code operator WHO WHAT: OUTCOME}, written by the logger {@code io.headgate.audit}. */
public final class AuditLine {

    private static final Logger log = LoggerFactory.getLogger("io.headgate.audit");

    private final String start;

    /**
     * Creates a line, which is written when its outcome is known.
     *
     * @param who the operator: an address, or a user and a host; the caller quotes it if it could forge a line
     * @param what the operation, and its queue, job or policy; the caller quotes names that clients choose
     */
    public AuditLine(String who, String what) {
        this.start = "operator " + who + " " + what;
    }

    /** Logs the outcome of an operation, which may be a failure. */
    public void info(String outcome) {
        log.info("{}: {}", start, outcome);
    }

    /** Logs that the operation was rejected. */
    public void warn(String outcome) {
        log.warn("{}: {}", start, outcome);
    }
}
