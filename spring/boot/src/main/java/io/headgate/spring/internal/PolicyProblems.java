package io.headgate.spring.internal;

import io.headgate.config.PolicyRegistry;
import io.headgate.limits.InFlightPolicy;
import io.headgate.limits.LeakyBucket;
import io.headgate.limits.Policy;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;

/** Checks that the policy of a route, annotation or outgoing call exists, and that its dimensions, permits and delays suit that use. */
public final class PolicyProblems {

    /** The name in a route that limits nothing. An empty text does not mean that: YAML reads #{…} without quotes as a comment. */
    public static final String NONE = "none";

    /** The problem of a route without a policy. */
    public static final String REQUIRED = "is required; give the name of a policy, or none to limit nothing";

    /** The problem of a setting without a text. */
    public static final String EMPTY =
            "is empty; YAML reads #{…} without quotes as a comment, so write \"#{…}\" for an expression";

    /** The most permits that a call can hold. */
    public static final long MAX_HELD = 100;

    private static final String POLICY = ".policy";
    private static final String BY = ".by";
    private static final String PERMITS = ".permits";

    private final PolicyRegistry registry;
    private final String subject;
    private final BiConsumer<String, String> problem;

    /**
     * Creates the checks.
     *
     * @param subject what uses the policies, as the subject of a sentence: {@code a route}
     * @param problem receives the setting, for example {@code .policy}, and the text of each problem
     */
    public PolicyProblems(PolicyRegistry registry, String subject, BiConsumer<String, String> problem) {
        this.registry = registry;
        this.subject = subject;
        this.problem = problem;
    }

    /**
     * Checks the policy of a route, which may be {@link #NONE}.
     *
     * @param name the name of the policy; empty if each request has its own
     * @param given the dimensions of which there are values
     * @param permits the permits of each request; empty if they differ
     * @param delays whether requests may be delayed
     */
    public void checkRoute(Optional<String> name, Collection<String> given, Optional<Long> permits, boolean delays) {
        if (name.isEmpty() || name.get().equals(NONE)) {
            checkNone();
        } else {
            checkRate(name.get(), given, permits, delays);
        }
    }

    /**
     * Checks the policy of an outgoing call, which may be {@link #NONE}, and may have in-flight limits.
     *
     * @param given the dimensions of which there are values
     * @param permits the permits of each call
     */
    public void checkCall(String name, Collection<String> given, long permits) {
        if (registry.findInFlightLimiter(name).isPresent() && !name.equals(NONE)) {
            checkInFlight(name, given, Optional.of(permits));
        } else {
            checkRoute(Optional.of(name), given, Optional.of(permits), true);
        }
    }

    /** Checks that no policy of rate limits is named {@link #NONE}. */
    private void checkNone() {
        if (registry.findLimiter(NONE).isPresent()) {
            problem.accept(
                    POLICY,
                    "can be none, which limits nothing, but a policy has this name, too; give the policy another name");
        }
    }

    /**
     * Checks that a policy of rate limits exists, and that its dimensions, permits and delays suit its use.
     *
     * @param given the dimensions of which there are values
     * @param permits the permits of each request; empty if they differ
     * @param delays whether requests may be delayed
     */
    public void checkRate(String name, Collection<String> given, Optional<Long> permits, boolean delays) {
        Optional<Policy> found = registry.findLimiter(name).map(limiter -> limiter.policy());
        if (found.isEmpty() && registry.findInFlightLimiter(name).isPresent()) {
            problem.accept(POLICY, "is " + name + ", which has in-flight limits; " + subject + " needs rate limits");
        } else if (found.isEmpty()) {
            List<String> names = new ArrayList<>();
            registry.policies().forEach(policy -> names.add(policy.name()));
            unknown(name, names, "rate limits");
        } else {
            checkDimensions(name, found.get().dimensions(), found.get().overrideAttributes(), given);
            permits.ifPresent(number -> checkPermits(name, number, largest(found.get())));
            if (!delays) {
                checkDelays(found.get());
            }
        }
    }

