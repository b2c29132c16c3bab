package io.headgate.redis.limits.internal;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.LimiterException;
import io.headgate.limits.Policy;
import io.headgate.limits.internal.Causes;
import io.headgate.limits.internal.EngineState;
import io.headgate.limits.internal.LimitListeners;
import io.headgate.redis.limits.internal.calls.PendingRequest;
import io.headgate.redis.limits.internal.denials.DenialCache;
import io.headgate.redis.limits.internal.fallback.PolicyFallback;
import io.headgate.redis.limits.internal.fallback.RedisWatch;
import io.headgate.redis.limits.internal.leases.PermitLeases;
import io.headgate.redis.limits.internal.planner.AcquireRequest;
import io.headgate.redis.limits.internal.planner.PolicyPlanner;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * One version of the policy of a limiter, or a variant of it with the limits of overrides: its planner, cached denials, leases and
 * fallback. It also handles the outcome of the requests that were made under it: it notifies listeners, reports the health of Redis, and
 * returns the fallback's decision if Redis fails.
 */
final class PolicyVersion implements PendingRequest.Handler {

    /** The version, with its overrides. */
    private final Policy policy;

    private final PolicyPlanner planner;
    private final EngineParts engine;
    private final EngineState state;
    private final LimitListeners listeners;
    private final RedisWatch watch;
    private final DenialCache.View denials;
    private final PermitLeases.@Nullable OfPolicy leases;
    private final PolicyFallback fallback;
    private final AtomicBoolean superseded;

    /**
     * Creates a version without its overrides, or a variant.
     *
     * @param policy the version, with its overrides, as listeners receive it
     * @param planner plans calls with the limits that apply
     * @param superseded whether the limiter has a later version; shared by all variants of the version
     */
    PolicyVersion(Policy policy, PolicyPlanner planner, EngineParts engine, AtomicBoolean superseded) {
        this.policy = policy;
        this.planner = planner;
        this.engine = engine;
        this.superseded = superseded;
        this.state = engine.state();
        this.listeners = engine.listeners();
        this.watch = engine.fallbacks().watch();
        this.denials = engine.denials().view(planner);
        this.fallback = engine.fallback(planner, superseded);
        this.leases = engine.leases().of(planner);
    }

    /** The version, with its overrides, as listeners receive it. */
    Policy policy() {
        return policy;
    }

    /** Records that the limiter has a later version, so that nothing is stored for this one and its variants. */
    void supersede() {
        superseded.set(true);
    }

    boolean isSuperseded() {
        return superseded.get();
    }

    PolicyPlanner planner() {
        return planner;
    }

    DenialCache.View denials() {
        return denials;
    }

    /** The leases of the policy; null if its permits are not leased. */
    PermitLeases.@Nullable OfPolicy leases() {
        return leases;
    }

    PolicyFallback fallback() {
        return fallback;
    }

    /** Creates a request, which can be sent alone or in a batch. */
    PendingRequest request(Attributes attributes, long permits, long nowMicros, AcquireRequest.@Nullable Id id) {
        denials.observeTime(nowMicros);
        return new PendingRequest(planner.request(attributes, permits, nowMicros, id), planner, this);
    }

    /** Creates the part of a combined request for this policy. */
    AcquireRequest part(Attributes attributes, long permits, long nowMicros) {
        denials.observeTime(nowMicros);
        return planner.request(attributes, permits, nowMicros);
    }

    /**
     * Decides a request by leased permits or by a cached denial, without a call to Redis; null if neither decides it.
     *
     * @param current the leases of the policy; null if none may be spent
     */
    @Nullable
    Decision decideLocally(
            PermitLeases.@Nullable OfPolicy current, Attributes attributes, long permits, long nowMicros) {
        Decision decision = current == null ? null : current.spend(attributes, permits, nowMicros);
        if (decision == null) {
            decision = denials.find(attributes, permits, nowMicros);
        }
        if (decision != null) {
            listeners.onDecision(policy, attributes, permits, decision, 0);
        }
        return decision;
    }

    /** Decides a request by a ban that is known, or else by the fallback, without a call to Redis. */
    Decision decideByFallback(Attributes attributes, long permits) {
        Decision decision = fallbackDecision(attributes, planner.keys(attributes), permits);
        listeners.onDecision(policy, attributes, permits, decision, 0);
        return decision;
    }

    /** The decision without Redis: by a ban that is known, or else by the fallback. */
    private Decision fallbackDecision(Attributes attributes, String[] keys, long permits) {
        Decision ban = denials.findBan(attributes, permits, planner.localMicros());
        return ban != null ? ban : fallback.decide(attributes, keys, permits);
    }

    private void notifyListeners(AcquireRequest request, Decision decision) {
        if (!listeners.isEmpty()) {
            long elapsedNanos = Math.max(1, System.nanoTime() - request.requestedNanos());
            listeners.onDecision(policy, request.attributes(), request.permits(), decision, elapsedNanos);
        }
    }

    @Override
    public void cache(PendingRequest pending, Decision decision) {
        denials.put(pending.request(), decision);
    }

    @Override
    public void onDecision(PendingRequest pending, Decision decision, boolean isNewest) {
        if (fallback.isEnabled()) {
            watch.answered();
        }
        if (isNewest) {
            fallback.learn(pending.request(), decision);
        }
        notifyListeners(pending.request(), decision);
    }

    @Override
    public @Nullable Decision fallback(PendingRequest pending, Throwable problem) {
        AcquireRequest request = pending.request();
        if (state.isClosed()) {
            return null;
        }
        if (!fallback.isEnabled()) {
            if (!listeners.isEmpty() && Causes.of(problem) instanceof LimiterException failure) {
                listeners.onFailure(policy, request.attributes(), request.permits(), failure);
            }
            return null;
        }
        if (!pending.isAbandoned()) {
            watch.failed(problem);
        }
        Decision decision = fallbackDecision(request.attributes(), request.keys(), request.permits());
        notifyListeners(request, decision);
        return decision;
    }

    @Override
    public Throwable failure(Throwable problem) {
        // A new exception for each caller, as each adds its own stack trace to it.
        return state.isClosed()
                ? state.problem(problem instanceof LimiterException ? problem : problem.getCause())
                : problem;
    }

    @Override
    public void onLateDecision(PendingRequest pending, Decision decision, Decision returned) {
        AcquireRequest request = pending.request();
        fallback.settle(request, decision, returned);
        listeners.onLateDecision(policy, request.attributes(), request.permits(), decision);
    }

    @Override
    public void onForeignValue(List<String> keys) {
        engine.failures().foreign(keys);
    }
}
