package io.headgate.redis.limits.internal.planner;

import io.headgate.redis.internal.script.Packed;
import io.headgate.redis.internal.script.Script;
import io.headgate.redis.internal.script.ScriptCall;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * A call under rules that include calendar windows, so it states calendar periods. If these do not contain the time of the decision, the
 * script decides nothing, and the call is sent once more with the right periods.
 *
 * @param rules the rules in the order of the keys
 * @param limits the encoded limits of the rules, with calendar periods
 * @param arguments the arguments of the script, of which the first is replaced by the limits
 * @param decisions decodes a reply
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record CalendarCall<T>(
        Script script,
        String[] keys,
        RulePlan[] rules,
        byte[][] limits,
        byte[][] arguments,
        ScriptCall.Decoder<T> decisions)
        implements ScriptCall.Decoder<T> {

    ScriptCall<T> call() {
        byte[][] all = arguments.clone();
        all[0] = Packed.joined(limits);
        return new ScriptCall<>(script, keys, all, this);
    }

    @Override
    public T decode(byte[] reply) {
        T decision = decisions.decode(reply);
        long decidedAtMicros = new DecisionReply(reply).decidedAtMicros();
        for (RulePlan rule : rules) {
            rule.argument().observeTime(decidedAtMicros);
        }
        return decision;
    }

    @Override
    public @Nullable ScriptCall<T> followUp(byte[] bytes) {
        DecisionReply reply = new DecisionReply(bytes);
        byte[][] corrected = limits.clone();
        boolean missed = false;
        for (int i = 0; i < rules.length; i++) {
            OptionalLong about = reply.nextPeriodsAbout(rules[i].rule());
            if (about.isPresent()) {
                corrected[i] = rules[i].argument().bytesAbout(about.getAsLong());
                missed = true;
            }
        }
        return missed ? new CalendarCall<>(script, keys, rules, corrected, arguments, decisions).call() : null;
    }
}
