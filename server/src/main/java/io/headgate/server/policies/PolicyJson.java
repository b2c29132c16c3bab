package io.headgate.server.policies;

import io.headgate.config.sources.PolicyChange;
import io.headgate.config.sources.PolicyDocument;
import io.headgate.config.sources.PolicyInstance;
import io.headgate.config.sources.PolicyVersion;
import io.headgate.server.text.Instants;
import io.headgate.server.text.Words;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Versions of policies and their changes in JSON. Members that do not apply are absent. */
final class PolicyJson {

    private PolicyJson() {}

    static Map<String, Object> of(PolicyVersion version) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("version", version.version());
        members.put("writtenAt", Instants.of(version.writtenAt()));
        members.put("by", version.by());
        members.put("reason", version.reason());
        return members;
    }

    static Map<String, Object> of(PolicyDocument.Text text) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("name", text.name());
        members.put("yaml", text.yaml());
        return members;
    }

    static List<Map<String, Object>> of(List<PolicyChange> changes) {
        return changes.stream().map(PolicyJson::of).toList();
    }

    private static Map<String, Object> of(PolicyChange change) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("path", change.path());
        members.put("kind", Words.lower(change.kind()));
        members.put("description", change.description());
        return members;
    }

    /**
     * The processes that apply the policies of a store.
     *
     * @param current the current version; empty if nothing was written
     * @param shadow the shadow version; empty if there is none
     */
    static Map<String, Object> of(
            Optional<String> current, Optional<PolicyVersion> shadow, List<PolicyInstance> instances) {
        Map<String, Object> members = new LinkedHashMap<>();
        current.ifPresent(version -> members.put("version", version));
        shadow.ifPresent(version -> members.put("shadow", version.version()));
        members.put(
                "instances",
                instances.stream().map(instance -> of(instance, current)).toList());
        return members;
    }

    private static Map<String, Object> of(PolicyInstance instance, Optional<String> current) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("name", instance.name());
        members.put("version", instance.version());
        members.put("since", Instants.of(instance.since()));
        members.put("current", current.filter(instance.version()::equals).isPresent());
        instance.rejected().ifPresent(reason -> members.put("rejected", reason));
        return members;
    }
}
