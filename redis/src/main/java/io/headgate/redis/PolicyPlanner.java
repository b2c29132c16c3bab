package io.headgate.redis;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.Policy;
import io.headgate.limits.Rule;
import io.headgate.limits.RuleDecision;
import io.headgate.limits.TimeSource;
import io.headgate.limits.internal.LimitKind;
import io.headgate.limits.internal.Outcome;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/** Turns questions to one policy into script calls: pure, and prepared as far as the policy alone allows. */
final class PolicyPlanner {

    /** How many bytes the time of a reply takes, and what each rule says: remaining, retry, reset. */
    private static final int TIME_BYTES = 7;

    private static final int REMAINING_BYTES = 4;
    private static final byte[] ONE = {'1'};
    private static final int RULE_BYTES = REMAINING_BYTES + 2 * TIME_BYTES;

    private final Policy policy;
    private final List<Rule> rules;
    private final String[] stems;
    private final RuleArgument[] arguments;
    private final Optional<TimeSource> time;
    private final Script acquire;
    private final Script peek;
    private final Script reset;

    /**
     * Prepares the calls.
     *
     * @param time the time to decide at; Redis's own unless given
     */
    PolicyPlanner(Policy policy, Keys keys, Scripts scripts, Optional<TimeSource> time) {
        this.policy = policy;
        this.rules = policy.rules();
        this.time = time;
        this.stems = rules.stream().map(rule -> keys.stem(policy, rule)).toArray(String[]::new);
        this.arguments =
                rules.stream().map(rule -> new RuleArgument(rule.limit())).toArray(RuleArgument[]::new);
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
        return new ScriptCall<>(reset, keys, new byte[0][], reply -> reply[0] == '1');
    }

    private ScriptCall<Decision> decide(Script script, Attributes attributes, long permits) {
        String[] keys = new String[stems.length];
        byte[][] all = new byte[1 + stems.length + (time.isPresent() ? 1 : 0)][];
        all[0] = permits == 1 ? ONE : text(permits);
        for (int i = 0; i < keys.length; i++) {
            keys[i] = Keys.key(stems[i], rules.get(i), attributes);
            all[1 + i] = arguments[i].bytes();
        }
        time.ifPresent(source -> all[1 + keys.length] = text(source.nowMicros()));
        return new ScriptCall<>(script, keys, all, this::decision);
    }

    private static byte[] text(long number) {
        return Long.toString(number).getBytes(StandardCharsets.US_ASCII);
    }

    private Decision decision(byte[] reply) {
        if (reply.length != TIME_BYTES + rules.size() * RULE_BYTES) {
            throw new IllegalArgumentException(reply.length + " bytes");
        }
        RuleDecision[] decisions = new RuleDecision[rules.size()];
        for (int i = 0; i < decisions.length; i++) {
            int at = TIME_BYTES + i * RULE_BYTES;
            decisions[i] = Outcome.decision(
                    rules.get(i),
                    Packed.number(reply, at, REMAINING_BYTES),
                    Packed.signed(reply, at + REMAINING_BYTES, TIME_BYTES),
                    Packed.number(reply, at + REMAINING_BYTES + TIME_BYTES, TIME_BYTES));
        }
        return Decision.of(policy, Packed.number(reply, 0, TIME_BYTES), decisions);
    }
}
