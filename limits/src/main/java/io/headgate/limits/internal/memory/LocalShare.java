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
 * The local share of this instance under a policy, for decisions while Redis does not reply: its share of each limit, counted in
 * memory. Safe for use by several threads.
 */
public final class LocalShare {

    private final Policy policy;
    private final Counters counters;
    private final TimeSource time;
    private volatile Sharing sharing;

    private record Sharing(int instances, Decider decider) {}

    /**
     * Creates a share that is the whole limit, until {@link #share} sets the number of instances.
     *
     * @param counters the counters of the shares of all policies of the engine
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

    /** Sets the number of instances, by which each limit is divided from now on; counts are kept. */
    public void share(int instances) {
        if (sharing.instances() != instances) {
            sharing = among(instances);
        }
    }

    /** Decides a request by the share, and charges it. A denied request is charged only to rules that count attempts. */
    public Decision tryAcquire(Attributes attributes, long permits) {
        return EngineDecisions.byShare(policy, sharing.decider().decide(attributes, permits, true), permits);
    }

    /** One policy's part of a request to several policies. */
    public record Request(LocalShare share, Attributes attributes, long permits) {}

    /**
     * Decides a request to several policies by their shares, which must have the same counters: all of them admit it and are charged,
     * or none is charged.
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

    /** Decides a request by the share, and charges nothing. */
    public Decision peek(Attributes attributes, long permits) {
        return EngineDecisions.byShare(policy, sharing.decider().decide(attributes, permits, false), permits);
    }

    /**
     * Raises the count of one rule to this instance's share of the permits that all instances used before, unless it is already as high.
     *
     * @param ofRule the index of the rule in the policy
     */
    public void begin(int ofRule, Attributes attributes, long usedByAll) {
        Sharing now = sharing;
        long part = (usedByAll + now.instances() - 1) / now.instances();
        now.decider().charge(ofRule, attributes, part - now.decider().used(ofRule, attributes));
    }

    /** Returns the number of permits that still count under one rule. */
    public long used(int ofRule, Attributes attributes) {
        return sharing.decider().used(ofRule, attributes);
    }

    /**
     * Refunds a decision of the share, and returns the permits refunded by the rule that refunded most; 0 if it was refunded before.
     */
    public long refund(Attributes attributes, Decision decision) {
        Decider now = sharing.decider();
        return now.refundOnce(attributes, decision, Charge.of(now.policy, decision));
    }

    /** Resets the count of one rule. */
    public void forget(int ofRule, Attributes attributes) {
        sharing.decider().rules().get(ofRule).reset(attributes);
    }
}
