package io.headgate.limits.internal.memory;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.LimiterException;
import io.headgate.limits.Policy;
import io.headgate.limits.RequestId;
import io.headgate.limits.RequestIdReusedException;
import io.headgate.limits.Rule;
import io.headgate.limits.internal.BoundedId;
import io.headgate.limits.internal.Micros;
import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * The decisions on requests with request ids, of an engine in memory. An allowed request is kept for the horizon, and a denied one too if
 * a rule of its policy counts attempts; beyond a maximum number, the oldest are dropped. Requests with request ids are decided one at a
 * time, so none is decided twice.
 */
public final class DecidedRequests {

    private record Name(String policy, RequestId id) {}

    private record Kept(List<Rule> rules, List<List<String>> ids, long permits, Decision decision, long untilMicros) {}

    private final ReentrantLock deciding = new ReentrantLock();
    private final Map<Name, Kept> kept = new LinkedHashMap<>();
    private final int most;
    private final long horizonMicros;

    /**
     * Creates an instance without decisions.
     *
     * @param most the maximum number of decisions
     * @param horizon how long they are kept
     */
    public DecidedRequests(int most, Duration horizon) {
        this.most = most;
        this.horizonMicros = Micros.of(horizon);
    }

    /**
     * Returns the earlier decision on the request, or else decides it now.
     *
     * @throws RequestIdReusedException if the id was used for other permits or other ids
     * @throws LimiterException if the earlier decision was made under other limits
     */
    Decision decide(
            Policy policy,
            Attributes attributes,
            long permits,
            RequestId id,
            long nowMicros,
            Supplier<Decision> decider) {
        List<List<String>> ids = policy.rules().stream()
                .map(rule -> attributes.idsOf(rule).stream().map(BoundedId::of).toList())
                .toList();
        Name name = new Name(policy.name(), id);
        deciding.lock();
        try {
            Kept before = kept.get(name);
            if (before != null && nowMicros < before.untilMicros) {
                return repeated(before, policy, ids, permits, id);
            }
            Decision decision = decider.get();
            if (decision.allowed() || policy.rules().stream().anyMatch(Rule::countsAttempts)) {
                keep(
                        name,
                        new Kept(
                                withoutBans(policy),
                                ids,
                                permits,
                                decision,
                                Micros.of(decision.decidedAt()) + horizonMicros),
                        nowMicros);
            }
            return decision;
        } finally {
            deciding.unlock();
        }
    }

    /** The rules without their bans, which do not matter to a request that was allowed. */
    private static List<Rule> withoutBans(Policy policy) {
        return policy.rules().stream().map(Rule::withoutBans).toList();
    }

    private static Decision repeated(Kept before, Policy policy, List<List<String>> ids, long permits, RequestId id) {
        if (!before.rules.equals(withoutBans(policy))) {
            throw decidedByOthers(policy);
        }
        if (before.permits != permits || !before.ids.equals(ids)) {
            throw new RequestIdReusedException(policy.name(), id);
        }
        return before.decision;
    }

    /** Returns the exception for a request that was decided by another version of the policy, whose rules differ from the present ones. */
    public static LimiterException decidedByOthers(Policy policy) {
        return new LimiterException(
                "acquire",
                "of policy " + policy.name(),
                "a request with this id was decided by another version of the policy; it is not charged again",
                true,
                null);
    }

    private void keep(Name name, Kept answer, long nowMicros) {
        kept.remove(name);
        kept.put(name, answer);
        Iterator<Kept> oldest = kept.values().iterator();
        while (oldest.hasNext() && (oldest.next().untilMicros <= nowMicros || kept.size() > most)) {
            oldest.remove();
        }
    }

    /** The number of kept decisions. */
    public int size() {
        deciding.lock();
        try {
            return kept.size();
        } finally {
            deciding.unlock();
        }
    }

    /** Removes all decisions. */
    public void clear() {
        deciding.lock();
        try {
            kept.clear();
        } finally {
            deciding.unlock();
        }
    }
}
