package io.headgate.server.audit.read;

import io.headgate.redis.audit.AuditEntry;
import io.headgate.redis.audit.AuditRecord;
import io.headgate.server.text.Instants;
import io.headgate.server.text.Quoted;

/** A record of the audit log as a line for people. */
final class AuditText {

    private AuditText() {}

    /** For example {@code 2026-11-29T06:00:00.000000Z ada@192.0.2.7 ban.add user=mallory: added ban of … (card testing)}. */
    static String of(AuditEntry entry) {
        AuditRecord record = entry.record();
        String outcome = record.outcome().equals("done") && !record.detail().isEmpty()
                ? record.detail()
                : record.outcome() + (record.detail().isEmpty() ? "" : ", " + record.detail());
        String after = record.isFrequent() && !record.after().isEmpty() ? " " + record.after() : "";
        String line = who(record) + " " + record.action()
                + (record.target().isEmpty() ? "" : " " + record.target())
                + ": " + outcome + after
                + (record.count() > 1 ? ", " + record.count() + " times" : "")
                + (record.reason().isEmpty() ? "" : " (" + record.reason() + ")");
        // Names and reasons must not forge a line.
        return Instants.of(entry.time()) + " " + Quoted.inOneLine(line);
    }

    private static String who(AuditRecord record) {
        String from = record.from().isEmpty() ? record.via() : record.from();
        return record.operator().isEmpty() ? from : record.operator() + "@" + from;
    }
}
