package io.headgate.redis.limits.internal.planner;

import io.headgate.limits.Attributes;
import io.headgate.limits.CalendarWindow;
import io.headgate.limits.Colocation;
import io.headgate.limits.Decision;
import io.headgate.limits.Limit;
import io.headgate.limits.Policy;
import io.headgate.limits.Rule;
import io.headgate.limits.TimeSource;
import io.headgate.limits.internal.algorithm.Charge;
import io.headgate.limits.internal.algorithm.Leasing;
import io.headgate.limits.internal.decision.EngineDecisions;
import io.headgate.limits.internal.decision.EngineRuleDecision;
import io.headgate.redis.internal.script.Packed;
import io.headgate.redis.internal.script.Script;
import io.headgate.redis.internal.script.ScriptCall;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Plans the script calls of one version of a policy. What depends only on the policy, such as its scripts, is prepared once. Pure: it does
 * no I/O and has no counts.
 */
public final class PolicyPlanner {

    private final Policy policy;
    private final RulePlan[] rules;
    private final RefundPlanner refunds;
    private final boolean hasCalendar;
    private final Optional<TimeSource> time;
    private final Script acquire;
    private final Script acquireBatch;
    private final BatchSteps.Merging merging;
    private final IdempotencyPlanner idempotency;
    private final Script acquireWithId;
    private final Keys keys;
    private final String idStem;

    /** Whether the keys of request ids and refunds are in the slot of a rule's key, as the policy has no slot of its own. */
    private final boolean idsByRule;

    private final List<RulePlanner> rulePlanners;
    private final Script peek;
    private final Script reset;
    private final Scripts scripts;
    private final boolean severalSlots;

    /**
     * Prepares the calls.
     *
     * @param time the clock that the application provides; empty for Redis's clock
     * @param idHorizon how long the replies to requests with ids are stored
     * @param severalSlots whether one call may have keys of several slots, as on a single Redis
     */
    public PolicyPlanner(
            Policy policy,
            Keys keys,
            Scripts scripts,
            Optional<TimeSource> time,
            Duration idHorizon,
            boolean severalSlots) {
        this.policy = policy;
        this.time = time;
        // Only a guess of Redis's time, for the periods of calendar windows; the first reply corrects it.
        long about = time.orElseGet(TimeSource::monotonic).nowMicros();
        this.rules = policy.rules().stream()
                .map(rule -> new RulePlan(
                        rule, keys.stem(policy, rule), new RuleArgument(enforced(policy, rule), rule.ban(), about)))
                .toArray(RulePlan[]::new);
        this.refunds = new RefundPlanner(List.of(rules), scripts, time);
        this.hasCalendar = policy.rules().stream().anyMatch(rule -> rule.limit() instanceof CalendarWindow);
        List<RuleType> types = policy.rules().stream().map(RuleType::of).toList();
        this.acquire = scripts.acquire(types);
        this.acquireBatch = scripts.acquireBatch(types);
        this.merging = BatchSteps.Merging.of(policy);
        this.idempotency = new IdempotencyPlanner(policy, idHorizon, time.isPresent());
        this.acquireWithId = scripts.acquireWithId(types);
        this.idsByRule = !severalSlots && policy.colocation() == Colocation.SPREAD;
        this.idStem = keys.idStem(policy);
        this.keys = keys;
        this.scripts = scripts;
        this.severalSlots = severalSlots;
        this.rulePlanners = idsByRule && rules.length > 1 ? reservingPlanners() : List.of();
        this.peek = scripts.peek(types);
        this.reset = scripts.reset();
    }

    public Policy policy() {
        return policy;
    }

    /** The limit that scripts enforce: a stricter one where leased permits may be spent later than they are charged. */
    private static Limit enforced(Policy policy, Rule rule) {
        return policy.lease().map(lease -> Leasing.strict(rule.limit(), lease)).orElse(rule.limit());
    }

    /** The part of a rule's keys that is the same for all ids. */
    public String stem(Rule rule) {
        return rules[policy.rules().indexOf(rule)].stem();
    }

    /** The rule whose keys have this stem, if the policy has such a rule. */
    public Optional<Rule> ruleOf(String stem) {
        return Stream.of(rules)
                .filter(plan -> plan.stem().equals(stem))
                .map(RulePlan::rule)
                .findFirst();
    }

    /** The time by the application's clock, if it provides one, else by that of this process; in microseconds. */
    public long localMicros() {
        return time.isPresent() ? time.get().nowMicros() : System.nanoTime() / 1000;
    }

    /** Creates a request without an id. */
    public AcquireRequest request(Attributes attributes, long permits, long nowMicros) {
        return request(attributes, permits, nowMicros, null);
    }

    /** Creates a request with or without an id. */
    public AcquireRequest request(Attributes attributes, long permits, long nowMicros, AcquireRequest.@Nullable Id id) {
        long nowNanos = time.isPresent() ? System.nanoTime() : nowMicros * 1000;
        return new AcquireRequest(attributes, keys(attributes), permits, nowMicros, nowNanos, id);
    }

    /** Whether the application provides the clock, so that each call states the time by which Redis decides. */
    public boolean isTimeGiven() {
        return time.isPresent();
    }

    /** The time of the clock that the application provides; 0 if Redis decides by its own. */
    public long timeMicros() {
        return time.map(TimeSource::nowMicros).orElse(0L);
    }

    /** Plans the call that decides a request, and charges it if all rules admit it. */
    public ScriptCall<Decision> acquire(AcquireRequest request) {
        return decide(acquire, request.keys(), request.permits(), request.requestedMicros(), request.permits());
    }

