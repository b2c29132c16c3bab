package io.headgate.config.sources;

import io.headgate.config.Policies;
import io.headgate.config.internal.yaml.Choices;
import io.headgate.config.internal.yaml.Scalars;
import io.headgate.config.sources.PolicyChange.Kind;
import io.headgate.limits.Fallback;
import io.headgate.limits.InFlightPolicy;
import io.headgate.limits.InFlightRule;
import io.headgate.limits.Policy;
import io.headgate.limits.Rule;
import io.headgate.limits.Rule.LimitOverride;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Compares two versions of policies. */
public final class PolicyChanges {

    private static final String FROM = "from ";
    private static final String TO = " to ";

    private final List<PolicyChange> changes = new ArrayList<>();

    private PolicyChanges() {}

    /**
     * Returns what differs between two versions: for each policy, whether it was added, removed or changed, and which of its rules and
     * settings changed.
     *
     * @return the changes, those of earlier policies in the order of {@code before}, then those of new ones; empty if the versions are
     *     equal but for the order of policies
     */
    public static List<PolicyChange> between(Policies before, Policies after) {
        PolicyChanges found = new PolicyChanges();
        found.compare(
                "",
                byName(before.list(), Policy::name),
                byName(after.list(), Policy::name),
                policy -> with(policy.rules(), rule -> rule.name() + ": " + text(rule)),
                found::policies);
        found.compare(
                "",
                byName(before.inFlight(), InFlightPolicy::name),
                byName(after.inFlight(), InFlightPolicy::name),
                policy -> with(policy.rules(), rule -> rule.name() + ": " + text(rule)),
                found::inFlightPolicies);
        return List.copyOf(found.changes);
    }

    /** Compares the elements of two versions that have names. */
    private <T> void compare(
            String prefix, Map<String, T> before, Map<String, T> after, Function<T, String> text, Comparison<T> both) {
        before.forEach((name, was) -> {
            T is = after.get(name);
            if (is == null) {
                add(prefix + name, Kind.REMOVED, "");
            } else if (!was.equals(is)) {
                both.compare(prefix + name, was, is);
            }
        });
        after.forEach((name, is) -> {
            if (!before.containsKey(name)) {
                add(prefix + name, Kind.ADDED, text.apply(is));
            }
        });
    }

    /** Compares two versions of an element. */
    private interface Comparison<T> {
        void compare(String path, T before, T after);
    }

    private void policies(String name, Policy was, Policy is) {
        int earlier = changes.size();
        compare(
                name + ".",
                byName(was.rules(), Rule::name),
                byName(is.rules(), Rule::name),
                PolicyChanges::text,
                this::rules);
        setting(name + ".colocate", was.colocation(), is.colocation());
        setting(name + ".lease", duration(was.lease()), duration(is.lease()));
        setting(name + ".fallback", was.fallback(), is.fallback());
        setting(name + ".pausable", was.pausable(), is.pausable());
        overrides(name + ".overrides", was.overrides(), is.overrides());
        addOrder(name, earlier);
    }

    private void rules(String path, Rule was, Rule is) {
        if (!was.limit().equals(is.limit())) {
            add(
                    path,
                    LimitSize.change(was.limit(), is.limit()),
                    FROM + LimitText.of(was.limit()) + TO + LimitText.of(is.limit()));
        }
        setting(path + ".by", was.dimensions(), is.dimensions());
        setting(path + ".count-attempts", was.countsAttempts(), is.countsAttempts());
        setting(path + ".shadow", was.shadow(), is.shadow());
    }

    private void inFlightPolicies(String name, InFlightPolicy was, InFlightPolicy is) {
        int earlier = changes.size();
        compare(
                name + ".",
                byName(was.rules(), InFlightRule::name),
                byName(is.rules(), InFlightRule::name),
                PolicyChanges::text,
                this::inFlightRules);
        setting(name + ".lease", Scalars.text(was.lease()), Scalars.text(is.lease()));
        setting(name + ".at-most", duration(was.atMost()), duration(is.atMost()));
        setting(name + ".fallback", was.fallback(), is.fallback());
        addOrder(name, earlier);
    }

    private void inFlightRules(String path, InFlightRule was, InFlightRule is) {
        if (was.permits() != is.permits()) {
            add(
                    path,
                    was.permits() < is.permits() ? Kind.RAISED : Kind.LOWERED,
                    FROM + "in-flight " + was.permits() + TO + "in-flight " + is.permits());
        }
        setting(path + ".by", was.dimensions(), is.dimensions());
    }

    /** Overrides may be very many, so they are counted. */
    private void overrides(String path, List<LimitOverride> before, List<LimitOverride> after) {
        Map<Object, LimitOverride> was = byName(before, PolicyChanges::key);
        Map<Object, LimitOverride> is = byName(after, PolicyChanges::key);
        long removed = was.keySet().stream().filter(key -> !is.containsKey(key)).count();
        long added = is.keySet().stream().filter(key -> !was.containsKey(key)).count();
        long changed = was.entrySet().stream()
                .filter(one -> is.containsKey(one.getKey()) && !one.getValue().equals(is.get(one.getKey())))
                .count();
        if (added + removed + changed > 0) {
            add(path, Kind.CHANGED, added + " added, " + removed + " removed, " + changed + " with another limit");
        }
    }

    private static Object key(LimitOverride override) {
        return List.of(override.rule(), override.when());
    }

    /** The versions differ, but no rule and no setting does. */
    private void addOrder(String name, int earlier) {
        if (changes.size() == earlier) {
            add(name, Kind.CHANGED, "in the order of its rules");
        }
    }

    private void setting(String path, Object before, Object after) {
        if (!before.equals(after)) {
            add(path, Kind.CHANGED, FROM + value(before) + TO + value(after));
        }
    }

    private static String value(Object setting) {
        if (setting instanceof Optional<?> optional) {
            return optional.map(PolicyChanges::value).orElse("none");
        }
        if (setting instanceof Fallback fallback) {
            return value(fallback.mode())
                    + fallback.budget()
                            .map(budget -> " with a budget of " + Scalars.text(budget))
                            .orElse("");
        }
        if (setting instanceof List<?> names) {
            return names.isEmpty()
                    ? "none"
                    : names.stream().map(Object::toString).collect(Collectors.joining(", "));
        }
        return setting instanceof Enum<?> word ? Choices.word(word) : setting.toString();
    }

    private static Optional<String> duration(Optional<Duration> duration) {
        return duration.map(Scalars::text);
    }

    private void add(String path, Kind kind, String description) {
        changes.add(new PolicyChange(path, kind, description));
    }

    private static <R> String with(List<R> rules, Function<R, String> text) {
        return rules.stream().map(text).collect(Collectors.joining("; ", "with ", ""));
    }

    private static String text(Rule rule) {
        return LimitText.of(rule.limit()) + by(rule.dimensions()) + (rule.shadow() ? ", in shadow mode" : "");
    }

    private static String text(InFlightRule rule) {
        return "in-flight " + rule.permits() + by(rule.dimensions());
    }

    private static String by(List<String> dimensions) {
        return dimensions.isEmpty() ? "" : " by " + String.join(", ", dimensions);
    }

    private static <K, T> Map<K, T> byName(List<T> all, Function<? super T, ? extends K> name) {
        Map<K, T> byName = new LinkedHashMap<>();
        all.forEach(one -> byName.put(name.apply(one), one));
        return byName;
    }
}
