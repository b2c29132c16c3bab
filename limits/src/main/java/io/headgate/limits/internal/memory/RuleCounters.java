package io.headgate.limits.internal.memory;

import io.headgate.limits.Attributes;
import io.headgate.limits.Policy;
import io.headgate.limits.Rule;
import io.headgate.limits.bans.BanRule;
import io.headgate.limits.internal.BoundedId;
import io.headgate.limits.internal.algorithm.Algorithm;
import io.headgate.limits.internal.algorithm.Charge;
import io.headgate.limits.internal.algorithm.Counter;
import io.headgate.limits.internal.algorithm.DenialLog;
import io.headgate.limits.internal.algorithm.Outcome;
import io.headgate.limits.internal.decision.EngineRuleDecision;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** One rule of a limiter in memory, with its algorithm and its counters. */
final class RuleCounters<S extends Counter> {

    private final Rule rule;
    private final RuleId ruleId;
    private final Algorithm<S> algorithm;
    private final Counters counters;

    /** The counters of the rule by id, as of the last lookup in the engine. The map is empty if the rule has a newer one. */
    private volatile Map<String, Counter> byId = new ConcurrentHashMap<>();

    private RuleCounters(Rule rule, RuleId ruleId, Algorithm<S> algorithm, Counters counters) {
        this.rule = rule;
        this.ruleId = ruleId;
        this.algorithm = algorithm;
        this.counters = counters;
    }

    static RuleCounters<?> of(Policy policy, Rule rule, Counters counters) {
        return new RuleCounters<>(rule, RuleId.of(policy, rule), Algorithm.of(rule.limit()), counters);
    }

    RuleId ruleId() {
        return ruleId;
    }

    /** The id of a counter: the value of the single dimension; for several, all values with their lengths, so that the id is unique. */
    String id(Attributes attributes) {
        List<String> ids = attributes.idsOf(rule);
        if (ids.size() == 1) {
            return BoundedId.of(ids.get(0));
        }
        StringBuilder all = new StringBuilder();
        for (String id : ids) {
            String bounded = BoundedId.of(id);
            all.append(bounded.length()).append(':').append(bounded);
        }
        return all.toString();
    }

    /** Returns the counter, which is added if it is missing. */
    Counter counter(String id, long nowMicros) {
        Counter counter = find(id);
        return counter != null ? counter : counters.add(ruleId, id, algorithm::start, nowMicros);
    }

    /** Returns the counter if there is one, else an empty one that is not stored. */
    Counter counterForPeek(String id) {
        Counter counter = find(id);
        return counter != null ? counter : algorithm.start();
    }

    private @Nullable Counter find(String id) {
        Counter counter = byId.get(id);
        return counter != null ? counter : findAgain(id);
    }

    private @Nullable Counter findAgain(String id) {
        Map<String, Counter> present = counters.ofRule(ruleId);
        if (present == null) {
            return null;
        }
        byId = present;
        return present.get(id);
    }

    boolean reset(Attributes attributes) {
        return counters.remove(ruleId, id(attributes));
    }

    void peek(Counter counter, long permits, long nowMicros, Outcome outcome) {
        if (!isBanned(counter, nowMicros, outcome)) {
            algorithm.peek(own(counter), permits, nowMicros, outcome);
        }
    }

    /**
     * Whether the id of a counter is banned; if so, the outcome is the ban. A ban that another version of the rule started remains in
     * force.
     */
    private boolean isBanned(Counter counter, long nowMicros, Outcome outcome) {
        DenialLog denials = counter.denials;
        if (denials == null || !denials.isBanned(nowMicros)) {
            return false;
        }
        outcome.ban(denials.sinceMicros(), denials.untilMicros(), nowMicros);
        return true;
    }

    /** Counts a denial by the rule, which may begin a ban. Does nothing if the rule begins no bans, or the id is banned already. */
    private void countDenial(Counter counter, long nowMicros, Outcome outcome) {
        Optional<BanRule> ban = rule.ban();
        if (ban.isEmpty() || ban.get().denials() == 0 || outcome.banned()) {
            return;
        }
        DenialLog denials = counter.denials == null ? new DenialLog() : counter.denials;
        counter.denials = denials;
        denials.add(ban.get(), nowMicros);
        isBanned(counter, nowMicros, outcome);
    }

