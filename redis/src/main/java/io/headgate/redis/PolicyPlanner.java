package io.headgate.redis;

import io.headgate.limits.Attributes;
import io.headgate.limits.CalendarWindow;
import io.headgate.limits.Decision;
import io.headgate.limits.Policy;
import io.headgate.limits.Rule;
import io.headgate.limits.RuleDecision;
import io.headgate.limits.TimeSource;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** Turns questions to one policy into script calls: pure, and prepared as far as the policy alone allows. */
final class PolicyPlanner {

    private static final byte[] ONE = {'1'};

    private final Policy policy;
    private final List<Rule> rules;
    private final String[] stems;
    private final RuleArgument[] arguments;
    private final boolean hasCalendar;
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
        // A guess, which a reply corrects.
        long about = time.orElseGet(TimeSource::monotonic).nowMicros();
        this.arguments = rules.stream()
                .map(rule -> new RuleArgument(rule.limit(), about))
                .toArray(RuleArgument[]::new);
        this.hasCalendar = rules.stream().anyMatch(rule -> rule.limit() instanceof CalendarWindow);
        List<Scripts.Sort> sorts = rules.stream().map(Scripts.Sort::of).toList();
        this.acquire = scripts.acquire(sorts);
        this.peek = scripts.peek(sorts);
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
        for (int i = 0; i < keys.length; i++) {
            keys[i] = Keys.key(stems[i], rules.get(i), attributes);
        }
        byte[][] all = new byte[1 + keys.length + (time.isPresent() ? 1 : 0)][];
        all[0] = permits == 1 ? ONE : text(permits);
        time.ifPresent(source -> all[1 + keys.length] = text(source.nowMicros()));
        for (int i = 0; i < keys.length; i++) {
            all[1 + i] = arguments[i].bytes();
        }
        return decide(script, keys, all);
    }

    private ScriptCall<Decision> decide(Script script, String[] keys, byte[][] all) {
        return new ScriptCall<>(script, keys, all, hasCalendar ? new AboutPeriods(script, keys, all) : this::decision);
    }

    private static byte[] text(long number) {
        return Long.toString(number).getBytes(StandardCharsets.US_ASCII);
    }

    private Decision decision(byte[] bytes) {
        DecisionReply reply = new DecisionReply(bytes);
        RuleDecision[] decisions = new RuleDecision[rules.size()];
        for (int i = 0; i < decisions.length; i++) {
            decisions[i] = reply.next(rules.get(i));
        }
        reply.requireEnd();
        return Decision.of(policy, reply.decidedAtMicros(), decisions);
    }

    /** Reads replies that may say that the periods of a calendar which were told were not those about the time. */
    private final class AboutPeriods implements ScriptCall.Decoder<Decision> {

        private final Script script;
        private final String[] keys;
        private final byte[][] all;

        AboutPeriods(Script script, String[] keys, byte[][] all) {
            this.script = script;
            this.keys = keys;
            this.all = all;
        }

        @Override
        public Decision decode(byte[] reply) {
            Decision decision = decision(reply);
            long decidedAtMicros = new DecisionReply(reply).decidedAtMicros();
            for (RuleArgument argument : arguments) {
                argument.timeIs(decidedAtMicros);
            }
            return decision;
        }

        @Override
        public @Nullable ScriptCall<Decision> instead(byte[] bytes) {
            DecisionReply reply = new DecisionReply(bytes);
            byte[][] corrected = all.clone();
            boolean missed = false;
            for (int i = 0; i < arguments.length; i++) {
                OptionalLong about = reply.nextMissed(rules.get(i));
                if (about.isPresent()) {
                    corrected[1 + i] = arguments[i].bytesAbout(about.getAsLong());
                    missed = true;
                }
            }
            return missed ? decide(script, keys, corrected) : null;
        }
    }
}
