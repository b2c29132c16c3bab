package io.headgate.redis.limits;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.Fallback;
import io.headgate.limits.Policy;
import io.headgate.limits.Rule;
import io.headgate.limits.RuleDecision;
import io.headgate.limits.internal.Charge;
import io.headgate.limits.internal.LocalShare;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * What is answered under one version of a policy while Redis does not answer, and what of it is charged later. A share begins with
 * what Redis last said of a key, so that the start of an outage is no fresh start; what it admits is charged when Redis is back, so that its end is none either.
 */
final class PolicyFallback {

    /** When who is denied without a share is to ask again: by then Redis may be back. */
    private static final long RETRY_MICROS = TimeUnit.SECONDS.toMicros(1);

    private static final int PAID_AT_ONCE = 256;

    private final Policy policy;
    private final Fallback fallback;
    private final Duration timeout;
    private final Fallbacks engine;
    private final LocalShare share;

    /** In the order of the rules. */
    private final List<Spending> spending;

    private final List<RulePayer> payers;

    PolicyFallback(PolicyPlanner planner, Fallback fallback, Duration timeout, Fallbacks engine) {
        this.policy = planner.policy();
        this.fallback = fallback;
        this.timeout = timeout;
        this.engine = engine;
        this.share = engine.shareOf(policy);
        this.spending = policy.rules().stream()
                .map(rule -> new Spending(Fallbacks.MAX_KEYS))
                .toList();
        this.payers = policy.rules().stream()
                .map(rule -> new RulePayer(policy, rule, engine))
                .toList();
    }

    /** Whether failures are answered. */
    boolean answers() {
        return fallback.mode() != Fallback.Mode.NONE;
    }

    /** How long a decision may take. */
    Duration budget() {
        return fallback.budget(timeout);
    }

    /** Whether nothing is asked of Redis now, and this answers. */
    boolean isInPlace() {
        return !engine.watch().asks() && answers();
    }

    /** What is answered. */
    Decision decide(Attributes attributes, String[] keys, long permits) {
        long nowMicros = engine.nowMicros();
        return switch (fallback.mode()) {
            case OPEN -> Decision.open(policy, nowMicros);
            case CLOSED -> Decision.closed(policy, nowMicros, RETRY_MICROS);
            case LOCAL, NONE -> byShare(attributes, keys, permits, nowMicros);
        };
    }

    private Decision byShare(Attributes attributes, String[] keys, long permits, long nowMicros) {
        begin(attributes, keys, nowMicros);
        Decision decision = share.tryAcquire(attributes, permits);
        if (decision.charged() > 0) {
            List<RuleDecision> said = decision.rules();
            for (int i = 0; i < keys.length; i++) {
                if (said.get(i).allowed()) {
                    spending.get(i).add(keys[i], attributes, permits, nowMicros);
                }
            }
            engine.owes(this);
        }
        return decision;
    }

    private void begin(Attributes attributes, String[] keys, long nowMicros) {
        share.share(engine.instances());
        for (int i = 0; i < keys.length; i++) {
            long used = engine.lastUsed().take(keys[i], nowMicros);
            if (used > 0) {
                share.begin(i, attributes, used);
            }
        }
    }

    /** What would be answered, which charges nothing. */
    Decision peek(Attributes attributes, String[] keys, long permits) {
        long nowMicros = engine.nowMicros();
        return switch (fallback.mode()) {
            case OPEN -> Decision.open(policy, nowMicros);
            case CLOSED -> Decision.closed(policy, nowMicros, RETRY_MICROS);
            case LOCAL, NONE -> {
                begin(attributes, keys, nowMicros);
                yield share.peek(attributes, permits);
            }
        };
    }

    /** Takes back what was decided here and is not charged yet, and returns how many permits that is. */
    long refund(Attributes attributes, String[] keys, Decision decision) {
        for (int i = 0; i < keys.length; i++) {
            spending.get(i).charged(keys[i], decision.charged());
        }
        return share.refund(attributes, decision);
    }

    /** Learns what Redis said. */
    void learn(Ask ask, Decision decision) {
        if (fallback.mode() == Fallback.Mode.LOCAL) {
            List<RuleDecision> said = decision.rules();
            long nowMicros = engine.nowMicros();
            for (int i = 0; i < said.size(); i++) {
                engine.lastUsed().learn(ask.keys()[i], said.get(i), nowMicros);
            }
        }
    }

    /** Redis did decide, after something else was answered: what both admitted is charged, and what only Redis did is taken back. */
    void settle(Ask ask, Decision late, Decision answered) {
        if (!late.allowed()) {
            return;
        }
        if (answered.denied()) {
            engine.executor().execute(ask.planner().refund(ask.attributes(), Charge.of(policy, late)));
        } else if (answered.basis() == Decision.Basis.LOCAL_SHARE) {
            for (int i = 0; i < spending.size(); i++) {
                spending.get(i).charged(ask.keys()[i], ask.permits());
            }
        }
    }

    /** Whether anything is still to be charged. */
    boolean owes() {
        for (Spending one : spending) {
            if (!one.isEmpty()) {
                return true;
            }
        }
        return false;
    }

    /**
     * Charges some of what was spent until then: what of it still counts, and as much as the limit has room for. Completes with whether
     * there was anything.
     */
    CompletableFuture<Boolean> pay(long untouchedSinceMicros) {
        List<CompletableFuture<?>> calls = new ArrayList<>();
        for (int i = 0; i < spending.size(); i++) {
            for (Map.Entry<String, Spending.Spent> one : spending.get(i).take(PAID_AT_ONCE, untouchedSinceMicros)) {
                calls.add(pay(i, one.getKey(), one.getValue()));
            }
        }
        return CompletableFuture.allOf(calls.toArray(CompletableFuture[]::new)).thenApply(all -> !calls.isEmpty());
    }

    private CompletableFuture<?> pay(int ofRule, String key, Spending.Spent spent) {
        long permits = Math.min(spent.permits(), share.used(ofRule, spent.attributes()));
        if (permits <= 0) {
            share.forget(ofRule, spent.attributes());
            return CompletableFuture.completedFuture(null);
        }
        return payers.get(ofRule).charge(spent.attributes(), permits).whenComplete((done, problem) -> {
            if (problem == null) {
                share.forget(ofRule, spent.attributes());
            } else {
                spending.get(ofRule).add(key, spent.attributes(), spent.permits(), spent.latestMicros());
            }
        });
    }

    /** The rules of a policy one by one, as each owes what was spent under it alone. */
    private static final class RulePayer {

        private final PolicyPlanner planner;
        private final Fallbacks engine;

        RulePayer(Policy policy, Rule rule, Fallbacks engine) {
            Rule plain = new Rule(rule.name(), rule.limit(), rule.dimensions());
            this.engine = engine;
            this.planner = engine.planner(Policy.named(policy.name())
                    .colocate(policy.colocation())
                    .rule(plain)
                    .build());
        }

        CompletableFuture<?> charge(Attributes attributes, long permits) {
            return ask(attributes, permits)
                    .thenCompose(decision -> decision.denied() && decision.remaining() > 0
                            ? ask(attributes, decision.remaining())
                            : CompletableFuture.completedFuture(decision));
        }

        private CompletableFuture<Decision> ask(Attributes attributes, long permits) {
            Ask ask = planner.ask(attributes, permits, planner.localMicros());
            return engine.executor().execute(planner.acquire(ask));
        }
    }
}
