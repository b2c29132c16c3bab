package io.headgate.config;

import io.headgate.config.internal.yaml.Quoted;
import io.headgate.config.internal.yaml.Yaml;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Collects the settings with variables as they were written, because diffs must not show values. */
final class WrittenSettings {

    private static final String RULES = "rules";
    private static final List<String> OF_RULES = List.of("count-attempts", "shadow", BanRuleReader.BAN);

    private final Map<List<String>, String> found = new HashMap<>();

    private WrittenSettings() {}

    /**
     * Returns the text of each setting that has a variable, by the path of {@link Policies#written}.
     *
     * @param root a valid file, whose variables are replaced
     * @param limits the keys of all kinds of limits
     */
    static Map<List<String>, String> of(Yaml root, List<String> limits) {
        WrittenSettings settings = new WrittenSettings();
        Map<String, Yaml.Entry> file = entries(root);
        if (file.containsKey(PolicyReader.POLICIES)) {
            entries(file.get(PolicyReader.POLICIES).value())
                    .forEach((name, policy) -> settings.policy(name, entries(policy.value()), limits));
        }
        return settings.found;
    }

    private static Map<String, Yaml.Entry> entries(Yaml node) {
        return node instanceof Yaml.Mapping mapping ? mapping.entries() : Map.of();
    }

    private void policy(String name, Map<String, Yaml.Entry> fields, List<String> limits) {
        fields.forEach((key, entry) -> {
            if (key.equals(RULES)) {
                entries(entry.value()).forEach((rule, one) -> rule(List.of(name, RULES, rule), one.value(), limits));
            } else if (hasVariable(entry.value())) {
                found.put(List.of(name, key), text(entry.value()));
            }
        });
        Yaml.Entry fallback = fields.get(FallbackReader.FALLBACK);
        Yaml.Entry budget = fields.get(FallbackReader.BUDGET);
        if (fallback != null && budget != null && (hasVariable(fallback.value()) || hasVariable(budget.value()))) {
            found.put(
                    List.of(name, FallbackReader.FALLBACK),
                    text(fallback.value()) + " with a budget of " + text(budget.value()));
        }
    }

    private void rule(List<String> path, Yaml rule, List<String> limits) {
        entries(rule).forEach((key, entry) -> {
            if (hasVariable(entry.value())) {
                if (limits.contains(key)) {
                    found.put(path, key + " " + text(entry.value()));
                } else if (OF_RULES.contains(key)) {
                    found.put(List.of(path.get(0), RULES, path.get(2), key), text(entry.value()));
                }
            }
        });
    }

    private static boolean hasVariable(Yaml node) {
        if (node instanceof Yaml.Scalar scalar) {
            return scalar.written().isPresent();
        }
        return entries(node).values().stream().anyMatch(entry -> hasVariable(entry.value()));
    }

    /** Returns the text of a setting, which is a string, or a mapping of known keys. */
    private static String text(Yaml node) {
        if (node instanceof Yaml.Scalar scalar) {
            return Quoted.value(scalar.written().orElse(scalar.text()));
        }
        return entries(node).entrySet().stream()
                .map(entry -> entry.getKey() + ": " + text(entry.getValue().value()))
                .collect(Collectors.joining(", ", "{ ", " }"));
    }
}
