package io.headgate.config;

import io.headgate.limits.Colocation;
import io.headgate.limits.Policy;
import io.headgate.limits.Rule;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;

/** Makes policies of a tree of YAML; where it notes a problem, something else stands in for what was wrong. */
final class PolicyReader {

    private static final String COUNT_ATTEMPTS = "count-attempts";
    private static final String SHADOW = "shadow";
    private static final String LEASE = "lease";

    private final Problems problems;
    private final LimitReader limits;

    PolicyReader(Problems problems) {
        this.problems = problems;
        this.limits = new LimitReader(problems);
    }

    /** The policies of a file. */
    List<Policy> policies(Yaml root) {
        Fields file = Fields.of(new Yaml.Entry(root.where(), root), List.of("policies"), problems);
        return named(file.required("policies"), "policies", this::policy);
    }

    private Policy policy(String name, Yaml.Entry entry) {
        Policy standIn = Policy.of("stand-in", LimitReader.STAND_IN);
        Policy named = problems.made(entry.key(), standIn, () -> Policy.of(name, LimitReader.STAND_IN));
        Fields fields = Fields.of(entry, List.of("colocate", LEASE, "rules"), problems);
        Colocation colocation = fields.optional("colocate")
                .map(colocate -> Choices.read(colocate.value(), Colocation.values(), problems))
                .orElse(Colocation.SPREAD);
        Yaml.Entry rules = fields.required("rules");
        List<Rule> read = named(rules, "rules", this::rule);
        if (read.isEmpty()) {
            return standIn;
        }
        Policy exact = problems.made(rules.key(), standIn, () -> new Policy(named.name(), read, colocation));
        return fields.optional(LEASE).map(lease -> leased(exact, lease.value())).orElse(exact);
    }

    private Policy leased(Policy exact, Yaml value) {
        String text = value instanceof Yaml.Scalar scalar ? scalar.text() : "";
        Optional<Duration> lease = Scalars.duration(text);
        if (lease.isEmpty() && !text.equals("auto")) {
            problems.wrong(value, "auto, or a duration such as 250ms or 2s");
            return exact;
        }
        Policy.Builder policy = Policy.named(exact.name()).colocate(exact.colocation());
        exact.rules().forEach(policy::rule);
        lease.ifPresentOrElse(policy::leased, policy::leased);
        return problems.accepted(value, "", policy::build) ? policy.build() : exact;
    }

    private Rule rule(String name, Yaml.Entry entry) {
        Where key = entry.key();
        Rule standIn = Rule.of("stand-in-" + key.line() + "-" + key.column(), LimitReader.STAND_IN);
        Rule named = problems.made(key, standIn, () -> Rule.of(name, LimitReader.STAND_IN));
        List<String> keys = new ArrayList<>(List.of("by"));
        keys.addAll(limits.keys());
        keys.addAll(List.of(COUNT_ATTEMPTS, SHADOW));
        Fields fields = Fields.of(entry, keys, problems);
        Rule limited = new Rule(named.name(), limits.limit(fields), List.of());
        Rule counted =
                fields.optional("by").map(by -> counted(limited, by.value())).orElse(limited);
        Rule attempted = isTrue(fields, COUNT_ATTEMPTS) ? counted.countingAttempts() : counted;
        return isTrue(fields, SHADOW) ? attempted.inShadow() : attempted;
    }

    private boolean isTrue(Fields fields, String key) {
        return fields.optional(key)
                .map(entry -> Choices.read(entry.value(), YesOrNo.values(), problems) == YesOrNo.TRUE)
                .orElse(false);
    }

    private enum YesOrNo {
        TRUE,
        FALSE
    }

    private Rule counted(Rule rule, Yaml by) {
        if (by instanceof Yaml.Sequence list && list.items().isEmpty()) {
            problems.add(by.where(), "names no dimension; leave by out to count everybody together");
            return rule;
        }
        List<Yaml> names = by instanceof Yaml.Sequence list ? list.items() : List.of(by);
        List<String> dimensions = new ArrayList<>();
        for (Yaml name : names) {
            if (!(name instanceof Yaml.Scalar scalar)) {
                problems.wrong(name, name == by ? "a dimension or a list of them" : "a dimension");
            } else if (problems.accepted(name, "", () -> Rule.of("tried", LimitReader.STAND_IN, scalar.text()))) {
                dimensions.add(scalar.text());
            }
        }
        return problems.made(by.where(), rule, () -> new Rule(rule.name(), rule.limit(), dimensions));
    }

    /** What {@code read} makes of each entry of a mapping whose keys are names. */
    private <T> List<T> named(Yaml.Entry owner, String what, BiFunction<String, Yaml.Entry, T> read) {
        List<T> made = new ArrayList<>();
        if (!(owner.value() instanceof Yaml.Mapping mapping)) {
            problems.wrong(owner.value(), "a mapping of names to " + what);
            return made;
        }
        if (mapping.entries().isEmpty()) {
            problems.add(owner.key(), "has no " + what + "; it needs at least one");
        }
        for (Map.Entry<String, Yaml.Entry> entry : mapping.entries().entrySet()) {
            made.add(read.apply(entry.getKey(), entry.getValue()));
        }
        return made;
    }
}
