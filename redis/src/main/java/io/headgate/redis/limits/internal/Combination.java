package io.headgate.redis.limits.internal;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.LimiterException;
import io.headgate.limits.Policy;
import io.headgate.limits.Rule;
import io.headgate.limits.combined.CombinedDecision;
import io.headgate.limits.internal.Causes;
import io.headgate.redis.limits.internal.calls.PendingCombinedRequest;
import io.headgate.redis.limits.internal.calls.RequestDeadlines;
import io.headgate.redis.limits.internal.denials.CombinedDenials;
import io.headgate.redis.limits.internal.denials.DenialCache;
import io.headgate.redis.limits.internal.fallback.PolicyFallback;
import io.headgate.redis.limits.internal.fallback.RedisWatch;
import io.headgate.redis.limits.internal.planner.AcquireRequest;
import io.headgate.redis.limits.internal.planner.CombinedPlanner;
import io.headgate.redis.limits.internal.planner.Scripts;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The versions of several policies under which combined requests are decided, with their cached denials and fallbacks. Like
 * {@link PolicyVersion} for one policy, it also handles the outcome of the requests: it notifies listeners of each policy, reports the
 * health of Redis, and returns the decision of the fallbacks if Redis fails.
 */
final class Combination implements PendingCombinedRequest.Handler {

    private final List<PolicyVersion> versions;
    private final List<Policy> policies;
    private final EngineParts engine;
    private final CombinedPlanner planner;
    private final List<DenialCache.View> denials;
    private final List<PolicyFallback> fallbacks;
    private final RedisWatch watch;
    private final RequestDeadlines.Budget budget = new RequestDeadlines.Budget();

    /** Whether denials are cached; false if a rule counts attempts, as it charges denied requests. */
    private final boolean cachesDenials;

    /** Whether all policies have a fallback. Otherwise no fallback decides a request. */
    private final boolean allHaveFallback;

    /** Whether any policy has a fallback. If so, the outcome of each call is reported to the watch of Redis. */
    private final boolean anyHasFallback;

    Combination(List<PolicyVersion> versions, EngineParts engine, Scripts scripts) {
        this.versions = List.copyOf(versions);
        this.policies = versions.stream().map(PolicyVersion::policy).toList();
        this.engine = engine;
        this.planner = new CombinedPlanner(
                versions.stream().map(PolicyVersion::planner).toList(), scripts);
        this.denials = versions.stream().map(PolicyVersion::denials).toList();
        this.fallbacks = versions.stream().map(PolicyVersion::fallback).toList();
        this.watch = engine.fallbacks().watch();
        this.cachesDenials = versions.stream()
                .flatMap(version -> version.policy().rules().stream())
                .noneMatch(Rule::countsAttempts);
        this.allHaveFallback = fallbacks.stream().allMatch(PolicyFallback::isEnabled);
        this.anyHasFallback = fallbacks.stream().anyMatch(PolicyFallback::isEnabled);
        // If a policy has no fallback, the fallbacks of the others cannot decide the request, so their budgets do not
        // matter: only those of policies without a fallback do.
        Duration shortest = fallbacks.stream()
                .filter(fallback -> allHaveFallback || !fallback.isEnabled())
                .map(PolicyFallback::budget)
                .min(Comparator.naturalOrder())
                .orElse(engine.timeout());
        this.budget.set(shortest, allHaveFallback);
    }

    /** Whether one of the versions was replaced by a later one, so that no new request uses this combination. */
    boolean isSuperseded() {
        return versions.stream().anyMatch(PolicyVersion::isSuperseded);
    }

    CombinedPlanner planner() {
        return planner;
    }

    /** The time budget of a request: the shortest budget of all policies or, if some have no fallback, of those without one. */
    RequestDeadlines.Budget budget() {
        return budget;
    }

    boolean allHaveFallback() {
        return allHaveFallback;
    }

    /** The time by the application's clock, if it provides one, else by that of this process; in microseconds. */
    long localMicros() {
        return versions.get(0).planner().localMicros();
    }

    /** Creates the part of a combined request for each policy. */
    List<AcquireRequest> parts(List<Attributes> attributes, List<Long> permits, long nowMicros) {
        return IntStream.range(0, versions.size())
                .mapToObj(i -> versions.get(i).part(attributes.get(i), permits.get(i), nowMicros))
                .toList();
    }

    /** Whether the fallbacks currently decide requests, which are not sent to Redis. */
    boolean isFallbackActive() {
        // Any of them: all depend on the same Redis.
        return allHaveFallback && fallbacks.get(0).isActive();
    }

    /** Returns the decision if the request is banned or paused under any policy, or exempt under all; else null. */
    @Nullable
    CombinedDecision uncounted(List<Attributes> attributes, List<Long> permits) {
        List<Decision> decisions = engine.uncounted().findAny(policies, attributes);
        return decisions.isEmpty() ? null : notified(attributes, permits, decisions, 0);
    }

