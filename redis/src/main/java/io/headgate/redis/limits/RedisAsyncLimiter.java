package io.headgate.redis.limits;

import io.headgate.limits.AsyncLimiter;
import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.LimiterException;
import io.headgate.limits.Policy;
import io.headgate.limits.RequestId;
import io.headgate.limits.Rule;
import io.headgate.limits.internal.Bounds;
import io.headgate.limits.internal.Charge;
import io.headgate.limits.internal.DecisionListeners;
import io.headgate.limits.internal.EngineState;
import io.headgate.limits.internal.PolicyUpdates;
import io.headgate.limits.internal.WaitingLines;
import io.headgate.redis.internal.ScriptCall;
import io.headgate.redis.internal.ScriptExecutor;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** Asks one policy on Redis: plans the call, and sends it. */
final class RedisAsyncLimiter implements AsyncLimiter, InvalidationBus.Waiters {

    private final EngineParts engine;
    private final EngineState state;
    private final ScriptExecutor executor;
    private final PolicyCalls calls;
    private final Requests requests;
    private final OnceRequests once;
    private final AskedAlone askedAlone;
    private final DecisionListeners listeners;
    private final Budget budget = new Budget();
    private final WaitingLines waiting;
    private final ReentrantLock updating = new ReentrantLock();
    private final InvalidationBus invalidations;
    private volatile Version version;
    private volatile boolean mayWait;

    /** A version of the policy: how it is asked, what is leased of it, and what is answered when it can't be asked. */
    private record Version(
            PolicyPlanner planner,
            DenialCache.View denials,
            PermitLeases.@Nullable OfPolicy leases,
            PolicyFallback fallback,
            Answering answering) {}

    RedisAsyncLimiter(Policy policy, EngineParts engine) {
        this.engine = engine;
        this.state = engine.state();
        this.invalidations = engine.invalidations();
        this.waiting = new WaitingLines(this, state, this::takeBack, invalidations::subscribe);
        this.executor = engine.executor();
        this.calls = engine.calls();
        this.requests = engine.requests(budget);
        this.once = engine.once();
        this.askedAlone = new AskedAlone(engine.deadlines(), budget, engine.timeout());
        this.listeners = engine.listeners();
        this.version = version(engine.planner(policy));
    }

    private Version version(PolicyPlanner planner) {
        PolicyFallback fallback = engine.fallback(planner);
        budget.is(fallback.budget(), fallback.answers());
        DenialCache.View denials = engine.denials().view(planner);
        return new Version(
                planner,
                denials,
                engine.leases().of(planner),
                fallback,
                new Answering.OfLimiter(
                        state, listeners, denials, fallback, engine.fallbacks().watch(), engine.failures()));
    }

    @Override
    public Policy policy() {
        return version.planner().policy();
    }

    void update(Policy policy) {
        state.requireOpen();
        updating.lock();
        try {
            Version last = version;
            PolicyPlanner before = last.planner();
            version = version(engine.planner(PolicyUpdates.checked(before.policy(), policy)));
            last.denials().dropUnlessIn(policy);
            invalidations.policyUpdated(before, policy);
            if (!policy.equals(before.policy())) {
                engine.leases().end(before.policy());
            }
        } finally {
            updating.unlock();
        }
        waiting.policyChanged();
    }

    @Override
    public CompletionStage<Decision> tryAcquire(Attributes attributes, long permits) {
        Bounds.requestedPermits(permits);
        if (state.isClosed()) {
            return state.failed();
        }
        Version current = version;
        PolicyPlanner now = current.planner();
        PermitLeases.OfPolicy leases = leases(current);
        long nowMicros = now.localMicros();
        Decision here = leases == null ? null : leases.spend(attributes, permits, nowMicros);
        if (here == null) {
            here = current.denials().find(attributes, permits, nowMicros);
        }
        if (here != null) {
            listeners.onDecision(now.policy(), attributes, permits, here);
            return CompletableFuture.completedFuture(here);
        }
        if (current.fallback().isInPlace()) {
            return CompletableFuture.completedFuture(byFallback(current, attributes, permits));
        }
        current.denials().observeTime(nowMicros);
        Ask ask = now.ask(attributes, permits, nowMicros, current.answering());
        if (leases != null) {
            leases.sent(ask);
        }
        if (once.takesAll()) {
            send(ask, once.ownId());
        } else if (now.isApart()) {
            calls.send(ask);
        } else {
            requests.send(ask);
        }
        if (once.takesAll() || now.isApart() || !requests.endInTime()) {
            askedAlone.watch(ask);
        }
        return ask;
    }

    private void send(Ask ask, AskId id) {
        ask.is(id);
        if (ask.planner().isApart()) {
            calls.send(ask);
        } else {
            once.send(ask, id);
        }
    }

    /** The leases of this version; renewed when another limiter has ended them, as it was updated to another policy. */
    private PermitLeases.@Nullable OfPolicy leases(Version current) {
        PermitLeases.OfPolicy leases = current.leases();
        if (leases == null || !leases.isEnded()) {
            return leases;
        }
        updating.lock();
        try {
            if (version.equals(current)) {
                version = version(current.planner());
            }
        } finally {
            updating.unlock();
        }
        // This one is counted.
        return null;
    }

    @Override
    public CompletionStage<Decision> tryAcquire(Attributes attributes, long permits, RequestId id) {
        Bounds.requestedPermits(permits);
        if (state.isClosed()) {
            return state.failed();
        }
        Version current = version;
        PolicyPlanner now = current.planner();
        if (current.fallback().isInPlace()) {
            return CompletableFuture.completedFuture(byFallback(current, attributes, permits));
        }
        // What is known of denials does not say whether this one was admitted before.
        long nowMicros = now.localMicros();
        current.denials().observeTime(nowMicros);
        Ask ask = now.ask(attributes, permits, nowMicros, current.answering());
        requests.flush();
        send(ask, AskId.of(id));
        askedAlone.watch(ask);
        return ask;
    }

