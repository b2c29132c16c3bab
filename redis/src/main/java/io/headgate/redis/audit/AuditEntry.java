package io.headgate.redis.audit;

import java.time.Instant;

/**
 * A record that Redis has stored.
 *
 * @param id its place in the log: later records have higher ids
 * @param record the record
 */
public record AuditEntry(String id, AuditRecord record) {

    /** When Redis stored the record, by its clock, to the millisecond. If that clock has gone back, the time of the record before it. */
    public Instant time() {
        return Instant.ofEpochMilli(Long.parseLong(id.substring(0, id.indexOf('-'))));
    }
}
