package io.headgate.redis.limits;

import io.headgate.limits.Attributes;
import io.headgate.limits.CalendarWindow;
import io.headgate.limits.Colocation;
import io.headgate.limits.Decision;
import io.headgate.limits.Limit;
import io.headgate.limits.Policy;
import io.headgate.limits.Rule;
import io.headgate.limits.RuleDecision;
import io.headgate.limits.TimeSource;
import io.headgate.limits.internal.Charge;
import io.headgate.limits.internal.Leasing;
import io.headgate.redis.internal.Packed;
import io.headgate.redis.internal.Script;
import io.headgate.redis.internal.ScriptCall;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Turns questions to one policy into script calls: pure, and prepared as far as the policy alone allows. */
final class PolicyPlanner {

    private final Policy policy;
    private final RulePlan[] rules;
    private final RefundPlanner refunds;
    private final boolean hasCalendar;
    private final Optional<TimeSource> time;
    private final Script acquire;
    private final Script acquireAll;
    private final Steps.Merging merging;
    private final OncePlanner once;
    private final Script acquireOnce;
    private final Keys keys;
    private final String idStem;
    private final boolean idsByRule;
    private final List<RulePart> parts;
    private final Script peek;
    private final Script reset;

    /**
     * Prepares the calls.
     *
     * @param time the time to decide at; Redis's own by default
     * @param idHorizon how long the answers to requests with ids are kept
     * @param severalSlots whether one call may hold keys of several slots, as on a single Redis
     */
    PolicyPlanner(
            Policy policy,
            Keys keys,
            Scripts scripts,
            Optional<TimeSource> time,
            Duration idHorizon,
            boolean severalSlots) {
        this.policy = policy;
        this.time = time;
        // A guess, which a reply corrects.
        long about = time.orElseGet(TimeSource::monotonic).nowMicros();
        this.rules = policy.rules().stream()
                .map(rule -> new RulePlan(rule, keys.stem(policy, rule), new RuleArgument(asked(policy, rule), about)))
                .toArray(RulePlan[]::new);
        this.refunds = new RefundPlanner(List.of(rules), scripts, time);
        this.hasCalendar = policy.rules().stream().anyMatch(rule -> rule.limit() instanceof CalendarWindow);
        List<Scripts.Sort> sorts = policy.rules().stream().map(Scripts.Sort::of).toList();
        this.acquire = scripts.acquire(sorts);
        this.acquireAll = scripts.acquireAll(sorts);
        this.merging = merging(policy);
        this.once = new OncePlanner(policy, idHorizon, time.isPresent());
        this.acquireOnce = scripts.acquireOnce(sorts);
        this.idsByRule = !severalSlots && policy.colocation() == Colocation.SPREAD;
        this.idStem = keys.idStem(policy);
        this.keys = keys;
        this.parts = idsByRule && rules.length > 1
                ? Stream.of(rules)
                        .map(plan -> new RulePart(plan, scripts, refunds, once, keys, time.isPresent()))
                        .toList()
                : List.of();
        this.peek = scripts.peek(sorts);
        this.reset = scripts.reset();
    }

    Policy policy() {
        return policy;
    }

    /** The limit that is asked for: a stricter one where permits may be spent later than they are charged. */
    private static Limit asked(Policy policy, Rule rule) {
        return policy.lease().map(lease -> Leasing.strict(rule.limit(), lease)).orElse(rule.limit());
    }

    /** Requests whose permits count differently one by one are not decided as one. */
    private static Steps.Merging merging(Policy policy) {
        if (policy.rules().stream().anyMatch(rule -> rule.shadow() || rule.countsAttempts())) {
            return Steps.Merging.NEVER;
        }
        List<String> dimensions = policy.rules().get(0).dimensions();
        return policy.rules().stream().allMatch(rule -> rule.dimensions().equals(dimensions))
                ? Steps.Merging.OF_ONE_KEY
                : Steps.Merging.OF_NEIGHBOURS;
    }

    /** The part of a rule's keys that is the same for all ids. */
    String stem(Rule rule) {
        return rules[policy.rules().indexOf(rule)].stem();
    }

    /** Its rule of such keys, if it has one. */
    Optional<Rule> ruleOf(String stem) {
        return Stream.of(rules)
                .filter(plan -> plan.stem().equals(stem))
                .map(RulePlan::rule)
                .findFirst();
    }

    /** The time by the clock of this process, in microseconds. */
    long localMicros() {
        return time.isPresent() ? time.get().nowMicros() : System.nanoTime() / 1000;
    }

    /** A request of which nobody hears but who sends it. */
    Ask ask(Attributes attributes, long permits, long nowMicros) {
        return ask(attributes, permits, nowMicros, Answering.PLAIN);
    }

    /** A request, to be sent by itself or with others; that hears of what comes of it. */
    Ask ask(Attributes attributes, long permits, long nowMicros, Answering answering) {
        long askedNanos = time.isPresent() ? System.nanoTime() : nowMicros * 1000;
        return new Ask(this, attributes, keys(attributes), permits, nowMicros, askedNanos, answering);
    }

    /** Whether the application passes in the time, by which Redis decides then. */
    boolean isTimeGiven() {
        return time.isPresent();
    }

    /** The time that is given; 0 where Redis tells it. */
    long timeMicros() {
        return time.map(TimeSource::nowMicros).orElse(0L);
    }

    ScriptCall<Decision> acquire(Ask ask) {
        return decide(acquire, ask.keys(), ask.permits(), ask.askedMicros(), ask.permits());
    }

