package io.headgate.queues.inspect;

import java.util.List;

/**
 * What an audit of a queue looked at and found.
 *
 * @param jobs how many jobs it saw; one that changes its place meanwhile counts for each
 * @param findings what is wrong, the first 1000
 * @param notShown how many more findings there are
 * @param notTold how many questions could not be answered: what is asked of many claims at once, or of a queue of which
 *     something can't be read
 */
public record AuditReport(long jobs, List<AuditFinding> findings, long notShown, long notTold) {

    /** Keeps a copy of the findings. */
    public AuditReport {
        findings = List.copyOf(findings);
    }
}
