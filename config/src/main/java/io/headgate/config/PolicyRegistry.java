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
 * The policies in force and their limiters, by name. A new version of the policies replaces the previous one as a whole. Policies that
 * exist in both versions keep their limiters and counts. Safe for use by any number of threads; lookups take no lock.
 *
 * <pre>{@code
 * PolicyRegistry registry = new PolicyRegistry(limits, PolicyFile.read(file));
 * Decision decision = registry.limiter("api").tryAcquire("alice");
 * registry.replace(PolicyFile.read(file));
 * }</pre>
 *
 * <p>The registry keeps the limiters of removed policies, so that earlier decisions can be refunded and holds released. It keeps up to
 * {@value #MAX_REMOVED} of each kind, and drops those first that were removed first. A policy that is added again continues with its
 * earlier limiter. Its keys may still be stored, so it must be a valid {@linkplain Policy#requireUpdatable update} of the removed
 * version. A policy of rate limits may be replaced by an in-flight policy with the same name, and vice versa, because their keys differ.
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
     * @param engine the engine that creates the limiters; the caller closes it
     */
    public PolicyRegistry(LimitEngine engine, Policies policies) {
        this.engine = engine;
        replace(policies);
    }

    /** Returns the policies in force. */
    public Policies policies() {
        return current.policies;
    }

    /**
     * Returns the limiter of the policy with this name. It remains valid when the policies are replaced, and then decides by the new
     * version of its policy. The limiter of a removed policy continues to decide by the last version.
     *
     * @throws IllegalArgumentException if there is no such policy, or it has in-flight limits
     */
    public Limiter limiter(String name) {
        Version version = current;
        return version.limiters.find(version.policies.get(name).name()).orElseThrow();
    }

    /**
     * Returns the limiter of the in-flight policy with this name.
     *
     * @throws IllegalArgumentException if there is no such policy, or it has no in-flight limits
     */
    public InFlightLimiter inFlight(String name) {
        Version version = current;
        return version.inFlightLimiters
                .find(version.policies.inFlight(name).name())
                .orElseThrow();
    }

    /** Returns the limiter of the policy with this name; empty if there is none, or it has in-flight limits. */
    public Optional<Limiter> findLimiter(String name) {
        return current.limiters.find(name);
    }

    /** Returns the limiter of the in-flight policy with this name; empty if there is none. */
    public Optional<InFlightLimiter> findInFlightLimiter(String name) {
        return current.inFlightLimiters.find(name);
    }

    /**
     * Returns the limiter that refunds decisions of the policy with this name, even after the policy was removed.
     *
     * @return the limiter; empty if there was no such policy, or the registry has dropped it
     */
    public Optional<Limiter> findLimiterForRefund(String name) {
        return current.limiters.findAlsoRemoved(name);
    }

    /**
     * Returns the limiter that renews and releases holds of the in-flight policy with this name, even after the policy was removed.
     *
     * @return the limiter; empty if there was no such policy, or the registry has dropped it
     */
    public Optional<InFlightLimiter> findLimiterForRelease(String name) {
        return current.inFlightLimiters.findAlsoRemoved(name);
    }

    /**
     * Replaces all policies. A policy whose name already exists keeps its counts; other policies are added or removed. The limiters are
     * updated one after another, so either version may decide requests during the call. Update limiters of a registry only by this
     * method: it replaces the policy of a limiter that was updated directly.
     *
     * @throws IllegalArgumentException if a limiter can't be updated to its new policy, see {@link Policy#requireUpdatable}. The
     *     message lists all such policies, and nothing changes
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

    /**
     * Checks the updates against the policies of the limiters, which differ from those of the version if a limiter was updated directly.
     */
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

    /** Returns the next version, with existing limiters and new ones. No existing limiter is updated yet. */
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
