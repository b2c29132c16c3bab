package io.headgate.redis.limits.internal.planner;

import io.headgate.limits.CalendarWindow;
import io.headgate.limits.Decision;
import io.headgate.limits.internal.decision.EngineDecisions;
import io.headgate.limits.internal.decision.EngineRuleDecision;
import io.headgate.redis.internal.script.Packed;
import io.headgate.redis.internal.script.Script;
import io.headgate.redis.internal.script.ScriptCall;
import io.lettuce.core.cluster.SlotHash;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Plans the script call that decides one request under several policies. The call is like that of a single policy with the rules of all of
 * them, except that the permits differ by policy. What depends only on the policies is prepared once.
 *
 * <p>The rules of the call are sorted by their types, independently of the order of the policies. So one script serves all orders of the
 * same policies. If the engine already has too many scripts, each rule is decided by its own call. Pure: it does no I/O and has no counts.
 */
public final class CombinedPlanner {

    /** The most permits that the call can encode. It replaces larger numbers, which no limit admits either. */
    private static final long MAX_PERMITS = 0xffff_ffffL;

    private static final int PERMITS_BYTES = 4;

    /** A rule of the call: the index of its policy, and its index in the policy. */
    private record Place(int policy, int rule) {}

    private final List<PolicyPlanner> planners;

    /** The places of the rules, in the order of the call. */
    private final List<Place> places;

    /** The rules in the order of the call. */
    private final RulePlan[] rules;

    /** The script for all rules; empty if the engine already has too many scripts. */
    private final Optional<Script> acquire;

    private final boolean hasCalendar;
    private final boolean timeGiven;

    private final boolean severalSlots;

    /** The planners of the rules of each policy; empty if no request needs separate calls. */
    private final List<List<RulePlanner>> rulePlanners;

    /**
     * Prepares the calls.
     *
     * @param planners the planners of the policies, in the order of a request's parts
     */
    public CombinedPlanner(List<PolicyPlanner> planners, Scripts scripts) {
        this.planners = List.copyOf(planners);
        this.places = places(planners);
        this.rules = places.stream()
                .map(place -> planners.get(place.policy()).rules()[place.rule()])
                .toArray(RulePlan[]::new);
        this.acquire = scripts.acquireCombined(
                Stream.of(rules).map(plan -> RuleType.of(plan.rule())).toList());
        this.hasCalendar = Stream.of(rules).anyMatch(plan -> plan.rule().limit() instanceof CalendarWindow);
        this.timeGiven = planners.get(0).isTimeGiven();
        this.severalSlots = planners.get(0).allowsSeveralSlots();
        this.rulePlanners = severalSlots && acquire.isPresent()
                ? List.of()
                : planners.stream().map(PolicyPlanner::reservingPlanners).toList();
    }

    private static List<Place> places(List<PolicyPlanner> planners) {
        return IntStream.range(0, planners.size())
                .boxed()
                .flatMap(policy -> IntStream.range(0, planners.get(policy).rules().length)
                        .mapToObj(rule -> new Place(policy, rule)))
                .sorted(Comparator.comparing(place -> RuleType.of(
                        planners.get(place.policy()).rules()[place.rule()].rule())))
                .toList();
    }

    /** The planners of the policies, in the order of a request's parts. */
    public List<PolicyPlanner> planners() {
        return planners;
    }

    /**
     * Whether each rule of a request must be decided by its own call: because the keys are in several slots of a Cluster, or because there
     * is no script for all rules.
     */
    public boolean needsSeparateCalls(List<AcquireRequest> parts) {
        return acquire.isEmpty() || (!severalSlots && slots(parts) > 1);
    }

    private static long slots(List<AcquireRequest> parts) {
        return parts.stream()
                .flatMap(part -> Stream.of(part.keys()))
                .mapToInt(SlotHash::getSlot)
                .distinct()
                .count();
    }

    /** The planners of the rules of one policy, for a request that {@linkplain #needsSeparateCalls needs separate calls}. */
    public List<RulePlanner> rulePlanners(int policy) {
        return rulePlanners.get(policy);
    }

    /**
     * Plans the call that decides a request, and charges it if all rules of all policies admit it.
     *
     * @param parts the request to each policy, all made at the same time; they must not {@linkplain #needsSeparateCalls need separate
     *     calls}
     */
    public ScriptCall<List<Decision>> acquire(List<AcquireRequest> parts) {
        Script script = acquire.orElseThrow();
        String[] keys = places.stream()
                .map(place -> parts.get(place.policy()).keys()[place.rule()])
                .toArray(String[]::new);
        byte[][] limits = Stream.of(rules).map(plan -> plan.argument().bytes()).toArray(byte[][]::new);
        boolean ofOneEach = parts.stream().allMatch(part -> part.permits() == 1);
        byte[][] arguments = new byte[timeGiven ? 3 : ofOneEach ? 1 : 2][];
        if (arguments.length > 1) {
            arguments[1] = packedPermits(parts);
        }
        if (timeGiven) {
            arguments[2] = Packed.text(parts.get(0).requestedMicros());
        }
        arguments[0] = Packed.joined(limits);
        ScriptCall.Decoder<List<Decision>> decoder = reply -> decisions(reply, parts);
        return hasCalendar
                ? new CalendarCall<>(script, keys, rules, limits, arguments, decoder).call()
                : new ScriptCall<>(script, keys, arguments, decoder);
    }

    private byte[] packedPermits(List<AcquireRequest> parts) {
        Packed packed = new Packed();
        for (Place place : places) {
            packed.number(Math.min(parts.get(place.policy()).permits(), MAX_PERMITS), PERMITS_BYTES);
        }
        return packed.bytes();
    }

    private List<Decision> decisions(byte[] bytes, List<AcquireRequest> parts) {
        DecisionReply reply = new DecisionReply(bytes);
        EngineRuleDecision[][] all = planners.stream()
                .map(planner -> new EngineRuleDecision[planner.rules().length])
                .toArray(EngineRuleDecision[][]::new);
        boolean admitted = true;
        for (int i = 0; i < rules.length; i++) {
            EngineRuleDecision decision = reply.next(rules[i].rule());
            all[places.get(i).policy()][places.get(i).rule()] = decision;
            admitted &= decision.allowed() || decision.rule().shadow();
        }
        reply.requireEnd();
        List<Decision> decisions = new ArrayList<>(planners.size());
        for (int i = 0; i < planners.size(); i++) {
            long charged = admitted ? parts.get(i).permits() : 0;
            decisions.add(EngineDecisions.of(planners.get(i).policy(), reply.decidedAtMicros(), charged, all[i]));
        }
        return decisions;
    }
}
