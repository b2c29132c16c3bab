package io.headgate.config.sources;

import io.headgate.config.Policies;
import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.LimitEngine;
import io.headgate.limits.LimitListener;
import io.headgate.limits.Policy;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Decides copies of the requests of a process by a shadow version of the policies: each policy whose limits differ from the version in force
 * has a second limiter, with counts of its own. As a listener of the engine, it only adds copies; {@link #copies} sends them.
 */
final class ShadowEvaluation implements LimitListener {

    private final String version;
    private final Policies inForce;
    private final Instant since = Instant.now();
    private final Map<String, ShadowPolicy> byName = new LinkedHashMap<>();
    private final CopyQueue copies = new CopyQueue();

    /** The id of the version in force; another id may have equal policies. */
    private volatile String comparedWith;

    private volatile Optional<String> problem = Optional.empty();

    /**
     * Creates an evaluation, to be added to the engine as a listener.
     *
     * @param version the shadow version
     * @param shadow its policies
     * @param comparedWith the version in force
     * @param inForce its policies
     * @param before the last evaluation, which may be of the same shadow version, and is still in use; null if there is none
     * @param nanoTime the time in nanoseconds, as of {@link System#nanoTime}
     */
    ShadowEvaluation(
            LimitEngine engine,
            String version,
            Policies shadow,
            String comparedWith,
            Policies inForce,
            @Nullable ShadowEvaluation before,
            LongSupplier nanoTime) {
        this(version, comparedWith, inForce);
        for (Policy policy : shadow) {
            Optional<Policy> present = inForce.find(policy.name()).filter(other -> differs(other, policy));
            if (present.isPresent()) {
                byName.put(
                        policy.name(),
                        new ShadowPolicy(
                                present.get(),
                                policy,
                                engine.shadowLimiter(policy, version),
                                continued(before, policy),
                                copies,
                                nanoTime));
            }
        }
    }

    /** Creates the evaluation of a version that this process cannot evaluate. */
    ShadowEvaluation(String version, String comparedWith, Policies inForce) {
        this.version = version;
        this.comparedWith = comparedWith;
        this.inForce = inForce;
    }

    /** Leases, fallbacks and pauses do not change what a shadow version decides. */
    private static boolean differs(Policy present, Policy shadow) {
        return !present.rules().equals(shadow.rules()) || !present.overrides().equals(shadow.overrides());
    }

    private @Nullable ShadowPolicy continued(@Nullable ShadowEvaluation before, Policy policy) {
        ShadowPolicy counted =
                before == null || !before.version.equals(version) ? null : before.byName.get(policy.name());
        return counted != null && counted.isOf(policy) ? counted : null;
    }

    /** Whether this is the evaluation of a version beside these policies. */
    boolean isOf(String shadow, Policies current) {
        return version.equals(shadow) && inForce.equals(current);
    }

    /** Sets the version in force, whose policies are the same, and why the shadow version cannot be read or evaluated. */
    void set(String current, Optional<String> reason) {
        comparedWith = current;
        problem = reason;
    }

    /** Whether any policy is evaluated. */
    boolean isNeeded() {
        return !byName.isEmpty();
    }

    /** The copies to send. */
    CopyQueue copies() {
        return copies;
    }

    @Override
    public void onDecision(Policy policy, Attributes attributes, long permits, Decision decision, long elapsedNanos) {
        ShadowPolicy shadow = byName.get(policy.name());
        if (shadow != null) {
            shadow.copy(attributes, permits, decision);
        }
    }

    PolicyPreview preview() {
        return new PolicyPreview(
                version,
                comparedWith,
                since,
                problem,
                List.copyOf(byName.values().stream().map(ShadowPolicy::counts).toList()));
    }
}