    /**
     * What is answered to a caller whose wait has ended.
     *
     * @param asked what he waited for, if he asked
     * @throws LimiterException the failure, where none are answered
     */
    Decision instead(
            @Nullable CompletionStage<Decision> asked, Attributes attributes, long permits, LimiterException failure) {
        if (state.isClosed()) {
            throw state.problem(failure);
        }
        Version current = version;
        if (!current.fallback().answers()) {
            throw failure;
        }
        if (asked instanceof Ask ask) {
            return ask.giveUpFor(failure);
        }
        return byFallback(current, attributes, permits);
    }

    private Decision byFallback(Version current, Attributes attributes, long permits) {
        PolicyPlanner now = current.planner();
        Decision here = current.fallback().decide(attributes, now.keys(attributes), permits);
        listeners.onDecision(now.policy(), attributes, permits, here);
        return here;
    }

    @Override
    public CompletionStage<Decision> acquire(Attributes attributes, long permits, Duration maxWait) {
        mayWait();
        return waiting.acquire(attributes, permits, maxWait);
    }

    /** The same on the caller's thread. */
    Decision await(Attributes attributes, long permits, Duration maxWait) throws InterruptedException {
        mayWait();
        return waiting.await(attributes, permits, maxWait);
    }

    /** From now on requests here may wait, so refunds elsewhere must wake them. */
    private void mayWait() {
        if (!mayWait) {
            mayWait = true;
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
        version.planner()
                .ruleOf(refunded.stem())
                .filter(rule -> rule.dimensions().size() == refunded.ids().size())
                .ifPresent(rule -> wake(List.of(rule), attributes(rule, refunded.ids()), refunded.permits()));
    }

    private static Attributes attributes(Rule rule, List<String> ids) {
        Map<String, String> values = new HashMap<>();
        for (int i = 0; i < ids.size(); i++) {
            values.put(rule.dimensions().get(i), ids.get(i));
        }
        return Attributes.of(values);
    }

    @Override
    public CompletionStage<Decision> peek(Attributes attributes, long permits) {
        Bounds.requestedPermits(permits);
        if (state.isClosed()) {
            return state.failed();
        }
        Version current = version;
        PolicyPlanner now = current.planner();
        PolicyFallback fallback = current.fallback();
        if (fallback.isInPlace()) {
            return CompletableFuture.completedFuture(fallback.peek(attributes, now.keys(attributes), permits));
        }
        requests.flush();
        CompletableFuture<Decision> answer = calls.peek(now, attributes, permits);
        return fallback.answers()
                ? answer.exceptionallyCompose(problem -> state.isClosed()
                        ? CompletableFuture.failedFuture(problem)
                        : CompletableFuture.completedFuture(fallback.peek(attributes, now.keys(attributes), permits)))
                : answer;
    }

    @Override
    public CompletionStage<Long> refund(Attributes attributes, Decision decision) {
        return state.isClosed() ? state.failed() : refund(attributes, decision, OptionalLong.of(decision.chargeId()));
    }

    /** Refunds a decision that no caller has received, and keeps no record of it. */
    private void takeBack(Attributes attributes, Decision decision) {
        refund(attributes, decision, OptionalLong.empty());
    }

    private CompletionStage<Long> refund(Attributes attributes, Decision decision, OptionalLong chargeId) {
        Version current = version;
        PolicyPlanner now = current.planner();
        if (decision.basis() == Decision.Basis.LOCAL_SHARE) {
            return CompletableFuture.completedFuture(
                    current.fallback().refund(attributes, now.keys(attributes), decision));
        }
        Map<Rule, Charge> charges = Charge.of(now.policy(), decision);
        return charges.isEmpty() ? CompletableFuture.completedFuture(0L) : refund(now, attributes, charges, chargeId);
    }

    @Override
    public CompletionStage<Long> refund(Attributes attributes, long permits) {
        Bounds.refundedPermits(permits);
        if (state.isClosed()) {
            return state.failed();
        }
        PolicyPlanner now = version.planner();
        return refund(now, attributes, Charge.ofOldest(now.policy(), permits), OptionalLong.empty());
    }

    private CompletionStage<Long> refund(
            PolicyPlanner now, Attributes attributes, Map<Rule, Charge> charges, OptionalLong chargeId) {
        requests.flush();
        CompletableFuture<Long> refunded = calls.refund(now, attributes, charges, chargeId);
        refunded.thenAccept(permits -> invalidations.refunded(now, charges.keySet(), attributes, permits));
        return refunded;
    }

    @Override
    public CompletionStage<Boolean> reset(String rule, Attributes attributes) {
        if (state.isClosed()) {
            return state.failed();
        }
        Version current = version;
        PolicyPlanner now = current.planner();
        Rule forgetting = now.policy().rule(rule);
        List<Rule> forgotten = List.of(forgetting);
        if (current.leases() != null) {
            current.leases().forget(forgetting, attributes);
        }
        ScriptCall<Boolean> call = now.reset(rule, attributes);
        CompletableFuture<Boolean> any = engine.denials().whileReleasing(now, forgotten, attributes, () -> {
            requests.flush();
            return executor.execute(call);
        });
        any.thenAccept(was -> invalidations.refunded(now, forgotten, attributes, was ? Long.MAX_VALUE : 0));
        return any;
    }
}
