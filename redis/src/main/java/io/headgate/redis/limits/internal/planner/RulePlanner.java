package io.headgate.redis.limits.internal.planner;

import io.headgate.limits.Attributes;
import io.headgate.limits.Rule;
import io.headgate.limits.internal.Micros;
import io.headgate.limits.internal.algorithm.Charge;
import io.headgate.limits.internal.algorithm.LimitKind;
import io.headgate.limits.internal.decision.EngineRuleDecision;
import io.headgate.redis.internal.script.Packed;
import io.headgate.redis.internal.script.Script;
import io.headgate.redis.internal.script.ScriptCall;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Plans the calls of one rule, for requests whose rules are decided by a call each. Pure. */
public final class RulePlanner {

    /** The length of the number of receivers in a stored reply; see reserve_with_id in reserve.lua. */
    private static final int RECEIVERS_BYTES = 2;

    private static final byte[] ONE_RECEIVER = Packed.text(1);

    private final RulePlan plan;
    private final RefundPlanner refunds;
    private final IdempotencyPlanner idempotency;
    private final Keys keys;
    private final boolean timeGiven;
    private final Script reserve;
    private final Script reserveWithId;
    private final Script refundWithId;
    private final Script peek;

    RulePlanner(
            RulePlan plan,
            Scripts scripts,
            RefundPlanner refunds,
            IdempotencyPlanner idempotency,
            Keys keys,
            boolean timeGiven) {
        this.plan = plan;
        this.refunds = refunds;
        this.idempotency = idempotency;
        this.keys = keys;
        this.timeGiven = timeGiven;
        RuleType type = RuleType.of(plan.rule());
        this.reserve = scripts.reserve(type);
        this.reserveWithId = scripts.reserveWithId(type);
        this.refundWithId = scripts.refundWithId(type.kind());
        this.peek = scripts.peek(List.of(type));
    }

    public Rule rule() {
        return plan.rule();
    }

    /** The decision of the rule that a request would receive, and its time. */
    public record Peeked(long atMicros, EngineRuleDecision decision) {}

    /**
     * The reply of the rule to a request, which it has charged if it admits the request.
     *
     * @param atMicros when it decided, by the clock of its Redis
     * @param decision the decision if no other rule denies the request
     * @param decisionIfDenied the decision if another rule denies the request: after the refund of the charge, or with the charge of an
     *     attempt
     */
    public record Reservation(long atMicros, EngineRuleDecision decision, EngineRuleDecision decisionIfDenied) {

        /** Whether the request is denied because of this rule. */
        public boolean denies() {
            return !decision.allowed() && !decision.rule().shadow();
        }

        /**
         * Whether this rule needs a refund if another rule denies the request: of its charge or, with a request id, of the stored reply.
         * The charge of an attempt remains, but its stored reply must be deleted: otherwise a retry would be admitted without a charge.
         */
        public boolean needsRefund(boolean hasId) {
            return decision.rule().countsAttempts()
                    ? hasId && decision.allowed()
                    : decision.allowed() || (hasId && decision.rule().shadow());
        }

        /** The charge to refund. It is zero for an attempt, and for a rule in shadow mode that did not admit the request. */
        public Charge charge(long permits) {
            boolean charged = decision.allowed() && !decision.rule().countsAttempts();
            return new Charge(charged ? permits : 0, false, atMicros, atMicros + Micros.of(decision.resetAfter()));
        }
    }

    /** Plans the call that decides a request under this rule, and charges it if the rule admits it. */
    public ScriptCall<Reservation> reserve(AcquireRequest request) {
        return call(
                reserve,
                plan.key(request.attributes()),
                request.permits(),
                request.requestedMicros(),
                this::reservation);
    }

    /** Plans the call of {@link #reserve} for a request with an id, whose reply is stored, or was stored before and is returned. */
    public ScriptCall<IdempotencyPlanner.Answer<Reservation>> reserveWithId(
            AcquireRequest request, AcquireRequest.Id id) {
        return idempotency.call(
                reserveWithId, RECEIVERS_BYTES, reserve(request), request, id.value(), idKey(request, id));
    }

    /** Plans the call that decides a request under this rule and charges nothing. */
    public ScriptCall<Peeked> peek(Attributes attributes, long permits, long atMicros) {
        return call(
                peek,
                plan.key(attributes),
                permits,
                atMicros,
                reply -> new Peeked(reply.decidedAtMicros(), reply.next(plan.rule())));
    }

    /** Plans the call that refunds a charge. With a charge id, the refund is recorded under it, so that a second one refunds nothing. */
    public ScriptCall<Long> refund(Attributes attributes, Charge charge, OptionalLong chargeId) {
        return refunds.refund(
                attributes,
                Map.of(plan.rule(), charge),
                chargeId.stream()
                        .mapToObj(id -> keys.refundKey(plan.key(attributes), id))
                        .findFirst());
    }

    /** Plans the call that refunds the charge of a request with an id, unless other callers rely on the stored reply. */
    public ScriptCall<Long> refundWithId(AcquireRequest request, AcquireRequest.Id id, Charge charge) {
        return refunds.refundWithId(
                refundWithId,
                refund(request.attributes(), charge, OptionalLong.empty()),
                idKey(request, id),
                idempotency.fingerprint(request),
                ONE_RECEIVER);
    }

    private String idKey(AcquireRequest request, AcquireRequest.Id id) {
        return keys.idKey(plan.key(request.attributes()), id.keyText());
    }

    private Reservation reservation(DecisionReply reply) {
        return new Reservation(reply.decidedAtMicros(), reply.next(plan.rule()), reply.next(plan.rule()));
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
                plan.argument().observeTime(reply.decidedAtMicros());
                return answer;
            }

            @Override
            public @Nullable ScriptCall<T> followUp(byte[] bytes) {
                if (LimitKind.of(plan.rule().limit()) != LimitKind.CALENDAR_WINDOW) {
                    return null;
                }
                OptionalLong about = new DecisionReply(bytes).nextPeriodsAbout(plan.rule());
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
