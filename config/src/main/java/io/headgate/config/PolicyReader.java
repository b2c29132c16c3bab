package io.headgate.config;

import io.headgate.config.internal.yaml.Choices;
import io.headgate.config.internal.yaml.Fields;
import io.headgate.config.internal.yaml.Includes;
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
import java.util.Map;
import java.util.Optional;

/** Creates policies from a tree of YAML. It records each problem, and continues with a valid value instead of the wrong one. */
final class PolicyReader {

    static final String POLICIES = Includes.POLICIES;
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

    /**
     * The policies of each kind, in the order of the file.
     *
     * @param written the settings with variables as they were written
     */
    record Read(List<Policy> policies, List<InFlightPolicy> inFlight, Map<List<String>, String> written) {}

    /**
     * Returns the policies of a file.
     *
     * @param root the file, whose variables are replaced
     * @param withIncludes whether the file may include others, which the caller reads; then it needs no policies itself
     */
    Read policies(Yaml root, boolean withIncludes) {
        boolean included =
                root instanceof Yaml.Mapping mapping && mapping.entries().containsKey(Includes.KEY);
        List<String> keys = withIncludes || included ? List.of(POLICIES, Includes.KEY) : List.of(POLICIES);
        Fields file = Fields.of(new Yaml.Entry(root.where(), root), keys, problems);
        Optional<Yaml.Entry> include = file.optional(Includes.KEY);
        Read read = new Read(new ArrayList<>(), new ArrayList<>(), WrittenSettings.of(root, rules.limits()));
        if (withIncludes) {
            Includes.read(root, problems);
        } else {
            include.ifPresent(given -> Includes.refuse(given, problems));
        }
        if (include.isEmpty() || file.optional(POLICIES).isPresent()) {
            Names.read(file.required(POLICIES), POLICIES, (name, entry) -> addTo(read, name, entry), problems);
        }
        return read;
    }

    private boolean addTo(Read read, String name, Yaml.Entry entry) {
        return rules.kindOf(entry).inFlight()
                ? read.inFlight.add(inFlight(name, entry))
                : read.policies.add(policy(name, entry));
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
        Policy plain = problems.made(given.key(), standIn, () -> new Policy(named, all, colocation));
        Policy unleased = problems.made(given.key(), plain, () -> overridden(plain, read));
        Policy leased = fields.optional(LEASE)
                .map(lease -> leased(unleased, lease.value(), entry.value()))
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
            overrides.addAll(
                    problems.made(rule.written(), rule.where(), List.of(), () -> policy.withOverrides(rule.overrides())
                            .overrides()));
        }
        return policy.withOverrides(overrides);
    }

    private Policy leased(Policy unleased, Yaml value, Yaml written) {
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
        return problems.accepted(value, written, "", policy::build) ? policy.build() : unleased;
    }
}
