package io.headgate.spring.operations;

import io.headgate.config.Policies;
import io.headgate.config.PolicyRegistry;
import io.headgate.limits.LimitEngine;
import io.headgate.limits.Policy;
import java.util.Comparator;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Stream;

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
        ofApplication().forEach(policy -> names.add(policy.name()));
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
        return ofApplication()
                .filter(policy -> policy.name().equals(name))
                .max(Comparator.comparingInt(policy -> policy.rules().size()))
                .map(policy -> EndpointPolicy.of(engine.limiter(policy), json));
    }

    /** Policies that the registry does not have and never had. It keeps the limiters of removed policies, which are not in force. */
    private Stream<Policy> ofApplication() {
        return engine.policies().stream()
                .filter(policy -> registry.findLimiterForRefund(policy.name()).isEmpty());
    }
}
