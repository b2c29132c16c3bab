package io.headgate.config;

import io.headgate.config.internal.yaml.Choices;
import io.headgate.config.internal.yaml.Fields;
import io.headgate.config.internal.yaml.Names;
import io.headgate.config.internal.yaml.Problems;
import io.headgate.config.internal.yaml.Scalars;
import io.headgate.config.internal.yaml.Yaml;
import io.headgate.limits.Attributes;
import io.headgate.limits.Colocation;
import io.headgate.limits.InFlightPolicy;
import io.headgate.limits.InFlightRule;
import io.headgate.limits.Policy;
import io.headgate.limits.Rule;
import io.headgate.limits.Rule.LimitOverride;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Creates policies from a tree of YAML. It records each problem, and continues with a valid value instead of the wrong one. */
final class PolicyReader {

    static final String COLOCATE = "colocate";
    static final String LEASE = "lease";
    static final String PAUSABLE = "pausable";

    private static final List<String> KEYS = List.of(
            COLOCATE, LEASE, PAUSABLE, InFlightReader.AT_MOST, FallbackReader.FALLBACK, FallbackReader.BUDGET, "rules");
    private static final String STAND_IN = "stand-in";

    private final Problems problems;
    private final RuleReader rules;
    private final InFlightReader inFlight;
    private final FallbackReader fallbacks;

    PolicyReader(Problems problems) {
        this.problems = problems;
        this.rules = new RuleReader(problems);
        this.inFlight = new InFlightReader(problems);
        this.fallbacks = new FallbackReader(problems);
    }

    /** The policies of each kind, in the order of the file. */
    record Read(List<Policy> policies, List<InFlightPolicy> inFlight) {}

    /** Returns the policies of a file. */
    Read policies(Yaml root) {
        Fields file = Fields.of(new Yaml.Entry(root.where(), root), List.of("policies"), problems);
        Read read = new Read(new ArrayList<>(), new ArrayList<>());
        Names.read(
                file.required("policies"),
                "policies",
                (name, entry) -> rules.kindOf(entry).inFlight()
                        ? read.inFlight.add(inFlight(name, entry))
                        : read.policies.add(policy(name, entry)),
                problems);
        return read;
    }

    private String named(String name, Yaml.Entry entry) {
        return problems.made(entry.key(), STAND_IN, () -> Policy.of(name, LimitReader.STAND_IN)
                .name());
    }

    private InFlightPolicy inFlight(String name, Yaml.Entry entry) {
        String named = named(name, entry);
        Fields fields = Fields.of(entry, KEYS, problems);
        Yaml.Entry given = fields.required("rules");
        PolicyKind kind = rules.kindOf(entry);
        List<InFlightRule> read = Names.read(given, "rules", (rule, one) -> rules.inFlight(rule, one, kind), problems);
        InFlightPolicy policy = inFlight.policy(named, fields, given.key(), read);
        return new InFlightPolicy(
                policy.name(), policy.rules(), policy.lease(), policy.atMost(), fallbacks.read(fields));
    }

    private Policy policy(String name, Yaml.Entry entry) {
        Policy standIn = Policy.of(STAND_IN, LimitReader.STAND_IN);
        String named = named(name, entry);
        Fields fields = Fields.of(entry, KEYS, problems);
        fields.optional(InFlightReader.AT_MOST)
                .ifPresent(given -> problems.add(given.key(), "applies to in-flight limits only; remove it"));
        Colocation colocation = fields.optional(COLOCATE)
                .map(colocate -> Choices.read(colocate.value(), Colocation.values(), problems))
                .orElse(Colocation.SPREAD);
        Yaml.Entry given = fields.required("rules");
        PolicyKind kind = rules.kindOf(entry);
        List<RuleReader.Read> read = Names.read(given, "rules", (rule, one) -> rules.rule(rule, one, kind), problems);
        if (read.isEmpty()) {
            return standIn;
        }
        List<Rule> all = read.stream().map(RuleReader.Read::rule).toList();
        Policy unleased =
                problems.made(given.key(), standIn, () -> overridden(new Policy(named, all, colocation), read));
        Policy leased = fields.optional(LEASE)
                .map(lease -> leased(unleased, lease.value()))
                .orElse(unleased);
        return new Policy(
                leased.name(),
                leased.rules(),
                leased.colocation(),
                leased.lease(),
                fallbacks.read(fields),
                leased.overrides(),
                fields.isTrue(PAUSABLE));
    }

    /** Returns the policy with the overrides of its rules. If the API rejects the overrides of a rule, that rule has none. */
    private Policy overridden(Policy policy, List<RuleReader.Read> rules) {
        List<LimitOverride> overrides = new ArrayList<>();
        for (RuleReader.Read rule : rules) {
            overrides.addAll(problems.made(rule.where(), List.of(), () -> policy.withOverrides(rule.overrides())
                    .overrides()));
        }
        return policy.withOverrides(overrides);
    }

    private Policy leased(Policy unleased, Yaml value) {
        String text = value instanceof Yaml.Scalar scalar ? scalar.text() : "";
        Optional<Duration> lease = Scalars.duration(text);
        if (lease.isEmpty() && !text.equals("auto")) {
            problems.wrong(value, "auto, or a duration such as 250ms or 2s");
            return unleased;
        }
        Policy.Builder policy = Policy.named(unleased.name()).colocate(unleased.colocation());
        unleased.rules().forEach(policy::rule);
        unleased.overrides().forEach(one -> policy.override(one.rule(), Attributes.of(one.when()), one.limit()));
        lease.ifPresentOrElse(policy::leased, policy::leased);
        return problems.accepted(value, "", policy::build) ? policy.build() : unleased;
    }
}
