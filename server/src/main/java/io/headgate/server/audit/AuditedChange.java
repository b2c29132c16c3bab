package io.headgate.server.audit;

import io.headgate.redis.audit.AuditRecord;
import io.headgate.server.text.Json;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What a change did, for the audit log. No payload, header, key of a job, token, or text of policies.
 *
 * @param target what was changed, such as {@code ip=203.0.113.7} or the name of a queue; empty if it is not known
 * @param before what is known of the target before the change: strings, numbers and booleans by name
 * @param after the same after the change
 * @param reason why; empty if the operator gave no reason
 * @param isChanged whether anything was changed
 */
public record AuditedChange(
        String target, Map<String, Object> before, Map<String, Object> after, String reason, boolean isChanged) {

    private static final int MAX_VALUE = 256;

    /** A change that was made. */
    public AuditedChange(String target, Map<String, Object> before, Map<String, Object> after, String reason) {
        this(target, before, after, reason, true);
    }

    /** A change of which only the target is known. */
    public static AuditedChange of(String target) {
        return new AuditedChange(target, Map.of(), Map.of(), "");
    }

    /** Returns a copy with another state before the change. */
    public AuditedChange from(Map<String, Object> state) {
        return new AuditedChange(target, state, after, reason, isChanged);
    }

    /** Returns a copy with another state after the change. */
    public AuditedChange to(Map<String, Object> state) {
        return new AuditedChange(target, before, state, reason, isChanged);
    }

    /** Returns a copy with a reason. */
    public AuditedChange because(String why) {
        return new AuditedChange(target, before, after, why, isChanged);
    }

    /** Returns a copy of which it is known whether anything was changed. */
    public AuditedChange ifChanged(boolean changed) {
        return new AuditedChange(target, before, after, reason, changed);
    }

    /** Returns the record with this change. */
    public AuditRecord addTo(AuditRecord record) {
        return record.withTarget(target).withStates(json(before), json(after)).withReason(reason);
    }

    private static String json(Map<String, Object> state) {
        if (state.isEmpty()) {
            return "";
        }
        Map<String, Object> bounded = new LinkedHashMap<>();
        state.forEach((name, value) ->
                bounded.put(name, value instanceof String text ? AuditRecord.cut(text, MAX_VALUE) : value));
        return new String(Json.bytes(bounded), StandardCharsets.UTF_8);
    }
}