    /**
     * Checks that an in-flight policy exists, and that its dimensions and permits suit its use.
     *
     * @param given the dimensions of which there are values
     * @param permits the permits of each request; empty if they differ
     */
    public void checkInFlight(String name, Collection<String> given, Optional<Long> permits) {
        Optional<InFlightPolicy> found = registry.findInFlightLimiter(name).map(limiter -> limiter.policy());
        if (found.isEmpty() && registry.findLimiter(name).isPresent()) {
            problem.accept(POLICY, "is " + name + ", which has rate limits; " + subject + " needs in-flight limits");
        } else if (found.isEmpty()) {
            unknown(
                    name,
                    registry.policies().inFlight().stream()
                            .map(InFlightPolicy::name)
                            .toList(),
                    "in-flight limits");
        } else {
            checkDimensions(name, found.get().dimensions(), Set.of(), given);
            permits.ifPresent(number -> checkPermits(name, number, largest(found.get())));
        }
    }

    /** The most permits that each rule can admit at once. A rule in shadow mode denies nothing, and an override may be larger. */
    private static Map<String, Long> largest(Policy policy) {
        Map<String, Long> largest = new LinkedHashMap<>();
        policy.rules().stream()
                .filter(rule -> !rule.shadow())
                .forEach(rule -> largest.put(rule.name(), rule.limit().permits()));
        policy.overrides()
                .forEach(override -> largest.computeIfPresent(
                        override.rule(),
                        (rule, permits) -> Math.max(permits, override.limit().permits())));
        return largest;
    }

    private static Map<String, Long> largest(InFlightPolicy policy) {
        Map<String, Long> largest = new LinkedHashMap<>();
        policy.rules().forEach(rule -> largest.put(rule.name(), rule.permits()));
        return largest;
    }

    /** Checks that a policy does not deny all requests because of their permits. A limit of 0 denies them on purpose. */
    private void checkPermits(String name, long permits, Map<String, Long> largest) {
        largest.entrySet().stream()
                .filter(rule -> rule.getValue() > 0 && rule.getValue() < permits)
                .min(Map.Entry.comparingByValue())
                .ifPresent(rule -> problem.accept(
                        PERMITS,
                        "must be at most " + rule.getValue() + ", but was " + permits + "; rule " + rule.getKey()
                                + " of policy " + name + " has this limit, and would deny all requests"));
    }

    private void unknown(String name, List<String> names, String kind) {
        String instead = names.isEmpty()
                ? "no policy with " + kind + "; declare one below headgate.policies"
                : "no such policy; there are " + names;
        problem.accept(POLICY, "is " + name + ", but there is " + instead);
    }

    private void checkDimensions(
            String name, Set<String> dimensions, Set<String> overrideAttributes, Collection<String> given) {
        for (String dimension : dimensions) {
            if (!given.contains(dimension)) {
                problem.accept(BY, "needs a value of " + dimension + ", by which policy " + name + " counts");
            }
        }
        for (String dimension : given) {
            if (!dimensions.contains(dimension) && !overrideAttributes.contains(dimension)) {
                problem.accept(
                        BY + "." + dimension, "is no dimension of policy " + name + ", which " + countsBy(dimensions));
            }
        }
    }

    /** Describes the dimensions of a policy, as the end of a problem with a dimension that it does not have. */
    public static String countsBy(Collection<String> dimensions) {
        return dimensions.isEmpty()
                ? "counts all requests together; remove the dimension, or add it to a rule of the policy"
                : "counts by " + dimensions;
    }

    private void checkDelays(Policy policy) {
        policy.rules().stream()
                .filter(rule -> rule.limit() instanceof LeakyBucket bucket && bucket.mode() == LeakyBucket.Mode.SHAPER)
                .forEach(rule -> problem.accept(
                        POLICY,
                        "is " + policy.name() + ", whose rule " + rule.name() + " delays requests, but " + subject
                                + " does not wait; set the mode of the rule to meter"));
    }
}
