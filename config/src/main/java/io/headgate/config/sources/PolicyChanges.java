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
import io.headgate.limits.bans.BanRule;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Compares two versions of policies. */
public final class PolicyChanges {

    private static final String FROM = "from ";
    private static final String TO = " to ";
    private static final String RULES = "rules";

    private final List<PolicyChange> changes = new ArrayList<>();

    private final Policies before;
    private final Policies after;

    private PolicyChanges(Policies before, Policies after) {
        this.before = before;
        this.after = after;
    }

    /**
     * Returns what differs between two versions: for each policy, whether it was added, removed or changed, and which of its rules and
     * settings changed. A setting with variables is shown as it was written, without their values.
     *
     * @return the changes, those of earlier policies in the order of {@code before}, then those of new ones; empty if the versions are
     *     equal but for the order of policies
     */
    public static List<PolicyChange> between(Policies before, Policies after) {
        PolicyChanges found = new PolicyChanges(before, after);
        found.compare(
                List.of(),
                byName(before.list(), Policy::name),
                byName(after.list(), Policy::name),
                (path, policy) -> with(
                        policy.rules(), rule -> rule.name() + ": " + found.text(rulePath(path, rule.name()), rule)),
                found::policies);
        found.compare(
                List.of(),
                byName(before.inFlight(), InFlightPolicy::name),
                byName(after.inFlight(), InFlightPolicy::name),
                (path, policy) -> with(
                        policy.rules(), rule -> rule.name() + ": " + found.text(rulePath(path, rule.name()), rule)),
                found::inFlightPolicies);
        return List.copyOf(found.changes);
    }

    /** Compares the elements of two versions that have names. */
    private <T> void compare(
            List<String> parent,
            Map<String, T> earlier,
            Map<String, T> later,
            BiFunction<List<String>, T, String> text,
            Comparison<T> both) {
        earlier.forEach((name, was) -> {
            T is = later.get(name);
            if (is == null) {
                add(below(parent, name), Kind.REMOVED, "");
            } else if (!was.equals(is)) {
                both.compare(below(parent, name), was, is);
            }
        });
        later.forEach((name, is) -> {
            if (!earlier.containsKey(name)) {
                add(below(parent, name), Kind.ADDED, text.apply(below(parent, name), is));
            }
        });
    }

    private static List<String> below(List<String> parent, String name) {
        return Stream.concat(parent.stream(), Stream.of(name)).toList();
    }

    private static List<String> rulePath(List<String> policy, String rule) {
        return below(below(policy, RULES), rule);
    }

    /** Compares two versions of an element. */
    private interface Comparison<T> {
        void compare(List<String> path, T before, T after);
    }

    private void policies(List<String> path, Policy was, Policy is) {
        int earlier = changes.size();
        compare(
                below(path, RULES),
                byName(was.rules(), Rule::name),
                byName(is.rules(), Rule::name),
                this::text,
                this::rules);
        setting(below(path, "colocate"), was.colocation(), is.colocation());
        setting(below(path, "lease"), duration(was.lease()), duration(is.lease()));
        setting(below(path, "fallback"), was.fallback(), is.fallback());
        setting(below(path, "pausable"), was.pausable(), is.pausable());
        overrides(below(path, "overrides"), was.overrides(), is.overrides());
        addOrder(path, earlier);
    }

    private void rules(List<String> path, Rule was, Rule is) {
        if (!was.limit().equals(is.limit())) {
            add(
                    path,
                    LimitSize.change(was.limit(), is.limit()),
                    FROM
                            + before.written(path).orElseGet(() -> LimitText.of(was.limit()))
                            + TO
                            + after.written(path).orElseGet(() -> LimitText.of(is.limit())));
        }
        setting(below(path, "by"), was.dimensions(), is.dimensions());
        setting(below(path, "count-attempts"), was.countsAttempts(), is.countsAttempts());
        setting(below(path, "shadow"), was.shadow(), is.shadow());
        setting(below(path, "ban"), was.ban(), is.ban());
    }

    private void inFlightPolicies(List<String> path, InFlightPolicy was, InFlightPolicy is) {
        int earlier = changes.size();
        compare(
                below(path, RULES),
                byName(was.rules(), InFlightRule::name),
                byName(is.rules(), InFlightRule::name),
                this::text,
                this::inFlightRules);
        setting(below(path, "lease"), Scalars.text(was.lease()), Scalars.text(is.lease()));
        setting(below(path, "at-most"), duration(was.atMost()), duration(is.atMost()));
        setting(below(path, "fallback"), was.fallback(), is.fallback());
        addOrder(path, earlier);
    }

    private void inFlightRules(List<String> path, InFlightRule was, InFlightRule is) {
        if (was.permits() != is.permits()) {
            add(
                    path,
                    was.permits() < is.permits() ? Kind.RAISED : Kind.LOWERED,
                    FROM
                            + before.written(path).orElse("in-flight " + was.permits())
                            + TO
                            + after.written(path).orElse("in-flight " + is.permits()));
        }
        setting(below(path, "by"), was.dimensions(), is.dimensions());
    }

    /** Overrides may be very many, so they are counted. */
    private void overrides(List<String> path, List<LimitOverride> earlier, List<LimitOverride> later) {
        Map<Object, LimitOverride> was = byName(earlier, PolicyChanges::key);
        Map<Object, LimitOverride> is = byName(later, PolicyChanges::key);
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
    private void addOrder(List<String> path, int earlier) {
        if (changes.size() == earlier) {
            add(path, Kind.CHANGED, "in the order of its rules");
        }
    }

    private void setting(List<String> path, Object was, Object is) {
        if (!was.equals(is)) {
            add(
                    path,
                    Kind.CHANGED,
                    FROM
                            + before.written(path).orElseGet(() -> value(was))
                            + TO
                            + after.written(path).orElseGet(() -> value(is)));
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
        if (setting instanceof BanRule ban) {
            return Scalars.text(ban.duration()) + " after " + ban.denials() + " denials within "
                    + Scalars.text(ban.within())
                    + ban.longest()
                            .map(longest -> ", doubling up to " + Scalars.text(longest))
                            .orElse("");
        }
        return setting instanceof Enum<?> word ? Choices.word(word) : setting.toString();
    }

    private static Optional<String> duration(Optional<Duration> duration) {
        return duration.map(Scalars::text);
    }

    private void add(List<String> path, Kind kind, String description) {
        String shown = IntStream.range(0, path.size())
                .filter(i -> i != 1 || path.size() == 2)
                .mapToObj(path::get)
                .collect(Collectors.joining("."));
        changes.add(new PolicyChange(shown, kind, description));
    }

    private static <R> String with(List<R> rules, Function<R, String> text) {
        return rules.stream().map(text).collect(Collectors.joining("; ", "with ", ""));
    }

    private String text(List<String> path, Rule rule) {
        return after.written(path).orElseGet(() -> LimitText.of(rule.limit()))
                + by(rule.dimensions())
                + (rule.shadow() ? ", in shadow mode" : "");
    }

    private String text(List<String> path, InFlightRule rule) {
        return after.written(path).orElse("in-flight " + rule.permits()) + by(rule.dimensions());
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
