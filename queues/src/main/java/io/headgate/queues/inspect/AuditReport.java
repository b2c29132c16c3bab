package io.headgate.queues.inspect;

import java.util.List;

/**
 * The result of an audit of a queue.
 *
 * @param jobs the number of jobs that it examined; a job that moved during the audit counts once for each place in which it was seen
 * @param findings the first 1000 inconsistencies
 * @param omitted the number of further inconsistencies
 * @param unchecked the number of skipped checks. A check is skipped if the queue has very many leased jobs or tenants, if it was too busy
 *     to be counted, or if it must be repaired before the check is possible
 */
public record AuditReport(long jobs, List<AuditFinding> findings, long omitted, long unchecked) {

    /** Keeps a copy of the findings. */
    public AuditReport {
        findings = List.copyOf(findings);
    }
}
