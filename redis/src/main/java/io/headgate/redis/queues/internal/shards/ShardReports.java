package io.headgate.redis.queues.internal.shards;

import io.headgate.queues.inspect.AuditFinding;
import io.headgate.queues.inspect.AuditReport;
import io.headgate.queues.inspect.QueueCounts;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Combines the counts and audit reports of shards into those of their queue. */
final class ShardReports {

    private static final int MAX_FINDINGS = 1000;

    private ShardReports() {}

    /** Adds the counts of two shards; the queue counts as paused if one shard is, because then some jobs are not claimed. */
    static QueueCounts sum(QueueCounts one, QueueCounts other) {
        return new QueueCounts(
                one.ready() + other.ready(),
                one.delayed() + other.delayed(),
                one.leased() + other.leased(),
                one.dead() + other.dead(),
                one.done() + other.done(),
                one.paused() || other.paused(),
                Stream.of(one.oldestDue(), other.oldestDue())
                        .flatMap(Optional::stream)
                        .max(Duration::compareTo));
    }

    /** Adds the audit report of one more shard. */
    static AuditReport sum(AuditReport before, int shard, AuditReport report) {
        List<AuditFinding> findings = new ArrayList<>(before.findings());
        for (AuditFinding finding : report.findings()) {
            findings.add(
                    new AuditFinding(finding.kind(), "shard " + shard + ": " + finding.detail(), finding.repaired()));
        }
        int tooMany = Math.max(0, findings.size() - MAX_FINDINGS);
        return new AuditReport(
                before.jobs() + report.jobs(),
                findings.subList(0, findings.size() - tooMany),
                before.omitted() + report.omitted() + tooMany,
                before.unchecked() + report.unchecked());
    }
}
