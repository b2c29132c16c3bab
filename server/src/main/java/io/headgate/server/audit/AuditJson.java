package io.headgate.server.audit;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.headgate.redis.audit.AuditEntry;
import io.headgate.redis.audit.AuditRecord;
import io.headgate.server.text.Instants;
import io.headgate.server.text.Json;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;

/** A record of the audit log as a JSON object. Members that are empty are absent. */
public final class AuditJson {

    private AuditJson() {}

    /** Returns the members of a record that Redis has stored. */
    public static Map<String, Object> of(AuditEntry entry) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("id", entry.id());
        members.putAll(of(entry.time(), entry.record()));
        return members;
    }

    /** Returns the members of a record. */
    static Map<String, Object> of(Instant time, AuditRecord record) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("time", Instants.of(time));
        put(members, "operator", record.operator());
        put(members, "role", record.role());
        put(members, "via", record.via());
        put(members, "from", record.from());
        put(members, "peer", record.peer());
        put(members, "action", record.action());
        put(members, "target", record.target());
        put(members, "outcome", record.outcome());
        put(members, "detail", record.detail());
        object(members, "before", record.before());
        object(members, "after", record.after());
        put(members, "reason", record.reason());
        if (record.count() > 1) {
            members.put("count", record.count());
        }
        return members;
    }

    private static void put(Map<String, Object> members, String name, String value) {
        if (!value.isEmpty()) {
            members.put(name, value);
        }
    }

    /** Another program may have written the entry, so what is no JSON is shown as text. */
    private static void object(Map<String, Object> members, String name, String json) {
        if (json.isEmpty()) {
            return;
        }
        try {
            members.put(name, Json.MAPPER.readTree(json));
        } catch (JsonProcessingException e) {
            members.put(name, json);
        }
    }
}
