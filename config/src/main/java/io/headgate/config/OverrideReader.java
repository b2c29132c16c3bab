package io.headgate.config;

import io.headgate.config.internal.yaml.Fields;
import io.headgate.config.internal.yaml.Problems;
import io.headgate.config.internal.yaml.Where;
import io.headgate.config.internal.yaml.Yaml;
import io.headgate.limits.Limit;
import io.headgate.limits.Rule;
import io.headgate.limits.Rule.LimitOverride;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Reads the overrides of a rule: a list of mappings, each of which has a limit and the attributes that a request must have. */
final class OverrideReader {

    /** The key of the overrides of a rule. */
    static final String OVERRIDES = "overrides";

    private static final String WHEN = "when";

    private final Problems problems;
    private final LimitReader limits;

    OverrideReader(Problems problems, LimitReader limits) {
        this.problems = problems;
        this.limits = limits;
    }

    /**
     * Returns the overrides of a rule.
     *
     * @param fields the fields of the rule
     */
    List<LimitOverride> overrides(Rule rule, Fields fields, PolicyKind kind) {
        Optional<Yaml.Entry> given = fields.optional(OVERRIDES);
        if (given.isEmpty()) {
            return List.of();
        }
        if (!(given.get().value() instanceof Yaml.Sequence list)) {
            problems.wrong(given.get().value(), "a list of mappings with when and a limit");
            return List.of();
        }
        if (list.items().isEmpty()) {
            problems.add(list.where(), "has no overrides; remove it");
        }
        List<LimitOverride> overrides = new ArrayList<>();
        Map<Map<String, String>, Where> known = new HashMap<>();
        for (Yaml item : list.items()) {
            override(rule, fields, item, kind).ifPresent(override -> {
                Where first = known.putIfAbsent(override.when(), item.where());
                if (first == null) {
                    overrides.add(override);
                } else {
                    problems.add(
                            item.where(),
                            "is a second override for these attributes; the first is " + first.reference());
                }
            });
        }
        return overrides;
    }

    private Optional<LimitOverride> override(Rule rule, Fields ofRule, Yaml item, PolicyKind kind) {
        List<String> keys = new ArrayList<>(List.of(WHEN));
        keys.addAll(limits.countedKeys());
        Fields fields = Fields.of(new Yaml.Entry(item.where(), item), keys, problems);
        if (!(item instanceof Yaml.Mapping)) {
            return Optional.empty();
        }
        Yaml.Entry whenEntry = fields.required(WHEN);
        Optional<Map<String, String>> when = when(whenEntry);
        Optional<Yaml.Entry> limitEntry = limits.entry(fields);
        Limit limit = limitEntry.isPresent() ? limits.limit(fields, kind) : missing(ofRule, fields);
        boolean isOfKind = limitEntry.isPresent() && isOfKind(ofRule, limitEntry.get());
        // A limit that could not be read is replaced by a stand-in, which may be of another kind than the limit of the
        // rule.
        if (!isOfKind || when.isEmpty() || limit.getClass() != rule.limit().getClass()) {
            return Optional.empty();
        }
        return problems.made(
                whenEntry.value(),
                whenEntry.value().where(),
                Optional.empty(),
                () -> Optional.of(new LimitOverride(rule.name(), when.get(), limit)));
    }

    private Limit missing(Fields ofRule, Fields override) {
        override.noteMissing(
                limits.countedKeys(),
                "has no limit; it needs "
                        + limits.entry(ofRule).map(OverrideReader::word).orElse("one of the kind of its rule"));
        return LimitReader.STAND_IN;
    }

    private boolean isOfKind(Fields ofRule, Yaml.Entry limit) {
        Optional<String> kind = limits.entry(ofRule).map(OverrideReader::word);
        if (kind.isPresent() && !kind.get().equals(word(limit))) {
            problems.add(limit.key(), "must be a limit of the kind of its rule, " + kind.get());
            return false;
        }
        return kind.isPresent();
    }

    /** Returns the key of a limit, which names its kind. */
    private static String word(Yaml.Entry limit) {
        String path = limit.key().path();
        return path.substring(path.lastIndexOf('.') + 1);
    }

    /** Returns the attributes of an override; empty if one of them is invalid. */
    private Optional<Map<String, String>> when(Yaml.Entry when) {
        if (!(when.value() instanceof Yaml.Mapping mapping)) {
            problems.wrong(when.value(), "a mapping of attributes to values, such as { plan: gold }");
            return Optional.empty();
        }
        Map<String, String> attributes = new LinkedHashMap<>();
        mapping.entries().forEach((name, entry) -> {
            Yaml key = new Yaml.Scalar(entry.key(), name);
            if (!(entry.value() instanceof Yaml.Scalar value)) {
                problems.wrong(entry.value(), "a value of 1 to 1024 characters");
            } else {
                boolean nameAccepted = problems.accepted(key, "name of an attribute ", () -> tried(name, "a"));
                boolean valueAccepted =
                        problems.accepted(value, "number of characters ", () -> tried("a", value.text()));
                if (nameAccepted && valueAccepted) {
                    attributes.put(name, value.text());
                }
            }
        });
        return attributes.size() == mapping.entries().size() ? Optional.of(attributes) : Optional.empty();
    }

    private static LimitOverride tried(String name, String value) {
        return new LimitOverride("tried", Map.of(name, value), LimitReader.STAND_IN);
    }
}
