package io.headgate.limits.internal.memory;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.Policy;
import io.headgate.limits.combined.CombinedDecision;
import io.headgate.limits.combined.CombinedRequest;
import io.headgate.limits.internal.CombinedRequests;
import io.headgate.limits.internal.LimitListeners;
import io.headgate.limits.internal.Quoted;
import io.headgate.limits.internal.algorithm.Counter;
import io.headgate.limits.internal.algorithm.Outcome;
import io.headgate.limits.internal.bans.UncountedDecisions;
import io.headgate.limits.internal.decision.EngineDecisions;
import io.headgate.limits.internal.decision.EngineRuleDecision;
import io.headgate.limits.internal.overrides.PolicyVariants;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Decides one request under several policies, in the memory of one engine: locks the counters of all rules, reads each, and charges all
 * of them or none.
 */
public final class CombinedDecider {

    /** The decider of one policy, and the request to it. */
    record Part(Decider decider, Attributes attributes, long permits) {}

    /** One rule of a part, with the id of its counter. */
    private record Place(int part, RuleCounters<?> rule, String id) {

        /**
         * The order in which all requests lock counters, to avoid deadlocks. {@link SeveralRulesDecider} locks the counters of one
         * policy in the same order, by the names of the rules.
         */
        private static final Comparator<Place> LOCK_ORDER = Comparator.<Place, String>comparing(
                        place -> place.rule().ruleId().policy())
                .thenComparing(place -> place.rule().ruleId().rule())
                .thenComparing(place -> place.rule().ruleId().kind())
                .thenComparing(Place::id);
    }

    private final List<Part> parts;
    private final List<Place> places = new ArrayList<>();
    private final int[] lockOrder;

    private CombinedDecider(List<Part> parts) {
        this.parts = parts;
        for (int i = 0; i < parts.size(); i++) {
            for (RuleCounters<?> rule : parts.get(i).decider().rules()) {
                places.add(new Place(i, rule, rule.id(parts.get(i).attributes())));
            }
        }
        this.lockOrder = IntStream.range(0, places.size())
                .boxed()
                .sorted(Comparator.comparing(places::get, Place.LOCK_ORDER))
                .mapToInt(i -> i)
                .toArray();
        requireDistinct();
    }

    /**
     * Rejects two parts with the same counter, because a request can lock a counter only once. Two versions of a rule with different
     * numbers of dimensions may have the same {@linkplain RuleCounters#id counter id}, which {@link CombinedRequests} does not notice.
     */
    private void requireDistinct() {
        for (int i = 1; i < lockOrder.length; i++) {
            Place before = places.get(lockOrder[i - 1]);
            Place place = places.get(lockOrder[i]);
            if (Place.LOCK_ORDER.compare(before, place) == 0) {
                RuleId rule = place.rule().ruleId();
                throw CombinedRequests.sameCount(
                        before.part(), place.part(), rule.policy(), rule.rule(), Quoted.of(place.id()));
            }
        }
    }

    /**
     * Decides a request, charges it if all policies allow it, and notifies the listeners. A banned or paused request is denied, and its
     * other policies are skipped.
     *
     * @param counters the counters of the engine
     * @param uncounted the bans and pauses of the engine
     * @throws IllegalArgumentException if a limiter is of another engine, or {@link CombinedRequests#attributes} rejects the request
     */
    public static CombinedDecision decide(
            CombinedRequest request, Counters counters, UncountedDecisions uncounted, LimitListeners listeners) {
        counters.state().requireOpen();
        List<PolicyVariants<Decider>> deciders = new ArrayList<>();
        for (CombinedRequest.Part part : request.parts()) {
            if (!(part.limiter() instanceof InMemoryLimiter limiter) || !limiter.isOf(counters)) {
                throw CombinedRequests.notOfEngine(part.limiter());
            }
            deciders.add(limiter.deciders());
        }
        List<Policy> policies = deciders.stream().map(PolicyVariants::policy).toList();
        List<Attributes> attributes = CombinedRequests.attributes(request, policies);
        List<Part> parts = new ArrayList<>();
        for (int i = 0; i < deciders.size(); i++) {
            long permits = request.parts().get(i).request().permits();
            Decider decider = uncounted.isExempt(policies.get(i), attributes.get(i))
                    ? deciders.get(i).exempt(attributes.get(i))
                    : deciders.get(i).of(attributes.get(i));
            parts.add(new Part(decider, attributes.get(i), permits));
        }
        List<Decision> known = uncounted.findAny(policies, attributes);
        List<Decision> decisions = known.isEmpty() ? decide(parts, true) : known;
        for (int i = 0; i < parts.size(); i++) {
            if (decisions.get(i).basis() != Decision.Basis.SKIPPED) {
                listeners.onDecision(
                        policies.get(i), attributes.get(i), parts.get(i).permits(), decisions.get(i), 0);
            }
        }
        return new CombinedDecision(decisions);
    }

    /**
     * Decides a request.
     *
     * @param charging false if nothing is charged: for a peek, or because another policy denies the request. If true, an allowed request
     *     is charged, and a denied one is charged to rules that count attempts
     * @throws IllegalArgumentException if two parts have a counter in common; nothing is charged
     */
    static List<Decision> decide(List<Part> parts, boolean charging) {
        return new CombinedDecider(parts).decide(charging);
    }

    private List<Decision> decide(boolean charging) {
        Counter[] counters = new Counter[places.size()];
        long nowMicros;
        do {
            nowMicros = parts.get(0).decider().time.nowMicros();
            for (int i = 0; i < counters.length; i++) {
                Place place = places.get(i);
                counters[i] = charging
                        ? place.rule().counter(place.id(), nowMicros)
                        : place.rule().counterForPeek(place.id());
            }
        } while (!SeveralRulesDecider.lock(counters, lockOrder));
        try {
            return decideLocked(counters, nowMicros, charging);
        } finally {
            SeveralRulesDecider.unlock(counters, lockOrder, counters.length);
        }
    }

    private List<Decision> decideLocked(Counter[] counters, long nowMicros, boolean charging) {
        Outcome[] outcomes = new Outcome[counters.length];
        boolean admitted = true;
        for (int i = 0; i < outcomes.length; i++) {
            RuleCounters<?> rule = places.get(i).rule();
            outcomes[i] = new Outcome();
            rule.peek(counters[i], permits(i), nowMicros, outcomes[i]);
            admitted &= !rule.denies(outcomes[i]);
        }
        EngineRuleDecision[] rules = new EngineRuleDecision[outcomes.length];
        for (int i = 0; i < outcomes.length; i++) {
            RuleCounters<?> rule = places.get(i).rule();
            if (charging) {
                rule.settle(counters[i], permits(i), nowMicros, admitted, outcomes[i]);
            }
            rules[i] = rule.decision(outcomes[i]);
        }
        return decisions(rules, nowMicros, charging && admitted);
    }

    private long permits(int place) {
        return parts.get(places.get(place).part()).permits();
    }

    private List<Decision> decisions(EngineRuleDecision[] rules, long nowMicros, boolean charged) {
        List<Decision> decisions = new ArrayList<>(parts.size());
        int from = 0;
        for (Part part : parts) {
            Policy policy = part.decider().policy;
            int to = from + policy.rules().size();
            EngineRuleDecision[] ofPolicy = Arrays.copyOfRange(rules, from, to);
            decisions.add(EngineDecisions.of(policy, nowMicros, charged ? part.permits() : 0, ofPolicy));
            from = to;
        }
        return decisions;
    }
}