    /** Returns the decision if a cached denial of any policy denies the request; null if it must be sent to Redis. */
    @Nullable
    CombinedDecision cachedDenial(List<Attributes> attributes, List<Long> permits, long nowMicros) {
        List<Decision> decisions =
                cachesDenials ? CombinedDenials.findAny(denials, attributes, permits, nowMicros) : List.of();
        return decisions.isEmpty() ? null : notified(attributes, permits, decisions, 0);
    }

    /** Decides a request by a ban that is known, or else by the fallbacks, without a call to Redis. */
    CombinedDecision decideByFallback(List<Attributes> attributes, List<Long> permits) {
        return decideByFallback(attributes, permits, 0);
    }

    private CombinedDecision decideByFallback(List<Attributes> attributes, List<Long> permits, long elapsedNanos) {
        List<Decision> banned = CombinedDenials.findBans(denials, attributes, permits, localMicros());
        if (!banned.isEmpty()) {
            return notified(attributes, permits, banned, elapsedNanos);
        }
        List<String[]> keys = new ArrayList<>();
        for (int i = 0; i < versions.size(); i++) {
            keys.add(versions.get(i).planner().keys(attributes.get(i)));
        }
        return notified(attributes, permits, PolicyFallback.decide(fallbacks, attributes, keys, permits), elapsedNanos);
    }

    /** Notifies listeners of the decision of each policy, except of those that were skipped. */
    private CombinedDecision notified(
            List<Attributes> attributes, List<Long> permits, List<Decision> decisions, long elapsedNanos) {
        for (int i = 0; i < decisions.size() && !engine.listeners().isEmpty(); i++) {
            Decision decision = decisions.get(i);
            if (decision.basis() != Decision.Basis.SKIPPED) {
                Policy policy = policies.get(i);
                engine.listeners().onDecision(policy, attributes.get(i), permits.get(i), decision, elapsedNanos);
            }
        }
        return new CombinedDecision(decisions);
    }

    private static long elapsedNanos(PendingCombinedRequest pending) {
        return Math.max(1, System.nanoTime() - pending.parts().get(0).requestedNanos());
    }

    private static List<Attributes> attributes(PendingCombinedRequest pending) {
        return pending.parts().stream().map(AcquireRequest::attributes).toList();
    }

    private static List<Long> permits(PendingCombinedRequest pending) {
        return pending.parts().stream().map(AcquireRequest::permits).toList();
    }

    @Override
    public void onDecision(PendingCombinedRequest pending, CombinedDecision decision) {
        for (int i = 0; i < versions.size(); i++) {
            AcquireRequest part = pending.parts().get(i);
            Decision ofPolicy = decision.decisions().get(i);
            denials.get(i).put(part, ofPolicy);
            fallbacks.get(i).learn(part, ofPolicy);
        }
        if (anyHasFallback) {
            watch.answered();
        }
        notified(attributes(pending), permits(pending), decision.decisions(), elapsedNanos(pending));
    }

    @Override
    public @Nullable CombinedDecision fallback(PendingCombinedRequest pending, Throwable problem) {
        if (engine.state().isClosed()) {
            return null;
        }
        if (anyHasFallback && !pending.isAbandoned()) {
            watch.failed(problem);
        }
        if (!allHaveFallback) {
            if (Causes.of(problem) instanceof LimiterException failure) {
                for (int i = 0; i < versions.size(); i++) {
                    AcquireRequest part = pending.parts().get(i);
                    Policy policy = policies.get(i);
                    engine.listeners().onFailure(policy, part.attributes(), part.permits(), failure);
                }
            }
            return null;
        }
        return decideByFallback(attributes(pending), permits(pending), elapsedNanos(pending));
    }

    @Override
    public Throwable failure(Throwable problem) {
        return engine.state().isClosed()
                ? engine.state().problem(problem instanceof LimiterException ? problem : problem.getCause())
                : problem;
    }

    @Override
    public void onLateDecision(PendingCombinedRequest pending, CombinedDecision decision, CombinedDecision returned) {
        for (int i = 0; i < versions.size(); i++) {
            Decision late = decision.decisions().get(i);
            if (late.basis() != Decision.Basis.SKIPPED) {
                AcquireRequest part = pending.parts().get(i);
                engine.listeners().onLateDecision(policies.get(i), part.attributes(), part.permits(), late);
            }
        }
        if (decision.denied()) {
            // Nothing to refund or to settle: a counted attempt stays charged.
            return;
        }
        for (int i = 0; i < versions.size(); i++) {
            AcquireRequest part = pending.parts().get(i);
            Decision late = decision.decisions().get(i);
            if (returned.denied()) {
                // The fallbacks denied the request: refund what Redis charged to each policy, even if the fallback of
                // that policy alone would have allowed it.
                fallbacks.get(i).reverse(part, late);
            } else {
                fallbacks.get(i).settle(part, late, returned.decisions().get(i));
            }
        }
    }
}
