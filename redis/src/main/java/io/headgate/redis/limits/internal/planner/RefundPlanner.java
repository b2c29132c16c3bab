package io.headgate.redis.limits.internal.planner;

import io.headgate.limits.Attributes;
import io.headgate.limits.Rule;
import io.headgate.limits.TimeSource;
import io.headgate.limits.internal.algorithm.Charge;
import io.headgate.limits.internal.algorithm.LimitKind;
import io.headgate.redis.internal.script.Packed;
import io.headgate.redis.internal.script.Script;
import io.headgate.redis.internal.script.ScriptCall;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Plans the calls that refund charges under one version of a policy. Pure. */
final class RefundPlanner {

    private static final int TIME_BYTES = 7;
    private static final int REFUNDED_BYTES = 4;

    /** The refunded permits of a calendar window that refunded nothing, as the call stated periods that do not contain the time. */
    private static final long WRONG_PERIODS = 0xffffffffL;

    private final List<RulePlan> rules;
    private final Scripts scripts;
    private final Optional<TimeSource> time;

    RefundPlanner(List<RulePlan> rules, Scripts scripts, Optional<TimeSource> time) {
        this.rules = rules;
        this.scripts = scripts;
        this.time = time;
    }

    private record Charged(RulePlan plan, Charge charge) {}

    /**
     * Plans the call that refunds these charges; its reply is the largest number of permits that a rule refunded. The call includes rules
     * with a charge of zero, so that a policy needs one refund script, and not one for each subset of charged rules.
     *
     * @param charges at least one charge
     * @param recordKey the key of the record of the refund, in the slot of the rules; empty if the refund is not recorded
     */
    ScriptCall<Long> refund(Attributes attributes, Map<Rule, Charge> charges, Optional<String> recordKey) {
        List<Charged> charged = new ArrayList<>();
        for (RulePlan plan : rules) {
            Charge charge = charges.get(plan.rule());
            if (charge != null) {
                charged.add(new Charged(plan, charge));
            }
        }
        String[] keys = Stream.concat(charged.stream().map(it -> it.plan().key(attributes)), recordKey.stream())
                .toArray(String[]::new);
        byte[][] arguments = new byte[1 + charged.size() + (time.isPresent() ? 1 : 0)][];
        // All rules with a charge were charged the same number of permits.
        arguments[0] = Packed.text(
                charges.values().stream().mapToLong(Charge::permits).max().orElse(0));
        for (int i = 0; i < charged.size(); i++) {
            Charged rule = charged.get(i);
            arguments[1 + i] = argument(rule.plan().argument().bytes(), rule.charge());
        }
        time.ifPresent(source -> arguments[1 + charged.size()] = Packed.text(source.nowMicros()));
        return new Call(charged, keys, arguments).call();
    }

    /**
     * Plans the call that refunds the charge of one rule for a request with an id.
     *
     * @param plain the refund of a request without an id
     * @param fingerprint the fingerprint of the request
     * @param receivers the number of callers that received the stored reply and refund it with this call, as text
     */
    ScriptCall<Long> refundWithId(
            Script script, ScriptCall<Long> plain, String idKey, byte[] fingerprint, byte[] receivers) {
        byte[][] given = plain.arguments();
        byte[][] arguments = new byte[given.length + 2][];
        arguments[0] = given[0];
        arguments[1] = given[1];
        arguments[2] = fingerprint;
        arguments[3] = receivers;
        if (time.isPresent()) {
            arguments[4] = given[2];
        }
        return new ScriptCall<>(script, new String[] {plain.firstKey(), idKey}, arguments, new ScriptCall.Decoder<>() {

            @Override
            public Long decode(byte[] reply) {
                return plain.decoder().decode(reply);
            }

            @Override
            public @Nullable ScriptCall<Long> followUp(byte[] reply) {
                ScriptCall<Long> again = plain.decoder().followUp(reply);
                return again == null ? null : refundWithId(script, again, idKey, fingerprint, receivers);
            }
        });
    }

    private static byte[] argument(byte[] limit, Charge charge) {
        return new Packed()
                .all(limit)
                .number(charge.atMicros(), TIME_BYTES)
                .number(charge.wholeAtMicros(), TIME_BYTES)
                .bytes();
    }

    /** A call that is sent once more if its calendar periods did not contain the time of the refund. */
    private final class Call implements ScriptCall.Decoder<Long> {

        private final List<Charged> charged;
        private final String[] keys;
        private final byte[][] arguments;

        Call(List<Charged> charged, String[] keys, byte[][] arguments) {
            this.charged = charged;
            this.keys = keys;
            this.arguments = arguments;
        }

        ScriptCall<Long> call() {
            List<LimitKind> kinds = charged.stream()
                    .map(it -> LimitKind.of(it.plan().rule().limit()))
                    .toList();
            return new ScriptCall<>(scripts.refund(kinds), keys, arguments, this);
        }

        @Override
        public Long decode(byte[] reply) {
            if (reply.length != TIME_BYTES + charged.size() * (REFUNDED_BYTES + TIME_BYTES)) {
                throw new IllegalArgumentException(reply.length + " bytes");
            }
            long most = 0;
            for (int i = 0; i < charged.size(); i++) {
                if (refunded(reply, i) == WRONG_PERIODS) {
                    throw new IllegalStateException("its time is not within the periods of the call");
                }
                most = Math.max(most, refunded(reply, i));
            }
            return most;
        }

        @Override
        public @Nullable ScriptCall<Long> followUp(byte[] reply) {
            byte[][] corrected = arguments.clone();
            boolean missed = false;
            for (int i = 0; i < charged.size(); i++) {
                if (refunded(reply, i) == WRONG_PERIODS) {
                    Charged rule = charged.get(i);
                    long about = Packed.number(reply, 0, TIME_BYTES)
                            + Packed.number(reply, at(i) + REFUNDED_BYTES, TIME_BYTES);
                    corrected[1 + i] = argument(rule.plan().argument().bytesAbout(about), rule.charge());
                    missed = true;
                }
            }
            return missed ? new Call(charged, keys, corrected).call() : null;
        }

        private long refunded(byte[] reply, int rule) {
            return Packed.number(reply, at(rule), REFUNDED_BYTES);
        }

        private static int at(int rule) {
            return TIME_BYTES + rule * (REFUNDED_BYTES + TIME_BYTES);
        }
    }
}
