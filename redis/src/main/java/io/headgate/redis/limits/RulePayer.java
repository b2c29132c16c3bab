package io.headgate.redis.limits;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.Policy;
import io.headgate.limits.Rule;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongConsumer;

/** Charges what was admitted without Redis under one rule of a policy, as each rule owes what was spent under it alone. */
final class RulePayer {

    private final PolicyPlanner planner;
    private final Fallbacks engine;

    RulePayer(Policy policy, Rule rule, Fallbacks engine) {
        // It is to charge what it can, whatever the rule makes of those who ask.
        Rule plain = new Rule(rule.name(), rule.limit(), rule.dimensions());
        this.engine = engine;
        this.planner = engine.planner(Policy.named(policy.name())
                .colocate(policy.colocation())
                .rule(plain)
                .build());
    }

    /**
     * Charges so many permits, or as many as there is room for.
     *
     * @param charged is told of each charge, also where a later one fails
     */
    CompletableFuture<?> charge(Attributes attributes, long permits, LongConsumer charged) {
        return new Instalments(some -> ask(attributes, some), charged).charge(permits);
    }

    private CompletableFuture<Decision> ask(Attributes attributes, long permits) {
        Ask ask = planner.ask(attributes, permits, planner.localMicros());
        return engine.calls().acquire(ask);
    }
}
