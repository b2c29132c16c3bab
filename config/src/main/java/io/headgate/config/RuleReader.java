package io.headgate.config;

import io.headgate.config.internal.yaml.Fields;
import io.headgate.config.internal.yaml.Problems;
import io.headgate.config.internal.yaml.Where;
import io.headgate.config.internal.yaml.Yaml;
import io.headgate.limits.InFlightRule;
import io.headgate.limits.Limit;
import io.headgate.limits.Rule;
import io.headgate.limits.Rule.LimitOverride;
import java.util.ArrayList;
import java.util.List;

/** Creates rules of rate limits and in-flight rules from a tree of YAML. */
final class RuleReader {

    private static final String COUNT_ATTEMPTS = "count-attempts";
    private static final String SHADOW = "shadow";

    private final Problems problems;
    private final LimitReader limits;
    private final BanRuleReader bans;
    private final OverrideReader overrides;

    RuleReader(Problems problems) {
        this.problems = problems;
        this.limits = new LimitReader(problems);
        this.bans = new BanRuleReader(problems);
        this.overrides = new OverrideReader(problems, limits);
    }

    /** The keys of all kinds of limits. */
    List<String> limits() {
        return limits.keys();
    }

    /** The kind of a policy. */
    PolicyKind kindOf(Yaml.Entry policy) {
        return PolicyKind.of(policy, limits.keys());
    }

    /**
     * A rule with its overrides.
     *
     * @param where the position of the overrides; the start of the file if there are none
     * @param written the rule in the file
     */
    record Read(Rule rule, List<LimitOverride> overrides, Where where, Yaml written) {}

    /** Reads a rule of a policy of rate limits. */
    Read rule(String name, Yaml.Entry entry, PolicyKind kind) {
        Rule named = problems.made(
                entry.key(), Rule.of(standIn(entry), LimitReader.STAND_IN), () -> Rule.of(name, LimitReader.STAND_IN));
        Fields fields = fields(entry);
        Limit limit = limits.limit(fields, kind);
        List<String> dimensions = dimensions(fields);
        Rule counted = problems.made(where(fields), named, () -> new Rule(named.name(), limit, dimensions));
        Rule attempted = fields.isTrue(COUNT_ATTEMPTS) ? counted.countingAttempts() : counted;
        Rule rule = bans.read(fields.isTrue(SHADOW) ? attempted.inShadow() : attempted, fields, entry.value());
        return new Read(
                rule,
                overrides.overrides(rule, fields, kind),
                fields.optional(OverrideReader.OVERRIDES).map(Yaml.Entry::key).orElse(Where.START),
                entry.value());
    }

    /** Reads a rule of an in-flight policy. */
    InFlightRule inFlight(String name, Yaml.Entry entry, PolicyKind kind) {
        InFlightRule named =
                problems.made(entry.key(), InFlightRule.of(standIn(entry), 0), () -> InFlightRule.of(name, 0));
        Fields fields = fields(entry);
        long permits = limits.inFlight(fields, kind);
        for (String option : List.of(COUNT_ATTEMPTS, SHADOW, BanRuleReader.BAN, OverrideReader.OVERRIDES)) {
            fields.optional(option)
                    .ifPresent(given -> problems.add(given.key(), "does not apply to an in-flight limit; remove it"));
        }
        List<String> dimensions = dimensions(fields);
        return problems.made(where(fields), named, () -> new InFlightRule(named.name(), permits, dimensions));
    }

    /** Returns a valid name for a rule whose own name may be rejected; unique, because two rules must not share a name. */
    private static String standIn(Yaml.Entry entry) {
        Where key = entry.key();
        return "stand-in-" + key.line() + "-" + key.column() + "-"
                + Integer.toHexString(key.path().hashCode());
    }

    private Fields fields(Yaml.Entry entry) {
        List<String> keys = new ArrayList<>(List.of("by"));
        keys.addAll(limits.keys());
        keys.addAll(List.of(COUNT_ATTEMPTS, SHADOW, BanRuleReader.BAN, OverrideReader.OVERRIDES));
        return Fields.of(entry, keys, problems);
    }

    /** Returns the position of the dimensions; the start of the file if there are none. */
    private static Where where(Fields rule) {
        return rule.optional("by").map(by -> by.value().where()).orElse(Where.START);
    }

    /** Returns the valid dimensions of a rule. */
    private List<String> dimensions(Fields rule) {
        return rule.optional("by").map(by -> dimensions(by.value())).orElse(List.of());
    }

    private List<String> dimensions(Yaml by) {
        if (by instanceof Yaml.Sequence list && list.items().isEmpty()) {
            problems.add(by.where(), "names no dimension; omit by for a global rule");
        }
        List<Yaml> names = by instanceof Yaml.Sequence list ? list.items() : List.of(by);
        List<String> dimensions = new ArrayList<>();
        for (Yaml name : names) {
            if (!(name instanceof Yaml.Scalar scalar)) {
                problems.wrong(name, name == by ? "a dimension or a list of them" : "a dimension");
            } else if (scalar.written().isPresent()) {
                problems.wrong(name, "the name of a dimension, as names have no variables");
            } else if (problems.accepted(name, "", () -> Rule.of("tried", LimitReader.STAND_IN, scalar.text()))) {
                dimensions.add(scalar.text());
            }
        }
        return dimensions;
    }
}
