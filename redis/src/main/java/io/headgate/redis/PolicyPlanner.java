package io.headgate.redis;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.Policy;
import io.headgate.limits.Rule;
import io.headgate.limits.internal.LimitKind;
import java.util.List;
import java.util.function.Supplier;

/** Turns questions to one policy into script calls: pure, and prepared as far as the policy alone allows. */
final class PolicyPlanner {

    private static final int ARGUMENTS_BEFORE_RULES = 2;

    private final Policy policy;
    private final List<Rule> rules;
    private final String[] stems;
    private final RuleArguments[] arguments;
    private final Supplier<String> now;
    private final Script acquire;
    private final Script peek;
    private final Script reset;

    /**
     * Prepares the calls.
     *
     * @param now the time in microseconds to decide at, or empty text for Redis's own
     */
    PolicyPlanner(Policy policy, Keys keys, Scripts scripts, Supplier<String> now) {
        this.policy = policy;
        this.rules = policy.rules();
        this.now = now;
        this.stems = rules.stream().map(rule -> keys.stem(policy, rule)).toArray(String[]::new);
        this.arguments =
                rules.stream().map(rule -> RuleArguments.of(rule.limit())).toArray(RuleArguments[]::new);
        List<LimitKind> kinds =
                rules.stream().map(rule -> LimitKind.of(rule.limit())).toList();
        this.acquire = scripts.acquire(kinds);
        this.peek = scripts.peek(kinds);
        this.reset = scripts.reset();
    }

    ScriptCall<Decision> acquire(Attributes attributes, long permits) {
        return decide(acquire, attributes, permits);
    }

    ScriptCall<Decision> peek(Attributes attributes, long permits) {
        return decide(peek, attributes, permits);
    }

    ScriptCall<Boolean> reset(String rule, Attributes attributes) {
        int at = rules.indexOf(policy.rule(rule));
        String[] keys = {Keys.key(stems[at], rules.get(at), attributes)};
        return new ScriptCall<>(reset, keys, new String[0], reply -> (Long) reply.get(0) > 0);
    }

    private ScriptCall<Decision> decide(Script script, Attributes attributes, long permits) {
        String[] keys = new String[stems.length];
        String[] all = new String[ARGUMENTS_BEFORE_RULES + stems.length * RuleArguments.COUNT];
        all[0] = now.get();
        all[1] = Long.toString(permits);
        for (int i = 0; i < keys.length; i++) {
            keys[i] = Keys.key(stems[i], rules.get(i), attributes);
            arguments[i].writeTo(all, ARGUMENTS_BEFORE_RULES + i * RuleArguments.COUNT);
        }
        return new ScriptCall<>(script, keys, all, this::decision);
    }

    private Decision decision(List<Object> reply) {
        long[] outcomes = new long[rules.size() * Decision.OUTCOME_FIELDS];
        if (reply.size() != outcomes.length + 1) {
            throw new IllegalArgumentException(reply.size() + " values");
        }
        for (int i = 0; i < outcomes.length; i++) {
            outcomes[i] = (Long) reply.get(i + 1);
        }
        return Decision.of(policy, (Long) reply.get(0), outcomes);
    }
}
