package io.headgate.server.queues;

import io.headgate.server.audit.AuditedChange;
import io.headgate.server.text.Words;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Changes of queues for the audit log. The counts after a change are those that Redis returned with it or soon after it; those before it are
 * these and the number of changed jobs.
 */
public final class QueueChange {

    private QueueChange() {}

    /** Dead letters were redriven. */
    public static AuditedChange redriven(String queue, long redriven, long dead) {
        return AuditedChange.of(queue)
                .from(Map.of("dead", dead + redriven))
                .to(members("redriven", redriven, "dead", dead))
                .ifChanged(redriven > 0);
    }

    /** Jobs in a state were deleted. */
    public static AuditedChange purged(String queue, PurgeState state, long purged, long left) {
        String name = Words.lower(state);
        return AuditedChange.of(queue)
                .from(Map.of(name, left + purged))
                .to(members("purged", purged, name, left))
                .ifChanged(purged > 0);
    }

    private static Map<String, Object> members(String what, long number, String state, long left) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put(what, number);
        members.put(state, left);
        return members;
    }
}
