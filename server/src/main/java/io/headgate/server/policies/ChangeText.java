package io.headgate.server.policies;

import io.headgate.config.sources.PolicyChange;
import java.util.List;

/** Formats the changes of policies. */
final class ChangeText {

    private ChangeText() {}

    static List<String> lines(List<PolicyChange> changes) {
        return changes.isEmpty()
                ? List.of("no changes")
                : changes.stream().map(PolicyChange::toString).toList();
    }
}
