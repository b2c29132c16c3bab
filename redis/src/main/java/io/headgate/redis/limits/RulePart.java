package io.headgate.redis.limits;

import io.headgate.limits.Attributes;
import io.headgate.limits.Rule;
import io.headgate.limits.RuleDecision;
import io.headgate.limits.internal.Charge;
import io.headgate.limits.internal.LimitKind;
import io.headgate.redis.internal.Packed;
import io.headgate.redis.internal.Script;
import io.headgate.redis.internal.ScriptCall;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Plans the calls of one rule of a policy whose rules are decided apart. Pure. */
final class RulePart {

    /** Of a kept answer: how many were told it. */
    private static final int TOLD_BYTES = 2;

    /** As many as may have been told it. */
    private static final byte[] ALL = Packed.text(0xffff);

    private static final byte[] ONE = Packed.text(1);

    private final RulePlan plan;
    private final RefundPlanner refunds;
    private final OncePlanner once;
    private final Keys keys;
    private final boolean timeGiven;
    private final Script reserve;
    private final Script reserveOnce;
    private final Script refundOnce;
    private final Script peek;

    RulePart(RulePlan plan, Scripts scripts, RefundPlanner refunds, OncePlanner once, Keys keys, boolean timeGiven) {
        this.plan = plan;
        this.refunds = refunds;
        this.once = once;
        this.keys = keys;
        this.timeGiven = timeGiven;
        Scripts.Sort sort = Scripts.Sort.of(plan.rule());
        this.reserve = scripts.reserve(sort);
        this.reserveOnce = scripts.reserveOnce(sort);
        this.refundOnce = scripts.refundOnce(sort.kind());
        this.peek = scripts.peek(List.of(sort));
    }

    Rule rule() {
        return plan.rule();
    }

    /** What a rule says to who only looks. */
    record Seen(long atMicros, RuleDecision said) {}

    /** Decides, and charges if this rule admits. */
    ScriptCall<Reserved> reserve(Ask ask) {
        return call(reserve, plan.key(ask.attributes()), ask.permits(), ask.askedMicros(), this::reserved);
    }

    /** The same for a request with an id. */
    ScriptCall<OnceAnswer<Reserved>> reserveOnce(Ask ask, AskId id) {
        return once.call(reserveOnce, TOLD_BYTES, reserve(ask), ask, id.id(), idKey(ask, id));
    }

    /** Looks. */
    ScriptCall<Seen> peek(Attributes attributes, long permits, long atMicros) {
        return call(
                peek,
                plan.key(attributes),
                permits,
                atMicros,
                reply -> new Seen(reply.decidedAtMicros(), reply.next(plan.rule())));
    }

    /** Takes back; once, where it is recorded under an id. */
    ScriptCall<Long> refund(Attributes attributes, Charge charge, OptionalLong chargeId) {
        return refunds.refund(
                attributes,
                Map.of(plan.rule(), charge),
                chargeId.stream()
                        .mapToObj(id -> keys.refundKey(plan.key(attributes), id))
                        .findFirst());
    }

    /** Takes back what a request with an id was charged, unless another one may be admitted by that answer. */
    ScriptCall<Long> refundOnce(Ask ask, AskId id, Charge charge) {
        return refunds.refundOnce(
                refundOnce,
                refund(ask.attributes(), charge, OptionalLong.empty()),
                idKey(ask, id),
                once.mark(ask),
                id.isOwn() ? ALL : ONE);
    }

    private String idKey(Ask ask, AskId id) {
        return keys.idKey(plan.key(ask.attributes()), id.text());
    }

    private Reserved reserved(DecisionReply reply) {
        return new Reserved(reply.decidedAtMicros(), reply.next(plan.rule()), reply.next(plan.rule()));
    }

    private <T> ScriptCall<T> call(
            Script script, String key, long permits, long atMicros, Function<DecisionReply, T> reading) {
        byte[][] arguments = new byte[timeGiven ? 3 : permits == 1 ? 1 : 2][];
        arguments[0] = plan.argument().bytes();
        if (arguments.length > 1) {
            arguments[1] = Packed.text(permits);
        }
        if (timeGiven) {
            arguments[2] = Packed.text(atMicros);
        }
        return call(script, new String[] {key}, arguments, reading);
    }

    private <T> ScriptCall<T> call(
            Script script, String[] ofKey, byte[][] arguments, Function<DecisionReply, T> reading) {
        return new ScriptCall<>(script, ofKey, arguments, new ScriptCall.Decoder<>() {

            @Override
            public T decode(byte[] bytes) {
                DecisionReply reply = new DecisionReply(bytes);
                T answer = reading.apply(reply);
                reply.requireEnd();
                plan.argument().timeIs(reply.decidedAtMicros());
                return answer;
            }

            @Override
            public @Nullable ScriptCall<T> instead(byte[] bytes) {
                if (LimitKind.of(plan.rule().limit()) != LimitKind.CALENDAR_WINDOW) {
                    return null;
                }
                OptionalLong about = new DecisionReply(bytes).nextMissed(plan.rule());
                if (about.isEmpty()) {
                    return null;
                }
                byte[][] again = arguments.clone();
                again[0] = plan.argument().bytesAbout(about.getAsLong());
                return call(script, ofKey, again, reading);
            }
        });
    }
}
