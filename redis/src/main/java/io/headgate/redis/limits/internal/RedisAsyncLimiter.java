package io.headgate.redis.limits.internal;

import io.headgate.limits.AsyncLimiter;
import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.LimiterException;
import io.headgate.limits.PermitRequest;
import io.headgate.limits.Policy;
import io.headgate.limits.RequestId;
import io.headgate.limits.Rule;
import io.headgate.limits.internal.EngineState;
import io.headgate.limits.internal.Micros;
import io.headgate.limits.internal.Pauses;
import io.headgate.limits.internal.RequestIds;
import io.headgate.limits.internal.algorithm.Charge;
import io.headgate.limits.internal.decision.EngineDecision;
import io.headgate.limits.internal.overrides.PolicyVariants;
import io.headgate.limits.internal.waiting.WaitingLines;
import io.headgate.redis.limits.internal.bans.RedisBans;
import io.headgate.redis.limits.internal.calls.Coalescer;
import io.headgate.redis.limits.internal.calls.PendingRequest;
import io.headgate.redis.limits.internal.calls.PolicyCalls;
import io.headgate.redis.limits.internal.calls.RequestDeadlines;
import io.headgate.redis.limits.internal.calls.UnbatchedRequests;
import io.headgate.redis.limits.internal.denials.Invalidation;
import io.headgate.redis.limits.internal.denials.InvalidationBus;
import io.headgate.redis.limits.internal.fallback.PolicyFallback;
import io.headgate.redis.limits.internal.leases.PermitLeases;
import io.headgate.redis.limits.internal.planner.AcquireRequest;
import io.headgate.redis.limits.internal.planner.Keys;
import io.headgate.redis.limits.internal.planner.PolicyPlanner;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The asynchronous limiter of one policy on Redis. It decides a request by leased permits, by a cached denial or, during an outage, by
 * the fallback; otherwise it sends the request to Redis.
 */
public sealed class RedisAsyncLimiter implements AsyncLimiter, InvalidationBus.WaitingLimiter permits ShadowLimiter {

    private final EngineParts engine;
    private final EngineState state;
    private final PolicyCalls calls;
    private final RequestDeadlines.Budget budget = new RequestDeadlines.Budget();
    private final UnbatchedRequests unbatched;

    /** Null if batching is off. */
    private final @Nullable Coalescer coalescer;

    private final WaitingLines waiting;
    private final ReentrantLock updating = new ReentrantLock();
    private final InvalidationBus invalidations;
    private volatile PolicyVariants<PolicyVersion> variants;
    private volatile boolean isRegistered;

    public RedisAsyncLimiter(Policy policy, EngineParts engine) {
        this.engine = engine;
        this.state = engine.state();
        this.invalidations = engine.invalidations();
        this.waiting = new WaitingLines(
                this, state, engine.uncounted()::target, this::refundUnreceived, invalidations::subscribe);
        this.calls = engine.calls();
        this.coalescer = engine.coalescer(budget).orElse(null);
        this.unbatched = new UnbatchedRequests(calls, engine.deadlines(), budget, engine.timeout());
        this.variants = variants(policy);
        engine.pauses().use(policy);
        engine.bans().ifPresent(RedisBans::use);
    }

    private PolicyVariants<PolicyVersion> variants(Policy policy) {
        AtomicBoolean superseded = new AtomicBoolean();
        PolicyVariants<PolicyVersion> created = new PolicyVariants<>(
                policy, variant -> new PolicyVersion(policy, engine.planner(variant), engine, superseded));
        PolicyFallback fallback = created.base().fallback();
        budget.set(fallback.budget(), fallback.isEnabled());
        return created;
    }

    @Override
    public Policy policy() {
        return variants.policy();
    }

    /** Whether this limiter belongs to the engine with these parts, and is no shadow limiter. */
    boolean isOf(EngineParts parts) {
        return engine.listeners() == parts.listeners();
    }

    /** The current version of the policy, and its variants, which have the limits of overrides. */
    PolicyVariants<PolicyVersion> variants() {
        return variants;
    }

    void update(Policy policy) {
        state.requireOpen();
        updating.lock();
        try {
            PolicyVariants<PolicyVersion> before = variants;
            before.policy().requireUpdatable(policy);
            replace(before, policy);
            Set<Rule> changed = PolicyVariants.changedRules(before.policy(), policy);
            before.base().denials().drop(changed);
            engine.pauses().use(policy);
            invalidations.policyUpdated(before.base().planner(), changed);
            engine.leases().end(before.policy(), policy);
        } finally {
            updating.unlock();
        }
        waiting.policyChanged();
    }

    @Override
    public CompletionStage<Decision> tryAcquire(String id) {
        return tryAcquire(policy().attributesOf(id), 1, null);
    }

    @Override
    public CompletionStage<Decision> tryAcquire(PermitRequest request) {
        Attributes attributes = request.attributesFor(policy());
        return tryAcquire(attributes, request.permits(), request.requestId().orElse(null));
    }

