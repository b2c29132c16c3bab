package io.headgate.redis.limits.internal.planner;

import io.headgate.limits.CalendarWindow;
import io.headgate.limits.Decision;
import io.headgate.limits.Policy;
import io.headgate.limits.internal.decision.EngineDecisions;
import io.headgate.limits.internal.decision.EngineRuleDecision;
import io.headgate.redis.internal.script.Packed;
import io.headgate.redis.internal.script.Script;
import io.headgate.redis.internal.script.ScriptCall;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * Plans the script call that decides one request under several policies, prepared as far as the policies alone allow. It is the call
 * of a policy that has the rules of all of them, but that permits differ by policy. Pure: it does no I/O and holds no counts.
 */
public final class CombinedPlanner {

    /** In place of more permits, which no limit admits. */
    private static final long MAX_PERMITS = 0xffff_ffffL;

    private static final int PERMITS_BYTES = 4;

    private final List<PolicyPlanner> planners;
    private final RulePlan[] rules;
    private final Script acquire;
    private final boolean hasCalendar;
    private final boolean timeGiven;

    /** By policy; empty where one call may hold the keys of all. */
    private final List<List<RulePlanner>> rulePlanners;

    /**
     * Prepares the calls.
     *
     * @param planners those of the policies, in the order of a request's parts
     */
    public CombinedPlanner(List<PolicyPlanner> planners, Scripts scripts) {
        this.planners = List.copyOf(planners);
        this.rules =
                planners.stream().flatMap(planner -> Stream.of(planner.rules())).toArray(RulePlan[]::new);
        this.acquire = scripts.acquireCombined(
                Stream.of(rules).map(plan -> Scripts.Sort.of(plan.rule())).toList());
        this.hasCalendar = Stream.of(rules).anyMatch(plan -> plan.rule().limit() instanceof CalendarWindow);
        this.timeGiven = planners.get(0).isTimeGiven();
        this.rulePlanners = planners.get(0).takesSeveralSlots()
                ? List.of()
                : planners.stream().map(PolicyPlanner::reservingPlanners).toList();
    }

    /** The planners of the policies, in the order of a request's parts. */
    public List<PolicyPlanner> planners() {
        return planners;
    }

    /** Whether a call may hold keys of one slot only, so that the rules of a request whose keys lie in several are decided apart. */
    public boolean mayBeMultiSlot() {
        return !rulePlanners.isEmpty();
    }

    /** Those of the rules of one policy, to decide them apart. */
    public List<RulePlanner> rulePlanners(int policy) {
        return rulePlanners.get(policy);
    }

    /** The keys of all parts, in their order. */
    public static String[] keys(List<AcquireRequest> parts) {
        return parts.stream().flatMap(part -> Stream.of(part.keys())).toArray(String[]::new);
    }

    /**
     * Decides a request, and charges it if all rules of all policies admit it.
     *
     * @param parts the request to each policy, with its keys, made at the same time
     */
    public ScriptCall<List<Decision>> acquire(List<AcquireRequest> parts) {
        byte[][] limits = planners.stream()
                .flatMap(planner -> Stream.of(planner.limits()))
                .toArray(byte[][]::new);
        boolean ofOneEach = parts.stream().allMatch(part -> part.permits() == 1);
        byte[][] arguments = new byte[timeGiven ? 3 : ofOneEach ? 1 : 2][];
        if (arguments.length > 1) {
            arguments[1] = packedPermits(parts);
        }
        if (timeGiven) {
            arguments[2] = Packed.text(parts.get(0).requestedMicros());
        }
        arguments[0] = Packed.joined(limits);
        String[] keys = keys(parts);
        ScriptCall.Decoder<List<Decision>> decoder = reply -> decisions(reply, parts);
        return hasCalendar
                ? new CalendarCall<>(acquire, keys, rules, limits, arguments, decoder).call()
                : new ScriptCall<>(acquire, keys, arguments, decoder);
    }

    private byte[] packedPermits(List<AcquireRequest> parts) {
        Packed packed = new Packed();
        for (int i = 0; i < parts.size(); i++) {
            for (int rule = 0; rule < planners.get(i).rules().length; rule++) {
                packed.number(Math.min(parts.get(i).permits(), MAX_PERMITS), PERMITS_BYTES);
            }
        }
        return packed.bytes();
    }

    private List<Decision> decisions(byte[] bytes, List<AcquireRequest> parts) {
        DecisionReply reply = new DecisionReply(bytes);
        EngineRuleDecision[] all = new EngineRuleDecision[rules.length];
        boolean admitted = true;
        for (int i = 0; i < all.length; i++) {
            all[i] = reply.next(rules[i].rule());
            admitted &= all[i].allowed() || rules[i].rule().shadow();
        }
        reply.requireEnd();
        List<Decision> decisions = new ArrayList<>(planners.size());
        int from = 0;
        for (int i = 0; i < planners.size(); i++) {
            Policy policy = planners.get(i).policy();
            int to = from + policy.rules().size();
            decisions.add(EngineDecisions.of(
                    policy,
                    reply.decidedAtMicros(),
                    admitted ? parts.get(i).permits() : 0,
                    Arrays.copyOfRange(all, from, to)));
            from = to;
        }
        return decisions;
    }
}
