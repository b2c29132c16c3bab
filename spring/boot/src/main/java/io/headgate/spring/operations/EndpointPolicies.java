package io.headgate.spring.operations;

import io.headgate.config.Policies;
import io.headgate.config.PolicyRegistry;
import io.headgate.limits.LimitEngine;
import io.headgate.limits.Policy;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/** The policies of the registry, and those that the application created by the engine. */
final class EndpointPolicies {

    private final LimitEngine engine;
    private final PolicyRegistry registry;
    private final PolicyJson json;

    EndpointPolicies(LimitEngine engine, PolicyRegistry registry, PolicyJson json) {
        this.engine = engine;
        this.registry = registry;
        this.json = json;
    }

    /** Returns the names of all policies, in alphabetical order. */
    SortedSet<String> names() {
        SortedSet<String> names = new TreeSet<>();
        Policies policies = registry.policies();
        policies.forEach(policy -> names.add(policy.name()));
        policies.inFlight().forEach(policy -> names.add(policy.name()));
        engine.policies().forEach(policy -> names.add(policy.name()));
        return names;
    }

    /** Returns a policy; empty if there is none with this name. */
    Optional<EndpointPolicy> find(String name) {
        return registry.findLimiter(name)
                .map(limiter -> EndpointPolicy.of(limiter, json))
                .or(() -> registry.findInFlightLimiter(name).map(limiter -> EndpointPolicy.of(limiter, json)))
                .or(() -> createdByApplication(name));
    }

    /** All limiters of a policy share its counts. Routes create some with fewer rules, so the version with the most rules is the whole. */
    private Optional<EndpointPolicy> createdByApplication(String name) {
        List<Policy> versions = engine.policies().stream()
                .filter(policy -> policy.name().equals(name))
                .toList();
        return versions.stream()
                .max(Comparator.comparingInt(policy -> policy.rules().size()))
                .map(policy -> EndpointPolicy.of(engine.limiter(policy), json));
    }
}