    /** Requests permits, as {@link #tryAcquire(PermitRequest)} does. */
    CompletionStage<Decision> tryAcquire(Attributes attributes, long permits, @Nullable RequestId id) {
        if (state.isClosed()) {
            return state.failed();
        }
        Decision uncounted = engine.uncounted().find(policy(), attributes);
        if (uncounted != null) {
            engine.listeners().onDecision(policy(), attributes, permits, uncounted, 0);
            return CompletableFuture.completedFuture(uncounted);
        }
        return id == null ? decide(attributes, permits) : decideOnce(attributes, permits, id);
    }

    private CompletionStage<Decision> decide(Attributes attributes, long permits) {
        PolicyVariants<PolicyVersion> all = variants;
        PolicyVersion current = version(all, attributes);
        PermitLeases.OfPolicy leases = leases(all, current);
        long nowMicros = current.planner().localMicros();
        Decision local = current.decideLocally(leases, attributes, permits, nowMicros);
        if (local != null) {
            return CompletableFuture.completedFuture(local);
        }
        if (current.fallback().isActive()) {
            return CompletableFuture.completedFuture(current.decideByFallback(attributes, permits));
        }
        PendingRequest pending = current.request(attributes, permits, nowMicros, null);
        if (leases != null) {
            leases.sent(pending);
        }
        if (coalescer == null || current.planner().isMultiSlot()) {
            unbatched.send(pending);
        } else if (current == all.base()) {
            coalescer.send(pending);
        } else {
            coalescer.sendVariant(pending);
        }
        return pending;
    }

    /** The variant that decides a request that is counted. */
    private PolicyVersion version(PolicyVariants<PolicyVersion> all, Attributes attributes) {
        return engine.uncounted().isExempt(all.policy(), attributes) ? all.exempt(attributes) : all.of(attributes);
    }

    private void replace(PolicyVariants<PolicyVersion> before, Policy policy) {
        variants = variants(policy);
        before.base().supersede();
    }

    /** Sends all requests that wait for a batch, so that Redis decides them before the caller's next call. */
    void flush() {
        if (coalescer != null) {
            coalescer.flush();
        }
    }

    /**
     * The leases of this version; null if the policy has none, or if they have ended. Leases end after an outage, and when another limiter
     * of the same policy is updated. Then the version is replaced by a copy, which has leases again.
     */
    private PermitLeases.@Nullable OfPolicy leases(PolicyVariants<PolicyVersion> all, PolicyVersion current) {
        PermitLeases.OfPolicy leases = current.leases();
        if (leases == null || !leases.isEnded()) {
            return leases;
        }
        updating.lock();
        try {
            if (variants == all) {
                replace(all, all.policy());
            }
        } finally {
            updating.unlock();
        }
        return null;
    }

    private CompletionStage<Decision> decideOnce(Attributes attributes, long permits, RequestId id) {
        PolicyVersion current = version(variants, attributes);
        if (current.fallback().isActive()) {
            return CompletableFuture.completedFuture(current.decideByFallback(attributes, permits));
        }
        // Cached denials are not used: a first request with this id may have been admitted.
        PendingRequest pending =
                current.request(attributes, permits, current.planner().localMicros(), AcquireRequest.Id.of(id));
        flush();
        unbatched.send(pending);
        return pending;
    }

    /**
     * Returns the decision for a blocking caller whose wait has failed.
     *
     * @param awaited the decision that the caller waited for; null if no request was made
     * @throws LimiterException the failure, if there is no fallback
     */
    Decision decideAfter(
            LimiterException failure,
            @Nullable CompletionStage<Decision> awaited,
            Attributes attributes,
            long permits) {
        if (state.isClosed()) {
            throw state.problem(failure);
        }
        PolicyVersion current = version(variants, attributes);
        if (!current.fallback().isEnabled()) {
            throw failure;
        }
        return awaited instanceof PendingRequest pending
                ? pending.abandon(failure)
                : current.decideByFallback(attributes, permits);
    }

    @Override
    public CompletionStage<Decision> acquire(PermitRequest request, Duration maxWait) {
        registerForWakeUps();
        return waiting.acquire(request, maxWait);
    }

    /** Acquires permits as {@link #acquire} does, and blocks the caller's thread meanwhile. */
    Decision await(PermitRequest request, Duration maxWait) throws InterruptedException {
        registerForWakeUps();
        return waiting.await(request, maxWait);
    }

    /** Registers this limiter at its first request that may wait, so that refunds by other limiters and instances wake its requests. */
    private void registerForWakeUps() {
        if (!isRegistered) {
            isRegistered = true;
            invalidations.register(this);
        }
    }

    @Override
    public boolean hasWaiting() {
        return !waiting.isEmpty();
    }

    @Override
    public void wakeAll() {
        waiting.policyChanged();
    }

    @Override
    public void wake(Collection<Rule> rules, Attributes attributes, long permits) {
        waiting.freed(rules, attributes, permits);
    }