    /**
     * Charges a request after a peek at all rules. If the request is admitted and this rule allows it, its permits are charged. Otherwise
     * the request is denied, or this rule is in shadow mode and would have denied it; then a rule that counts attempts charges the attempt.
     *
     * @param admitted whether all rules that can deny allow the request
     * @param outcome the result of the peek, which is updated
     */
    void settle(Counter counter, long permits, long nowMicros, boolean admitted, Outcome outcome) {
        if (admitted && outcome.allowed()) {
            algorithm.charge(own(counter), permits, nowMicros, outcome);
            counter.extendTo(nowMicros + outcome.resetMicros);
        } else if (rule.countsAttempts() && !outcome.banned()) {
            boolean allowed = outcome.allowed();
            if (algorithm.chargeAttempt(own(counter), permits, nowMicros)) {
                algorithm.peek(own(counter), permits, nowMicros, outcome);
                if (allowed) {
                    outcome.allowedBeforeAttempt();
                }
                counter.extendTo(nowMicros + outcome.resetMicros);
            }
        } else if (!outcome.allowed()) {
            countDenial(counter, nowMicros, outcome);
        }
    }

    /** Peeks and charges, for a policy with a single rule. */
    void acquire(Counter counter, long permits, long nowMicros, Outcome outcome) {
        if (isBanned(counter, nowMicros, outcome)) {
            return;
        }
        algorithm.acquire(own(counter), permits, nowMicros, outcome);
        if (outcome.allowed()) {
            counter.extendTo(nowMicros + outcome.resetMicros);
        } else {
            settle(counter, permits, nowMicros, false, outcome);
        }
    }

    /** Charges permits, but only as many as the rule admits. */
    void charge(Attributes attributes, long permits, long nowMicros) {
        String id = id(attributes);
        Counter counter;
        do {
            counter = counter(id, nowMicros);
        } while (!counter.lock());
        try {
            Outcome outcome = new Outcome();
            // Of the peek, only the remaining permits are used.
            algorithm.peek(own(counter), 1, nowMicros, outcome);
            long most = Math.min(permits, outcome.remaining);
            if (most > 0) {
                algorithm.acquire(own(counter), most, nowMicros, outcome);
                counter.extendTo(nowMicros + outcome.resetMicros);
            }
        } finally {
            counter.unlock();
        }
    }

    /** Returns the number of permits that the rule would admit. */
    long remaining(Attributes attributes, long nowMicros) {
        String id = id(attributes);
        Counter counter;
        do {
            counter = counterForPeek(id);
        } while (!counter.lock());
        try {
            Outcome outcome = new Outcome();
            // Any number of permits, as only the remaining ones are read.
            algorithm.peek(own(counter), 1, nowMicros, outcome);
            return outcome.remaining;
        } finally {
            counter.unlock();
        }
    }

    /** Refunds the part of a charge that still counts, and returns its permits. */
    long refund(Attributes attributes, Charge charge, long nowMicros) {
        if (charge.isExpired(nowMicros)) {
            return 0;
        }
        String id = id(attributes);
        Counter counter;
        do {
            counter = find(id);
            if (counter == null) {
                return 0;
            }
        } while (!counter.lock());
        try {
            // A ban replaces the count.
            return isBanned(counter, nowMicros, new Outcome()) ? 0 : algorithm.refund(own(counter), charge, nowMicros);
        } finally {
            counter.unlock();
        }
    }

    /** Whether an outcome of this rule denies the request, which a rule in shadow mode never does. */
    boolean denies(Outcome outcome) {
        return !outcome.allowed() && !rule.shadow();
    }

    EngineRuleDecision decision(Outcome outcome) {
        return outcome.of(rule);
    }

    /** The kind of limit is part of the rule's id, so the counter is of the same kind of algorithm. */
    @SuppressWarnings("unchecked")
    private S own(Counter counter) {
        return (S) counter;
    }
}