    /**
     * A request that has an id; its answer is kept in the slot of its keys, if they are in one.
     */
    ScriptCall<OnceAnswer<Decision>> acquireOnce(Ask ask, AskId id) {
        String idKey = idsByRule ? keys.idKey(ask.keys()[0], id.text()) : idStem + id.text();
        return once.call(acquireOnce, 0, acquire(ask), ask, id.id(), idKey);
    }

    /** Whether its rules are decided apart, as their keys lie in several slots of which a call may hold one. */
    boolean isApart() {
        return !parts.isEmpty();
    }

    /** Its rules, where they are decided apart. */
    List<RulePart> parts() {
        return parts;
    }

    /** Decides several requests of this version of the policy. */
    ScriptCall<List<StepAnswer>> acquireAll(Steps steps) {
        return new ScriptCall<>(
                acquireAll, steps.keys(), steps.arguments(Packed.joined(limits())), reply -> answers(reply, steps));
    }

    /** Steps to put requests into. */
    Steps steps() {
        return new Steps(merging, time.isPresent());
    }

    private List<StepAnswer> answers(byte[] bytes, Steps steps) {
        StepsReply reply = new StepsReply(policy, rules, bytes, time.isPresent());
        List<StepAnswer> answers = reply.answers(steps);
        if (hasCalendar && time.isEmpty()) {
            for (RulePlan rule : rules) {
                rule.argument().timeIs(reply.nowMicros());
            }
        }
        return answers;
    }

    ScriptCall<Decision> peek(Attributes attributes, long permits) {
        return decide(peek, keys(attributes), permits, timeMicros(), 0);
    }

    ScriptCall<Boolean> reset(String rule, Attributes attributes) {
        RulePlan plan = rules[policy.rules().indexOf(policy.rule(rule))];
        return new ScriptCall<>(reset, new String[] {plan.key(attributes)}, new byte[0][], reply -> reply[0] == '1');
    }

    /** Takes back charges; once, where they are recorded under an id. */
    ScriptCall<Long> refund(Attributes attributes, Map<Rule, Charge> charges, OptionalLong chargeId) {
        return refunds.refund(
                attributes,
                charges,
                chargeId.stream().mapToObj(id -> refundKey(attributes, id)).findFirst());
    }

    private String refundKey(Attributes attributes, long chargeId) {
        return idsByRule ? keys.refundKey(rules[0].key(attributes), chargeId) : keys.refundKey(policy, chargeId);
    }

    /** What the keys of each rule begin with, in their order. */
    List<String> stems() {
        return Stream.of(rules).map(RulePlan::stem).toList();
    }

    /** The keys of all rules, in their order. */
    String[] keys(Attributes attributes) {
        String[] keys = new String[rules.length];
        for (int i = 0; i < rules.length; i++) {
            keys[i] = rules[i].key(attributes);
        }
        return keys;
    }

    private byte[][] limits() {
        byte[][] limits = new byte[rules.length][];
        for (int i = 0; i < rules.length; i++) {
            limits[i] = rules[i].argument().bytes();
        }
        return limits;
    }

    private ScriptCall<Decision> decide(Script script, String[] keys, long permits, long atMicros, long charging) {
        byte[][] limits = limits();
        // One permit, which most ask for, need not be told.
        byte[][] all = new byte[time.isPresent() ? 3 : permits == 1 ? 1 : 2][];
        if (all.length > 1) {
            all[1] = Packed.text(permits);
        }
        if (time.isPresent()) {
            all[2] = Packed.text(atMicros);
        }
        all[0] = Packed.joined(limits);
        return decide(script, keys, limits, all, charging);
    }

    private ScriptCall<Decision> decide(Script script, String[] keys, byte[][] limits, byte[][] all, long charging) {
        return new ScriptCall<>(
                script,
                keys,
                all,
                hasCalendar
                        ? new AboutPeriods(script, keys, limits, all, charging)
                        : reply -> decision(reply, charging));
    }

    private Decision decision(byte[] bytes, long permits) {
        DecisionReply reply = new DecisionReply(bytes);
        RuleDecision[] decisions = new RuleDecision[rules.length];
        for (int i = 0; i < decisions.length; i++) {
            decisions[i] = reply.next(rules[i].rule());
        }
        reply.requireEnd();
        return Decision.of(policy, reply.decidedAtMicros(), permits, decisions);
    }

    /** Reads replies that may say that the periods of a calendar which were told were not those about the time. */
    private final class AboutPeriods implements ScriptCall.Decoder<Decision> {

        private final Script script;
        private final String[] keys;
        private final byte[][] limits;
        private final byte[][] arguments;
        private final long charging;

        AboutPeriods(Script script, String[] keys, byte[][] limits, byte[][] arguments, long charging) {
            this.script = script;
            this.keys = keys;
            this.limits = limits;
            this.arguments = arguments;
            this.charging = charging;
        }

        @Override
        public Decision decode(byte[] reply) {
            Decision decision = decision(reply, charging);
            long decidedAtMicros = new DecisionReply(reply).decidedAtMicros();
            for (RulePlan rule : rules) {
                rule.argument().timeIs(decidedAtMicros);
            }
            return decision;
        }

        @Override
        public @Nullable ScriptCall<Decision> instead(byte[] bytes) {
            DecisionReply reply = new DecisionReply(bytes);
            byte[][] corrected = limits.clone();
            boolean missed = false;
            for (int i = 0; i < rules.length; i++) {
                OptionalLong about = reply.nextMissed(rules[i].rule());
                if (about.isPresent()) {
                    corrected[i] = rules[i].argument().bytesAbout(about.getAsLong());
                    missed = true;
                }
            }
            if (!missed) {
                return null;
            }
            byte[][] again = arguments.clone();
            again[0] = Packed.joined(corrected);
            return decide(script, keys, corrected, again, charging);
        }
    }
}
