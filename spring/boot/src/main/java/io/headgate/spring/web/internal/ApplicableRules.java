package io.headgate.spring.web.internal;

import io.headgate.limits.LimitEngine;
import io.headgate.limits.Limiter;
import io.headgate.limits.Policy;
import io.headgate.limits.Rule;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/**
 * Limiters of the rules that apply to a request which lacks values. They share their counts with the limiter of the whole policy, as each
 * rule has keys of its own. Safe for use by any number of threads.
 */
final class ApplicableRules {

    /** Clients choose which values they send, and so how many limiters there are. A limiter is cheap to create again. */
    private static final int MAX_LIMITERS = 1000;

    private final LimitEngine engine;
    private final Map<Rules, Known> limiters = new ConcurrentHashMap<>();

    /** Some rules of a policy, by name. */
    private record Rules(String policy, Set<String> names) {}

    /** The limiter of some rules of one version of a policy; empty if there are no rules. */
    private record Known(Policy version, Optional<Limiter> limiter) {}

    ApplicableRules(LimitEngine engine) {
        this.engine = engine;
    }

    /**
     * Returns the limiter of the rules whose dimensions all have a value.
     *
     * @param given the dimensions that have a value
     * @return the limiter; empty if no rule applies
     */
    Optional<Limiter> of(Policy policy, Set<String> given) {
        Rules rules = new Rules(
                policy.name(),
                policy.rules().stream()
                        .filter(rule -> given.containsAll(rule.dimensions()))
                        .map(Rule::name)
                        .collect(Collectors.toUnmodifiableSet()));
        Known known = limiters.get(rules);
        if (known == null || !known.version().equals(policy)) {
            if (limiters.size() >= MAX_LIMITERS) {
                limiters.clear();
            }
            known = new Known(
                    policy,
                    rules.names().isEmpty()
                            ? Optional.empty()
                            : Optional.of(engine.limiter(only(policy, rules.names()))));
            limiters.put(rules, known);
        }
        return known.limiter();
    }

    private static Policy only(Policy policy, Set<String> rules) {
        return new Policy(
                policy.name(),
                policy.rules().stream()
                        .filter(rule -> rules.contains(rule.name()))
                        .toList(),
                policy.colocation(),
                policy.lease(),
                policy.fallback(),
                policy.overrides().stream()
                        .filter(override -> rules.contains(override.rule()))
                        .toList(),
                policy.pausable());
    }
}
