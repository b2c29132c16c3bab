package io.headgate.redis.limits;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.Policy;
import io.headgate.limits.RuleDecision;
import io.headgate.limits.internal.LocalShare;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

/**
 * What this instance admits by itself under one version of a policy, and what of that is to be charged. It begins with what Redis
 * last said of a key, so that the start of an outage is no fresh start; what it admits is charged when Redis is back, so that
 * its end is none either.
 */
final class PolicyShare {

    /** Who gives longer ids has nothing charged later. */
    private static final int MOST_LETTERS = 1024;

    private final Fallbacks engine;
    private final Set<String> dimensions;
    private final LocalShare share;

    /** In the order of the rules. All versions and limiters with the same keys and the same limit share one. */
    private final List<Spending> spending;

    private final List<RulePayer> payers;

    PolicyShare(PolicyPlanner planner, Fallbacks engine) {
        Policy policy = planner.policy();
        this.engine = engine;
        this.dimensions = policy.dimensions();
        this.share = engine.shareOf(policy);
        this.spending = IntStream.range(0, planner.stems().size())
                .mapToObj(i -> engine.spendingOf(
                        planner.stems().get(i), policy.rules().get(i).limit()))
                .toList();
        this.payers = policy.rules().stream()
                .map(rule -> new RulePayer(policy, rule, engine))
                .toList();
    }

    /** Decides by the share; what it charges is owed. */
    Decision decide(Attributes attributes, String[] keys, long permits, long nowMicros) {
        begin(attributes, keys, nowMicros);
        Decision decision = share.tryAcquire(attributes, permits);
        if (decision.charged() > 0) {
            note(attributes, keys, decision, nowMicros);
        }
        return decision;
    }

    private void note(Attributes attributes, String[] keys, Decision decision, long nowMicros) {
        Attributes whose = OwnAttributes.of(attributes, dimensions, MOST_LETTERS);
        if (whose == null) {
            return;
        }
        for (int i = 0; i < keys.length; i++) {
            if (decision.rules().get(i).allowed()) {
                spending.get(i).add(keys[i], whose, decision.charged(), nowMicros);
            }
        }
        engine.owes(this);
    }

    /** What it would decide. */
    Decision peek(Attributes attributes, String[] keys, long permits, long nowMicros) {
        begin(attributes, keys, nowMicros);
        return share.peek(attributes, permits);
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

    /** Takes back what it decided and is not charged yet, and returns how many permits that is. */
    long refund(Attributes attributes, String[] keys, Decision decision) {
        long refunded = share.refund(attributes, decision);
        if (refunded > 0) {
            // A second refund takes nothing back, and so must not settle what others spent.
            charged(keys, decision);
        }
        return refunded;
    }

    /** What it decided is not to be charged any more. */
    void charged(String[] keys, Decision decision) {
        List<RuleDecision> said = decision.rules();
        for (int i = 0; i < Math.min(keys.length, said.size()); i++) {
            if (said.get(i).allowed()) {
                spending.get(i).charged(keys[i], decision.charged());
            }
        }
    }

    /** Learns what Redis said. */
    void learn(String[] keys, Decision decision) {
        List<RuleDecision> said = decision.rules();
        for (int i = 0; i < keys.length; i++) {
            engine.lastUsed().learn(keys[i], said.get(i), engine.time());
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
     * Charges up to so many keys of what was spent until then: what of it still counts, and as much as the limit has room for. What
     * is charged counts here, too, until it has left the limit: so nobody has it twice while both decide. Completes with how many keys
     * there were; fails when Redis is gone, and then it is still to be charged.
     */
    CompletableFuture<Integer> pay(int keys, long untouchedSinceMicros) {
        List<CompletableFuture<?>> calls = new ArrayList<>();
        for (int i = 0; i < spending.size(); i++) {
            Spending owed = spending.get(i);
            for (Map.Entry<String, Spending.Spent> one : owed.take(keys - calls.size(), untouchedSinceMicros)) {
                calls.add(pay(i, one.getKey(), one.getValue()));
            }
        }
        return CompletableFuture.allOf(calls.toArray(CompletableFuture[]::new)).thenApply(all -> calls.size());
    }

    private CompletableFuture<?> pay(int ofRule, String key, Spending.Spent spent) {
        long permits = Math.min(spent.permits(), share.used(ofRule, spent.attributes()));
        if (permits <= 0) {
            return CompletableFuture.completedFuture(null);
        }
        AtomicLong paid = new AtomicLong();
        return payers.get(ofRule)
                .charge(spent.attributes(), permits, paid::addAndGet)
                .<CompletableFuture<?>>handle((decision, problem) -> {
                    if (problem == null || LimitFailures.isOfKey(problem)) {
                        // What is foreign there can't be charged, now or later.
                        return CompletableFuture.completedFuture(decision);
                    }
                    long left = permits - paid.get();
                    if (left > 0) {
                        spending.get(ofRule).add(key, spent.attributes(), left, spent.latestMicros());
                    }
                    return CompletableFuture.failedFuture(problem);
                })
                .thenCompose(answer -> answer);
    }
}