    /** Plans the call that decides a request with an id, and stores the reply under the id, or returns the stored reply. */
    public ScriptCall<IdempotencyPlanner.Answer<Decision>> acquireWithId(AcquireRequest request, AcquireRequest.Id id) {
        String idKey = idsByRule ? keys.idKey(request.keys()[0], id.keyText()) : idStem + id.keyText();
        return idempotency.call(acquireWithId, 0, acquire(request), request, id.value(), idKey);
    }

    /** Whether each rule is decided by its own call, because the keys of a request may be in several slots of a Cluster. */
    public boolean isMultiSlot() {
        return !rulePlanners.isEmpty();
    }

    /** The planners of the rules if each is decided by its own call; else empty. */
    public List<RulePlanner> rulePlanners() {
        return rulePlanners;
    }

    /** Creates a planner for each rule, even if their keys share a slot: requests to several policies may need a call for each rule. */
    List<RulePlanner> reservingPlanners() {
        return Stream.of(rules)
                .map(plan -> new RulePlanner(plan, scripts, refunds, idempotency, keys, time.isPresent()))
                .toList();
    }

    /** Whether one call may have keys of several slots, as on a single Redis. */
    boolean allowsSeveralSlots() {
        return severalSlots;
    }

    /** The rules of the policy, in their order. */
    RulePlan[] rules() {
        return rules;
    }

    /** Plans the call that decides a batch of requests under this version of the policy. */
    public ScriptCall<List<BatchReply.StepResult>> acquireBatch(BatchSteps steps) {
        return new ScriptCall<>(
                acquireBatch, steps.keys(), steps.arguments(Packed.joined(limits())), reply -> results(reply, steps));
    }

    /** Creates an empty list of steps, to which the requests of a batch can be added. */
    public BatchSteps newSteps() {
        return new BatchSteps(merging, time.isPresent());
    }

    private List<BatchReply.StepResult> results(byte[] bytes, BatchSteps steps) {
        BatchReply reply = new BatchReply(policy, rules, bytes, time.isPresent());
        List<BatchReply.StepResult> results = reply.results(steps);
        if (hasCalendar && time.isEmpty()) {
            for (RulePlan rule : rules) {
                rule.argument().observeTime(reply.decidedAtMicros());
            }
        }
        return results;
    }

    /** Plans the call that decides a request and charges nothing. */
    public ScriptCall<Decision> peek(Attributes attributes, long permits) {
        return decide(peek, keys(attributes), permits, timeMicros(), 0);
    }

    /** Plans the call that resets the count of one rule, and ends its ban. */
    public ScriptCall<Boolean> reset(Rule rule, Attributes attributes) {
        String key = rules[policy.rules().indexOf(rule)].key(attributes);
        String[] all = rule.ban().isPresent() ? new String[] {key, keys.denialKey(key)} : new String[] {key};
        return new ScriptCall<>(reset, all, new byte[0][], reply -> reply[0] == '1');
    }

    /** Plans the call that refunds charges. With a charge id, the refund is recorded under it, so that a second one refunds nothing. */
    public ScriptCall<Long> refund(Attributes attributes, Map<Rule, Charge> charges, OptionalLong chargeId) {
        return refunds.refund(
                attributes,
                charges,
                chargeId.stream().mapToObj(id -> refundKey(attributes, id)).findFirst());
    }

    private String refundKey(Attributes attributes, long chargeId) {
        return idsByRule ? keys.refundKey(rules[0].key(attributes), chargeId) : keys.refundKey(policy, chargeId);
    }

    /** The stems of the keys of all rules, in their order. */
    public List<String> stems() {
        return Stream.of(rules).map(RulePlan::stem).toList();
    }

    /** The keys of all rules, in their order. */
    public String[] keys(Attributes attributes) {
        String[] keys = new String[rules.length];
        for (int i = 0; i < rules.length; i++) {
            keys[i] = rules[i].key(attributes);
        }
        return keys;
    }

    /** The encoded limits of all rules, in their order. */
    byte[][] limits() {
        byte[][] limits = new byte[rules.length][];
        for (int i = 0; i < rules.length; i++) {
            limits[i] = rules[i].argument().bytes();
        }
        return limits;
    }

    private ScriptCall<Decision> decide(Script script, String[] keys, long permits, long atMicros, long charged) {
        byte[][] limits = limits();
        // Most requests are for one permit, which is the default of the script.
        byte[][] all = new byte[time.isPresent() ? 3 : permits == 1 ? 1 : 2][];
        if (all.length > 1) {
            all[1] = Packed.text(permits);
        }
        if (time.isPresent()) {
            all[2] = Packed.text(atMicros);
        }
        all[0] = Packed.joined(limits);
        ScriptCall.Decoder<Decision> decoder = reply -> decision(reply, charged);
        return hasCalendar
                ? new CalendarCall<>(script, keys, rules, limits, all, decoder).call()
                : new ScriptCall<>(script, keys, all, decoder);
    }

    private Decision decision(byte[] bytes, long permits) {
        DecisionReply reply = new DecisionReply(bytes);
        EngineRuleDecision[] decisions = new EngineRuleDecision[rules.length];
        for (int i = 0; i < decisions.length; i++) {
            decisions[i] = reply.next(rules[i].rule());
        }
        reply.requireEnd();
        return EngineDecisions.of(policy, reply.decidedAtMicros(), permits, decisions);
    }
}
