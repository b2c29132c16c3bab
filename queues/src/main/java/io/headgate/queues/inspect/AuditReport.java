package io.headgate.queues.inspect;

import java.util.List;

/**
 * The result of an audit of a queue.
 *
 * @param jobs the number of jobs that it examined; a job that moved during the audit counts for each place
 * @param findings the first 1000 inconsistencies
 * @param omitted the number of further inconsistencies
 * @param unchecked the number of skipped checks: if the queue has very many leased jobs or tenants, or was too busy to be counted, and
 *     behind data that cannot be decoded
 */
public record AuditReport(long jobs, List<AuditFinding> findings, long omitted, long unchecked) {

    /** Keeps a copy of the findings. */
    public AuditReport {
        findings = List.copyOf(findings);
    }
}
