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
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * The policies in force and their limiters, by name. A new version of the policies replaces the previous one as a whole, and limiters
 * that stay keep their counts. Safe for use by any number of threads; lookups take no lock.
 *
 * <pre>{@code
 * PolicyRegistry registry = new PolicyRegistry(limits, PolicyFile.read(file));
 * Decision decision = registry.limiter("api").tryAcquire("alice");
 * registry.replace(PolicyFile.read(file));
 * }</pre>
 *
 * <p>The registry keeps the limiters of removed policies, up to {@value #MAX_REMOVED} of each kind, and drops those removed first. With
 * these, earlier decisions can be refunded and holds released. A policy that is added again continues with its limiter, and must
 * therefore suit the version that was removed: its keys may still be stored. A policy of limits and one of in-flight limits may have
 * the same name one after the other, because their keys differ.
 */
public final class PolicyRegistry {

    /** The number of removed policies of each kind that a registry keeps. */
    public static final int MAX_REMOVED = 1000;

    private final LimitEngine engine;
    private final ReentrantLock replacing = new ReentrantLock();
    private volatile Version current =
            new Version(Policies.of(List.of()), LimitersByName.none(), LimitersByName.none());

    /** The policies of one version, with their limiters. Immutable. */
    private record Version(
            Policies policies, LimitersByName<Limiter> limiters, LimitersByName<InFlightLimiter> inFlightLimiters) {}

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
        return version.limiters.find(version.policies.get(name).name()).orElseThrow();
    }

    /**
     * The limiter of the policy of in-flight limits with that name.
     *
     * @throws IllegalArgumentException when there is no such policy, or it has no in-flight limits
     */
    public InFlightLimiter inFlight(String name) {
        Version version = current;
        return version.inFlightLimiters
                .find(version.policies.inFlight(name).name())
                .orElseThrow();
    }

    /** The limiter of the policy with that name; empty when there is none, or it has in-flight limits. */
    public Optional<Limiter> findLimiter(String name) {
        return current.limiters.find(name);
    }

    /** The limiter of the policy of in-flight limits with that name; empty when there is none. */
    public Optional<InFlightLimiter> findInFlightLimiter(String name) {
        return current.inFlightLimiters.find(name);
    }

    /**
     * The limiter with which decisions of the policy with that name are refunded, also after the policy was removed.
     *
     * @return empty when there was no such policy, or the registry has dropped it
     */
    public Optional<Limiter> findLimiterForRefund(String name) {
        return current.limiters.findAlsoRemoved(name);
    }

    /**
     * The limiter with which holds of the policy with that name are renewed and released, also after the policy was removed.
     *
     * @return empty when there was no such policy, or the registry has dropped it
     */
    public Optional<InFlightLimiter> findLimiterForRelease(String name) {
        return current.inFlightLimiters.findAlsoRemoved(name);
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
            next.forEach(policy -> update(after.limiters.find(policy.name()).orElseThrow(), policy));
            next.inFlight()
                    .forEach(policy ->
                            update(after.inFlightLimiters.find(policy.name()).orElseThrow(), policy));
            current = after;
        } finally {
            replacing.unlock();
        }
    }

    /** Checks the policies that the limiters enforce, which may differ from those of the version. */
    private static void requireUpdatable(Version version, Policies next) {
        List<String> problems = new ArrayList<>();
        for (Policy policy : next) {
            version.limiters
                    .findAlsoRemoved(policy.name())
                    .ifPresent(limiter -> check(() -> limiter.policy().requireUpdatable(policy), problems));
        }
        for (InFlightPolicy policy : next.inFlight()) {
            version.inFlightLimiters
                    .findAlsoRemoved(policy.name())
                    .ifPresent(limiter -> check(() -> limiter.policy().requireUpdatable(policy), problems));
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

    /** The next version, with the existing limiters and new ones, none of which is updated yet. */
    private Version created(Version before, Policies next) {
        Map<String, Supplier<Limiter>> limiters = new LinkedHashMap<>();
        next.forEach(policy -> limiters.put(policy.name(), () -> engine.limiter(policy)));
        Map<String, Supplier<InFlightLimiter>> inFlight = new LinkedHashMap<>();
        next.inFlight().forEach(policy -> inFlight.put(policy.name(), () -> engine.inFlight(policy)));
        return new Version(
                next, before.limiters.next(limiters, MAX_REMOVED), before.inFlightLimiters.next(inFlight, MAX_REMOVED));
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
