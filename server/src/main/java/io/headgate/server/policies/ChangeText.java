package io.headgate.server.policies;

import io.headgate.config.sources.PolicyChange;
import io.headgate.server.text.Words;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Formats the changes of policies. */
final class ChangeText {

    private ChangeText() {}

    static List<String> lines(List<PolicyChange> changes) {
        return changes.isEmpty()
                ? List.of("no changes")
                : changes.stream().map(PolicyChange::toString).toList();
    }

    static List<Map<String, Object>> members(List<PolicyChange> changes) {
        return changes.stream().map(ChangeText::members).toList();
    }

    private static Map<String, Object> members(PolicyChange change) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("path", change.path());
        members.put("kind", Words.lower(change.kind()));
        members.put("description", change.description());
        return members;
    }
}
