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
 * Plans the script call that decides one request under several policies, prepared as far as the policies alone allow. It is the call
 * of a policy that has the rules of all of them, but that permits differ by policy.
 *
 * <p>The call has the rules in the order of their sorts, whatever the order of the policies. So one script serves all orders, and the
 * number of scripts does not depend on the orders that clients send. If the engine has too many scripts already, there is no call, and the
 * rules are decided by separate calls. Pure: it does no I/O and holds no counts.
 */
public final class CombinedPlanner {

    /** In place of more permits, which no limit admits. */
    private static final long MAX_PERMITS = 0xffff_ffffL;

    private static final int PERMITS_BYTES = 4;

    /** A rule of the call: the index of its policy, and its index in the policy. */
    private record Place(int policy, int rule) {}

    private final List<PolicyPlanner> planners;

    /** In the order of the call. */
    private final List<Place> places;

    /** In the order of the call. */
    private final RulePlan[] rules;

    /** Empty if the engine has too many scripts already. */
    private final Optional<Script> acquire;

    private final boolean hasCalendar;
    private final boolean timeGiven;

    private final boolean severalSlots;

    /** By policy; empty where one call decides all requests. */
    private final List<List<RulePlanner>> rulePlanners;

    /**
     * Prepares the calls.
     *
     * @param planners those of the policies, in the order of a request's parts
     */
    public CombinedPlanner(List<PolicyPlanner> planners, Scripts scripts) {
        this.planners = List.copyOf(planners);
        this.places = places(planners);
        this.rules = places.stream()
                .map(place -> planners.get(place.policy()).rules()[place.rule()])
                .toArray(RulePlan[]::new);
        this.acquire = scripts.acquireCombined(
                Stream.of(rules).map(plan -> Scripts.Sort.of(plan.rule())).toList());
        this.hasCalendar = Stream.of(rules).anyMatch(plan -> plan.rule().limit() instanceof CalendarWindow);
        this.timeGiven = planners.get(0).isTimeGiven();
        this.severalSlots = planners.get(0).takesSeveralSlots();
        this.rulePlanners = severalSlots && acquire.isPresent()
                ? List.of()
                : planners.stream().map(PolicyPlanner::reservingPlanners).toList();
    }

    private static List<Place> places(List<PolicyPlanner> planners) {
        return IntStream.range(0, planners.size())
                .boxed()
                .flatMap(policy -> IntStream.range(0, planners.get(policy).rules().length)
                        .mapToObj(rule -> new Place(policy, rule)))
                .sorted(Comparator.comparing(place -> Scripts.Sort.of(
                        planners.get(place.policy()).rules()[place.rule()].rule())))
                .toList();
    }

    /** The planners of the policies, in the order of a request's parts. */
    public List<PolicyPlanner> planners() {
        return planners;
    }

    /**
     * Whether the rules of a request are decided by separate calls: its keys lie in several slots, of which a call may hold one, or there is no script
     * for all rules.
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

    /** Those of the rules of one policy, to decide them by separate calls. */
    public List<RulePlanner> rulePlanners(int policy) {
        return rulePlanners.get(policy);
    }

    /**
     * Decides a request, and charges it if all rules of all policies admit it.
     *
     * @param parts the request to each policy, with its keys, made at the same time; not one whose rules are {@linkplain #needsSeparateCalls
     *     decided by separate calls}
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
