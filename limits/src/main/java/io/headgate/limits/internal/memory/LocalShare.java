package io.headgate.limits.internal.memory;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.Policy;
import io.headgate.limits.TimeSource;
import io.headgate.limits.internal.algorithm.Charge;
import io.headgate.limits.internal.algorithm.Shares;
import io.headgate.limits.internal.decision.EngineDecisions;
import java.util.ArrayList;
import java.util.List;

/**
 * What one of several instances admits under a policy while no store counts for all of them: its share of each limit, counted in
 * memory. Safe for use by several threads.
 */
public final class LocalShare {

    private final Policy policy;
    private final Counters counters;
    private final TimeSource time;
    private volatile Sharing sharing;

    private record Sharing(int instances, Decider decider) {}

    /**
     * The whole limit, until other instances are known.
     *
     * @param counters the counters of all policies of the engine
     */
    public LocalShare(Policy policy, Counters counters, TimeSource time) {
        this.policy = policy;
        this.counters = counters;
        this.time = time;
        this.sharing = among(1);
    }

    private Sharing among(int instances) {
        return new Sharing(instances, Decider.of(Shares.of(policy, instances), counters, time));
    }

    /** Divides each limit by the number of instances, from now on; counts are kept. */
    public void share(int instances) {
        if (sharing.instances() != instances) {
            sharing = among(instances);
        }
    }

    /** Decides by the share, and charges it. */
    public Decision tryAcquire(Attributes attributes, long permits) {
        return EngineDecisions.byShare(policy, sharing.decider().decide(attributes, permits, true), permits);
    }

    /** A request to one of several policies. */
    public record Request(LocalShare share, Attributes attributes, long permits) {}

    /**
     * Decides a request to several policies by their shares, which have their counters in common: all admit it and are charged, or none
     * is.
     *
     * @param charging false if another policy denies the request
     */
    public static List<Decision> decide(List<Request> requests, boolean charging) {
        if (requests.isEmpty()) {
            return List.of();
        }
        List<CombinedDecider.Part> parts = requests.stream()
                .map(one -> new CombinedDecider.Part(one.share().sharing.decider(), one.attributes(), one.permits()))
                .toList();
        List<Decision> ofShares = CombinedDecider.decide(parts, charging);
        List<Decision> decisions = new ArrayList<>(requests.size());
        for (int i = 0; i < requests.size(); i++) {
            Request request = requests.get(i);
            decisions.add(EngineDecisions.byShare(request.share().policy, ofShares.get(i), request.permits()));
        }
        return decisions;
    }

    /** Decides by the share, and charges nothing. */
    public Decision peek(Attributes attributes, long permits) {
        return EngineDecisions.byShare(policy, sharing.decider().decide(attributes, permits, false), permits);
    }

    /**
     * Counts this instance's share of what all instances admitted before, under one rule, as far as it is not counted yet.
     *
     * @param ofRule the index of the rule in the policy
     */
    public void begin(int ofRule, Attributes attributes, long usedByAll) {
        Sharing now = sharing;
        long part = (usedByAll + now.instances() - 1) / now.instances();
        now.decider().charge(ofRule, attributes, part - now.decider().used(ofRule, attributes));
    }

    /** The number of permits that still count under one rule. */
    public long used(int ofRule, Attributes attributes) {
        return sharing.decider().used(ofRule, attributes);
    }

    /**
     * Refunds a decision of the share, and returns the most permits of any rule; 0 if it was refunded before.
     */
    public long refund(Attributes attributes, Decision decision) {
        Decider now = sharing.decider();
        return now.refundOnce(attributes, decision, Charge.of(now.policy, decision));
    }

    /** Resets the counts of these ids. */
    public void forget(int ofRule, Attributes attributes) {
        sharing.decider().rules().get(ofRule).reset(attributes);
    }
}
