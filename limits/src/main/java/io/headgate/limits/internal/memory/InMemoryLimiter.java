package io.headgate.limits.internal.memory;

import io.headgate.limits.AsyncLimiter;
import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.Limiter;
import io.headgate.limits.PermitRequest;
import io.headgate.limits.Policy;
import io.headgate.limits.RequestId;
import io.headgate.limits.Rule;
import io.headgate.limits.TimeSource;
import io.headgate.limits.internal.LimitListeners;
import io.headgate.limits.internal.Micros;
import io.headgate.limits.internal.Pauses;
import io.headgate.limits.internal.RequestIds;
import io.headgate.limits.internal.algorithm.Charge;
import io.headgate.limits.internal.bans.UncountedDecisions;
import io.headgate.limits.internal.overrides.PolicyVariants;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** The limiter of the engine in memory. It decides each request on the caller's thread, under the current policy. */
public final class InMemoryLimiter implements Limiter {

    private final Counters counters;
    private final DecidedRequests decided;
    private final UncountedDecisions uncounted;
    private final TimeSource time;
    private final LimitListeners listeners;
    private final ImmediateAsyncLimiter async;
    private final ReentrantLock updating = new ReentrantLock();

    /** The deciders of the current policy, and of each variant of it: the policy with the limits of an override. */
    private volatile PolicyVariants<Decider> deciders;

    /** Creates a limiter. Limiters with the same counters share the counts of policies and rules with the same names. */
    public InMemoryLimiter(
            Policy policy,
            Counters counters,
            DecidedRequests decided,
            UncountedDecisions uncounted,
            TimeSource time,
            LimitListeners listeners) {
        counters.state().requireOpen();
        this.counters = counters;
        this.decided = decided;
        this.uncounted = uncounted;
        this.time = time;
        this.listeners = listeners;
        this.deciders = deciders(policy);
        this.async = new ImmediateAsyncLimiter(this, counters.state(), uncounted::target, this::refundUnreceived);
    }

    private PolicyVariants<Decider> deciders(Policy policy) {
        return new PolicyVariants<>(policy, variant -> Decider.of(variant, counters, time));
    }

    @Override
    public Policy policy() {
        return deciders.policy();
    }

    /** The deciders of the current policy. */
    PolicyVariants<Decider> deciders() {
        return deciders;
    }

    /** Whether the limiter has these counters, and so belongs to their engine. */
    boolean isOf(Counters others) {
        return counters == others;
    }

    @Override
    public void update(Policy policy) {
        counters.state().requireOpen();
        updating.lock();
        try {
            deciders.policy().requireUpdatable(policy);
            deciders = deciders(policy);
        } finally {
            updating.unlock();
        }
        async.waiting.policyChanged();
    }

    @Override
    public AsyncLimiter async() {
        return async;
    }

    /** Decides on the hot path: under one rule, without listeners, overrides and bans, it creates neither a request nor attributes. */
    @Override
    public Decision tryAcquire(String id) {
        PolicyVariants<Decider> now = deciders;
        return now.isPlain() && uncounted.bans().isEmpty() && listeners.isEmpty()
                ? now.base().acquire(id, 1)
                : decide(now, now.policy().attributesOf(id), 1, null);
    }

    @Override
    public Decision tryAcquire(PermitRequest request) {
        PolicyVariants<Decider> now = deciders;
        return decide(
                now,
                request.attributesFor(now.policy()),
                request.permits(),
                request.requestId().orElse(null));
    }

    private Decision decide(PolicyVariants<Decider> now, Attributes attributes, long permits, @Nullable RequestId id) {
        Decision decision = uncounted.find(now.policy(), attributes);
        if (decision == null) {
            Decider variant = decider(now, attributes);
            decision = id == null
                    ? variant.decide(attributes, permits, true)
                    : decideOnce(variant, attributes, permits, id);
        }
        listeners.onDecision(now.policy(), attributes, permits, decision, 0);
        return decision;
    }

    private Decision decideOnce(Decider variant, Attributes attributes, long permits, RequestId id) {
        counters.state().requireOpen();
        return decided.decide(
                variant.policy,
                attributes,
                permits,
                id,
                time.nowMicros(),
                () -> variant.decide(attributes, permits, true));
    }

    @Override
    public Decision acquire(PermitRequest request, Duration maxWait) throws InterruptedException {
        return async.waiting.await(request, maxWait);
    }

    @Override
    public Decision peek(PermitRequest request) {
        RequestIds.requireNone("peek", request);
        PolicyVariants<Decider> now = deciders;
        Attributes attributes = request.attributesFor(now.policy());
        Decision decision = uncounted.find(now.policy(), attributes);
        return decision != null ? decision : decider(now, attributes).decide(attributes, request.permits(), false);
    }

    /** The decider of a request that is counted. */
    private Decider decider(PolicyVariants<Decider> now, Attributes attributes) {
        return uncounted.isExempt(now.policy(), attributes) ? now.exempt(attributes) : now.of(attributes);
    }

    @Override
    public long refund(Attributes attributes, Decision decision) {
        counters.state().requireOpen();
        Decider now = deciders.of(attributes, decision);
        Map<Rule, Charge> charges = Charge.of(now.policy, decision);
        return freed(attributes, charges, now.refundOnce(attributes, decision, charges));
    }

    @Override
    public long refundOldest(PermitRequest request) {
        RequestIds.requireNone("refundOldest", request);
        PolicyVariants<Decider> all = deciders;
        Attributes attributes = request.attributesFor(all.policy());
        Decider now = all.of(attributes);
        Map<Rule, Charge> charges = Charge.ofOldest(now.policy, request.permits());
        return freed(attributes, charges, now.refund(attributes, charges));
    }

    /** Refunds a decision that no caller receives, which needs no record of the refund. */
    private void refundUnreceived(Attributes attributes, Decision decision) {
        Decider now = deciders.of(attributes, decision);
        Map<Rule, Charge> charges = Charge.of(now.policy, decision);
        freed(attributes, charges, now.refund(attributes, charges));
    }

    private long freed(Attributes attributes, Map<Rule, Charge> charges, long refunded) {
        async.waiting.freed(charges.keySet(), attributes, refunded);
        return refunded;
    }

    @Override
    public boolean resetRule(String rule, Attributes attributes) {
        // All variants have the same counters.
        Decider now = deciders.base();
        boolean any = now.reset(rule, attributes);
        if (any) {
            async.waiting.freed(List.of(now.policy.rule(rule)), attributes, Long.MAX_VALUE);
        }
        return any;
    }

    /** Wakes all waiting requests, as a lifted ban may allow any of them. */
    public void wakeAll() {
        async.waiting.policyChanged();
    }

    @Override
    public Duration pause(Attributes attributes, Duration pause) {
        long micros = Pauses.micros(pause);
        Pauses.Target target = uncounted.pauses().target(policy(), attributes);
        counters.state().requireOpen();
        return Micros.toDuration(uncounted.pauses().pause(target, micros));
    }

    @Override
    public boolean resume(Attributes attributes) {
        Pauses.Target target = uncounted.pauses().target(policy(), attributes);
        counters.state().requireOpen();
        boolean wasPaused = uncounted.pauses().resume(target);
        async.waiting.policyChanged();
        return wasPaused;
    }
}