    @Override
    public void wake(Invalidation.OfIds refunded) {
        variants.base()
                .planner()
                .ruleOf(refunded.stem())
                .filter(rule -> rule.dimensions().size() == refunded.ids().size())
                .ifPresent(rule -> wake(List.of(rule), Keys.attributes(rule, refunded.ids()), refunded.permits()));
    }

    @Override
    public CompletionStage<Decision> peek(PermitRequest request) {
        PolicyVariants<PolicyVersion> all = variants;
        Attributes attributes = RequestIds.requireNone("peek", request).attributesFor(all.policy());
        PolicyVersion current = version(all, attributes);
        long permits = request.permits();
        if (state.isClosed()) {
            return state.failed();
        }
        Decision uncounted = engine.uncounted().find(all.policy(), attributes);
        if (uncounted != null) {
            return CompletableFuture.completedFuture(uncounted);
        }
        PolicyPlanner planner = current.planner();
        PolicyFallback fallback = current.fallback();
        if (fallback.isActive()) {
            return CompletableFuture.completedFuture(fallback.peek(attributes, planner.keys(attributes), permits));
        }
        flush();
        CompletableFuture<Decision> answer = calls.peek(planner, attributes, permits);
        return fallback.isEnabled()
                ? answer.exceptionallyCompose(problem -> state.isClosed()
                        ? CompletableFuture.failedFuture(problem)
                        : CompletableFuture.completedFuture(
                                fallback.peek(attributes, planner.keys(attributes), permits)))
                : answer;
    }

    @Override
    public CompletionStage<Long> refund(Attributes attributes, Decision decision) {
        return state.isClosed()
                ? state.failed()
                : refund(
                        attributes,
                        decision,
                        OptionalLong.of(EngineDecision.require(decision).chargeId()));
    }

    /** Refunds a decision that no caller has received. The refund is not recorded, as there can be no second refund. */
    private void refundUnreceived(Attributes attributes, Decision decision) {
        refund(attributes, decision, OptionalLong.empty());
    }

    private CompletionStage<Long> refund(Attributes attributes, Decision decision, OptionalLong chargeId) {
        PolicyVersion current = variants.of(attributes, decision);
        PolicyPlanner planner = current.planner();
        if (decision.basis() == Decision.Basis.LOCAL_SHARE) {
            return CompletableFuture.completedFuture(
                    current.fallback().refund(attributes, planner.keys(attributes), decision));
        }
        Map<Rule, Charge> charges = Charge.of(planner.policy(), decision);
        return charges.isEmpty()
                ? CompletableFuture.completedFuture(0L)
                : refund(planner, attributes, charges, chargeId);
    }

    @Override
    public CompletionStage<Long> refundOldest(PermitRequest request) {
        PolicyVariants<PolicyVersion> all = variants;
        Attributes attributes = RequestIds.requireNone("refundOldest", request).attributesFor(all.policy());
        PolicyPlanner planner = all.of(attributes).planner();
        return state.isClosed()
                ? state.failed()
                : refund(
                        planner,
                        attributes,
                        Charge.ofOldest(planner.policy(), request.permits()),
                        OptionalLong.empty());
    }

    private CompletionStage<Long> refund(
            PolicyPlanner planner, Attributes attributes, Map<Rule, Charge> charges, OptionalLong chargeId) {
        flush();
        CompletableFuture<Long> refunded = calls.refund(planner, attributes, charges, chargeId);
        refunded.thenAccept(permits -> invalidations.refunded(planner, charges.keySet(), attributes, permits));
        return refunded;
    }

    @Override
    public CompletionStage<Boolean> resetRule(String rule, Attributes attributes) {
        if (state.isClosed()) {
            return state.failed();
        }
        PolicyVariants<PolicyVersion> all = variants;
        PolicyPlanner planner = all.base().planner();
        Rule ruleToReset = planner.policy().rule(rule);
        engine.leases().forget(all.policy(), ruleToReset, attributes);
        flush();
        CompletableFuture<Boolean> wasCounted = calls.reset(planner, ruleToReset, attributes);
        wasCounted.thenAccept(counted ->
                invalidations.refunded(planner, List.of(ruleToReset), attributes, counted ? Long.MAX_VALUE : 0));
        return wasCounted;
    }

    @Override
    public CompletionStage<Duration> pause(Attributes attributes, Duration pause) {
        long micros = Pauses.micros(pause);
        Pauses.Target target = engine.pauses().inForce().target(policy(), attributes);
        if (state.isClosed()) {
            return state.failed();
        }
        try {
            return engine.pauses().pause(target, micros).thenApply(Micros::toDuration);
        } catch (LimiterException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    @Override
    public CompletionStage<Boolean> resume(Attributes attributes) {
        Pauses.Target target = engine.pauses().inForce().target(policy(), attributes);
        if (state.isClosed()) {
            return state.failed();
        }
        return engine.pauses().resume(target);
    }
}
