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
import io.headgate.limits.internal.RequestIds;
import io.headgate.limits.internal.algorithm.Charge;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** The limiter of the engine in memory. It decides each request on the caller's thread, under the current policy. */
public final class InMemoryLimiter implements Limiter {

    private final Counters counters;
    private final DecidedRequests decided;
    private final TimeSource time;
    private final LimitListeners listeners;
    private final ImmediateAsyncLimiter async;
    private final ReentrantLock updating = new ReentrantLock();
    private volatile Decider decider;

    /** Creates a limiter, which shares its counters with all limiters whose policies and rules have the same names. */
    public InMemoryLimiter(
            Policy policy, Counters counters, DecidedRequests decided, TimeSource time, LimitListeners listeners) {
        counters.state().requireOpen();
        this.counters = counters;
        this.decided = decided;
        this.time = time;
        this.listeners = listeners;
        this.decider = Decider.of(policy, counters, time);
        this.async = new ImmediateAsyncLimiter(this, counters.state(), this::takeBack);
    }

    @Override
    public Policy policy() {
        return decider.policy;
    }

    @Override
    public void update(Policy policy) {
        counters.state().requireOpen();
        updating.lock();
        try {
            decider.policy.requireUpdatable(policy);
            decider = Decider.of(policy, counters, time);
        } finally {
            updating.unlock();
        }
        async.waiting.policyChanged();
    }

    @Override
    public AsyncLimiter async() {
        return async;
    }

    /** The hot path: without listeners it creates neither a request nor attributes. */
    @Override
    public Decision tryAcquire(String id) {
        Decider now = decider;
        return listeners.isEmpty() ? now.acquire(id, 1) : decide(now, now.policy.attributesOf(id), 1, null);
    }

    @Override
    public Decision tryAcquire(PermitRequest request) {
        Decider now = decider;
        return decide(
                now,
                request.attributesFor(now.policy),
                request.permits(),
                request.requestId().orElse(null));
    }

    private Decision decide(Decider now, Attributes attributes, long permits, @Nullable RequestId id) {
        Decision decision =
                id == null ? now.decide(attributes, permits, true) : decideOnce(now, attributes, permits, id);
        listeners.onDecision(now.policy, attributes, permits, decision, 0);
        return decision;
    }

    private Decision decideOnce(Decider now, Attributes attributes, long permits, RequestId id) {
        counters.state().requireOpen();
        return decided.decide(
                now.policy, attributes, permits, id, time.nowMicros(), () -> now.decide(attributes, permits, true));
    }

    @Override
    public Decision acquire(PermitRequest request, Duration maxWait) throws InterruptedException {
        return async.waiting.await(request, maxWait);
    }

    @Override
    public Decision peek(PermitRequest request) {
        RequestIds.reject("peek", request);
        Decider now = decider;
        return now.decide(request.attributesFor(now.policy), request.permits(), false);
    }

    @Override
    public long refund(Attributes attributes, Decision decision) {
        counters.state().requireOpen();
        Decider now = decider;
        Map<Rule, Charge> charges = Charge.of(now.policy, decision);
        return freed(attributes, charges, now.refundOnce(attributes, decision, charges));
    }

    @Override
    public long refundOldest(PermitRequest request) {
        RequestIds.reject("refundOldest", request);
        Decider now = decider;
        Attributes attributes = request.attributesFor(now.policy);
        Map<Rule, Charge> charges = Charge.ofOldest(now.policy, request.permits());
        return freed(attributes, charges, now.refund(attributes, charges));
    }

    /** Refunds a decision that no caller has received, and keeps no record of it. */
    private void takeBack(Attributes attributes, Decision decision) {
        Decider now = decider;
        Map<Rule, Charge> charges = Charge.of(now.policy, decision);
        freed(attributes, charges, now.refund(attributes, charges));
    }

    private long freed(Attributes attributes, Map<Rule, Charge> charges, long refunded) {
        async.waiting.freed(charges.keySet(), attributes, refunded);
        return refunded;
    }

    @Override
    public boolean resetRule(String rule, Attributes attributes) {
        Decider now = decider;
        boolean any = now.reset(rule, attributes);
        if (any) {
            async.waiting.freed(List.of(now.policy.rule(rule)), attributes, Long.MAX_VALUE);
        }
        return any;
    }
}
