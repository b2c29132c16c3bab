package io.headgate.config;

import io.headgate.limits.InFlightLimiter;
import io.headgate.limits.InFlightPolicy;
import io.headgate.limits.LimitEngine;
import io.headgate.limits.Limiter;
import io.headgate.limits.Policy;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The policies in force and their limiters, by name. A new version of the policies replaces the previous one as a whole, and limiters
 * that stay keep their counts. Safe for use by any number of threads; lookups take no lock.
 *
 * <pre>{@code
 * PolicyRegistry registry = new PolicyRegistry(limits, PolicyFile.read(file));
 * Decision decision = registry.limiter("api").tryAcquire("alice");
 * registry.replace(PolicyFile.read(file));
 * }</pre>
 */
public final class PolicyRegistry {

    private final LimitEngine engine;
    private final ReentrantLock replacing = new ReentrantLock();
    private volatile Version current = new Version(Policies.of(List.of()), Map.of(), Map.of());

    /** The policies of one version, with their limiters. Immutable. */
    private record Version(
            Policies policies, Map<String, Limiter> limiters, Map<String, InFlightLimiter> inFlightLimiters) {}

    /**
     * Creates a limiter for each policy.
     *
     * @param engine stores the counts; the caller closes it
     */
    public PolicyRegistry(LimitEngine engine, Policies policies) {
        this.engine = engine;
        replace(policies);
    }

    /** The policies in force. */
    public Policies policies() {
        return current.policies;
    }

    /**
     * The limiter of the policy with that name. It stays valid when the policies are replaced, and then decides by the new version of
     * its policy. The limiter of a policy that was removed continues to decide by the last version.
     *
     * @throws IllegalArgumentException when there is no such policy, or it has in-flight limits
     */
    public Limiter limiter(String name) {
        Version version = current;
        return Objects.requireNonNull(
                version.limiters.get(version.policies.get(name).name()));
    }

    /**
     * The limiter of the policy of in-flight limits with that name.
     *
     * @throws IllegalArgumentException when there is no such policy, or it has no in-flight limits
     */
    public InFlightLimiter inFlight(String name) {
        Version version = current;
        return Objects.requireNonNull(
                version.inFlightLimiters.get(version.policies.inFlight(name).name()));
    }

    /** The limiter of the policy with that name; empty when there is none, or it has in-flight limits. */
    public Optional<Limiter> find(String name) {
        return Optional.ofNullable(current.limiters.get(name));
    }

    /** The limiter of the policy of in-flight limits with that name; empty when there is none. */
    public Optional<InFlightLimiter> findInFlight(String name) {
        return Optional.ofNullable(current.inFlightLimiters.get(name));
    }

    /**
     * Replaces all policies. A policy whose name already exists keeps its counts; other policies are added and removed. Limiters switch one
     * after another, so requests during the call may be decided by either version. A limiter that was updated directly returns to the
     * policies of the registry; update limiters of a registry by this method only.
     *
     * @throws IllegalArgumentException when a limiter can't be updated to its new policy, see {@link Policy#requireUpdatable}; the message
     *     lists all of these, and nothing is changed
     */
    public void replace(Policies next) {
        replacing.lock();
        try {
            requireUpdatable(current, next);
            Version after = created(current, next);
            after.limiters.forEach((name, limiter) -> update(limiter, next.get(name)));
            after.inFlightLimiters.forEach((name, limiter) -> update(limiter, next.inFlight(name)));
            current = after;
        } finally {
            replacing.unlock();
        }
    }

    /** Checks the policies that the limiters enforce, which may differ from those of the version. */
    private static void requireUpdatable(Version version, Policies next) {
        List<String> problems = new ArrayList<>();
        for (Policy policy : next) {
            Limiter limiter = version.limiters.get(policy.name());
            if (limiter != null) {
                check(() -> limiter.policy().requireUpdatable(policy), problems);
            }
        }
        for (InFlightPolicy policy : next.inFlight()) {
            InFlightLimiter limiter = version.inFlightLimiters.get(policy.name());
            if (limiter != null) {
                check(() -> limiter.policy().requireUpdatable(policy), problems);
            }
        }
        if (!problems.isEmpty()) {
            throw new IllegalArgumentException(String.join("\n", problems));
        }
    }

    private static void check(Runnable check, List<String> problems) {
        try {
            check.run();
        } catch (IllegalArgumentException e) {
            problems.add(String.valueOf(e.getMessage()));
        }
    }

    /** The next version, with the limiters that are there and new ones, none of which is updated yet. */
    private Version created(Version before, Policies next) {
        Map<String, Limiter> limiters = new LinkedHashMap<>();
        for (Policy policy : next) {
            Limiter existing = before.limiters.get(policy.name());
            limiters.put(policy.name(), existing != null ? existing : engine.limiter(policy));
        }
        Map<String, InFlightLimiter> inFlight = new LinkedHashMap<>();
        for (InFlightPolicy policy : next.inFlight()) {
            InFlightLimiter existing = before.inFlightLimiters.get(policy.name());
            inFlight.put(policy.name(), existing != null ? existing : engine.inFlight(policy));
        }
        return new Version(next, limiters, inFlight);
    }

    private static void update(Limiter limiter, Policy policy) {
        if (!limiter.policy().equals(policy)) {
            limiter.update(policy);
        }
    }

    private static void update(InFlightLimiter limiter, InFlightPolicy policy) {
        if (!limiter.policy().equals(policy)) {
            limiter.update(policy);
        }
    }
}
