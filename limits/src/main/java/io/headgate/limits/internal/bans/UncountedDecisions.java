package io.headgate.limits.internal.bans;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.Policy;
import io.headgate.limits.TimeSource;
import io.headgate.limits.bans.BanEntry;
import io.headgate.limits.bans.BanTarget;
import io.headgate.limits.internal.Pauses;
import io.headgate.limits.internal.decision.EngineDecisions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The decisions that an engine makes without reading a count: by bans, pauses and exemptions, in this order. Safe for use by any number of
 * threads.
 */
public final class UncountedDecisions {

    private final BanIndex bans;
    private final Pauses pauses;
    private final TimeSource time;

    /** Creates the decisions of an engine. */
    public UncountedDecisions(BanIndex bans, Pauses pauses, TimeSource time) {
        this.bans = bans;
        this.pauses = pauses;
        this.time = time;
    }

    /** The bans and exemptions that this process knows. */
    public BanIndex bans() {
        return bans;
    }

    /** The pauses that this process knows. */
    public Pauses pauses() {
        return pauses;
    }

    /** Returns the decision on a request that is banned, paused or exempt; null if the rules of its policy decide. */
    public @Nullable Decision find(Policy policy, Attributes attributes) {
        Decision byBans = bans.decide(policy, attributes);
        if (byBans != null && byBans.denied()) {
            return byBans;
        }
        Decision paused = pauses.find(policy, attributes);
        return paused != null ? paused : byBans;
    }

    /** Whether an exemption applies to a request. If the request is counted nevertheless, no rule denies it. */
    public boolean isExempt(Policy policy, Attributes attributes) {
        return bans.isExempt(policy.name(), attributes);
    }

    /** Returns the target of the ban or exemption that applies to a request; empty if there is none. */
    public Optional<BanTarget> target(Policy policy, Attributes attributes) {
        return Optional.ofNullable(bans.find(policy.name(), attributes)).map(BanEntry::target);
    }

    /**
     * Returns the decision of each policy on a request to several policies if it is banned or paused under any of them, or exempt
     * under all; empty if it is counted. The policies that do not decide are {@linkplain Decision.Basis#SKIPPED skipped}.
     */
    public List<Decision> findAny(List<Policy> policies, List<Attributes> attributes) {
        if (bans.isEmpty() && pauses.isEmpty()) {
            return List.of();
        }
        List<Decision> decisions = new ArrayList<>(policies.size());
        boolean anyDenied = false;
        boolean allDecided = true;
        for (int i = 0; i < policies.size(); i++) {
            Decision decision = find(policies.get(i), attributes.get(i));
            anyDenied |= decision != null && decision.denied();
            allDecided &= decision != null;
            decisions.add(decision != null ? decision : EngineDecisions.skipped(policies.get(i), time.nowMicros()));
        }
        return anyDenied || allDecided ? decisions : List.of();
    }
}
