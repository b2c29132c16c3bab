package io.headgate.redis.limits.internal.fallback;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.Fallback;
import io.headgate.limits.Policy;
import io.headgate.limits.RuleDecision;
import io.headgate.limits.internal.decision.EngineDecisions;
import io.headgate.limits.internal.memory.LocalShare;
import io.headgate.redis.limits.internal.planner.AcquireRequest;
import io.headgate.redis.limits.internal.planner.PolicyPlanner;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** Decides requests of one version of a policy while Redis does not reply. */
public final class PolicyFallback {

    /** The retry-after of a denial without a share: by then Redis may be available again. */
    private static final long RETRY_MICROS = TimeUnit.SECONDS.toMicros(1);

    private final PolicyPlanner planner;
    private final Policy policy;
    private final Fallback fallback;
    private final Duration timeout;
    private final Fallbacks engine;
    private final AtomicBoolean isReplaced;

    /** Null except in the mode {@link Fallback.Mode#LOCAL}. */
    private final @Nullable Local local;

    /**
     * Creates the fallback of a version.
     *
     * @param isReplaced whether an update has replaced the version; shared by its variants
     */
    public PolicyFallback(
            PolicyPlanner planner, Fallback fallback, Duration timeout, Fallbacks engine, AtomicBoolean isReplaced) {
        this.planner = planner;
        this.policy = planner.policy();
        this.fallback = fallback;
        this.timeout = timeout;
        this.engine = engine;
        this.isReplaced = isReplaced;
        this.local = fallback.mode() == Fallback.Mode.LOCAL ? new Local(planner) : null;
    }

    /** Whether the policy has a fallback, which decides requests without a reply of Redis. */
    public boolean isEnabled() {
        return fallback.mode() != Fallback.Mode.NONE;
    }

    /** The time budget of a decision. */
    public Duration budget() {
        return fallback.budget(timeout);
    }

    /** Whether this fallback currently decides all requests, so that none is sent to Redis. */
    public boolean isActive() {
        return !engine.watch().callsRedis() && isEnabled();
    }

    /** Decides a request. */
    public Decision decide(Attributes attributes, String[] keys, long permits) {
        long nowMicros = engine.nowMicros();
        return local == null ? withoutShare(nowMicros) : local.decide(attributes, keys, permits, nowMicros);
    }

    /**
     * Decides a request to several policies, each by its own fallback: all of them admit it and are charged, or none is charged.
     *
     * @param fallbacks the fallback of each policy, all of them {@linkplain #isEnabled() enabled}
     * @param keys the keys of each policy
     * @param permits the permits requested under each policy
     */
    public static List<Decision> decide(
            List<PolicyFallback> fallbacks, List<Attributes> attributes, List<String[]> keys, List<Long> permits) {
        long nowMicros = fallbacks.get(0).engine.nowMicros();
        Decision[] decisions = new Decision[fallbacks.size()];
        List<LocalShare.Request> ofShares = new ArrayList<>();
        boolean denied = false;
        for (int i = 0; i < decisions.length; i++) {
            PolicyFallback fallback = fallbacks.get(i);
            if (fallback.local == null) {
                decisions[i] = fallback.withoutShare(nowMicros);
                denied |= decisions[i].denied();
            } else {
                ofShares.add(fallback.local.request(attributes.get(i), keys.get(i), permits.get(i), nowMicros));
            }
        }
        Iterator<Decision> shares = LocalShare.decide(ofShares, !denied).iterator();
        for (int i = 0; i < decisions.length; i++) {
            Local local = fallbacks.get(i).local;
            if (local != null) {
                decisions[i] = shares.next();
                local.addUnsynced(attributes.get(i), keys.get(i), decisions[i], nowMicros);
            }
        }
        return List.of(decisions);
    }

    /** Returns the decision that a request would receive, and charges nothing. */
    public Decision peek(Attributes attributes, String[] keys, long permits) {
        long nowMicros = engine.nowMicros();
        return local == null ? withoutShare(nowMicros) : local.peek(attributes, keys, permits, nowMicros);
    }

    private Decision withoutShare(long nowMicros) {
        return fallback.mode() == Fallback.Mode.OPEN
                ? EngineDecisions.open(policy, nowMicros)
                : EngineDecisions.closed(policy, nowMicros, RETRY_MICROS);
    }

    /**
     * Refunds a decision of the share in memory, and returns how many of its permits Redis will therefore not charge. Permits that Redis
     * has charged already remain charged there, and are not returned.
     */
    public long refund(Attributes attributes, String[] keys, Decision decision) {
        return local == null ? 0 : local.refund(attributes, keys, decision);
    }

    /** Stores the usage of each limit that a decision of Redis reports. */
    public void learn(AcquireRequest request, Decision decision) {
        if (local != null) {
            local.learn(request.keys(), decision);
        }
    }

    /**
     * Handles a decision of Redis that arrived after this fallback had decided. If both admitted the request, its permits are charged in
     * Redis and need no later charge. If only Redis admitted it, the charge is refunded as {@code PolicyCalls.reverse} describes.
     */
    public void settle(AcquireRequest request, Decision late, Decision answered) {
        if (!late.allowed()) {
            return;
        }
        if (answered.denied()) {
            engine.calls().reverse(planner, request, late);
        } else if (local != null) {
            local.usage.settled(request.keys(), answered);
        }
    }

    /** Refunds a decision of Redis that arrived after its caller had received a denial; see {@code PolicyCalls.reverse}. */
    public void reverse(AcquireRequest request, Decision late) {
        engine.calls().reverse(planner, request, late);
    }

    /**
     * Decides by this instance's share of each limit. The share of a key starts from its part of the usage that Redis last reported, so the
     * start of an outage resets no limit. Its admitted permits are charged in Redis after the outage, so the end of the outage resets no
     * limit either.
     */
    private final class Local {

        private final LocalShare share;
        private final UsageReconciler.OfPolicy usage;

        Local(PolicyPlanner planner) {
            this.share = engine.shareOf(policy);
            this.usage = engine.reconciler().of(planner, share);
        }

        Decision decide(Attributes attributes, String[] keys, long permits, long nowMicros) {
            seed(attributes, keys, nowMicros);
            Decision decision = share.tryAcquire(attributes, permits);
            addUnsynced(attributes, keys, decision, nowMicros);
            return decision;
        }

        /** Creates the part of a combined request for this policy. */
        LocalShare.Request request(Attributes attributes, String[] keys, long permits, long nowMicros) {
            seed(attributes, keys, nowMicros);
            return new LocalShare.Request(share, attributes, permits);
        }

        /** Adds the permits that a decision of the share has charged, if any, to the unsynced usage. */
        void addUnsynced(Attributes attributes, String[] keys, Decision decision, long nowMicros) {
            if (decision.charged() > 0) {
                usage.admitted(attributes, keys, decision, nowMicros);
            }
        }

        Decision peek(Attributes attributes, String[] keys, long permits, long nowMicros) {
            seed(attributes, keys, nowMicros);
            return share.peek(attributes, permits);
        }

        private void seed(Attributes attributes, String[] keys, long nowMicros) {
            share.share(engine.instances());
            for (int i = 0; i < keys.length; i++) {
                long used = engine.lastUsed().take(keys[i], nowMicros);
                if (used > 0) {
                    share.begin(i, attributes, used);
                }
            }
        }

        long refund(Attributes attributes, String[] keys, Decision decision) {
            long refunded = share.refund(attributes, decision);
            // A second refund returns nothing, and so must not settle what other requests have spent.
            return refunded == 0 ? 0 : Math.min(refunded, usage.settled(keys, decision));
        }

        void learn(String[] keys, Decision decision) {
            List<RuleDecision> rules = decision.rules();
            for (int i = 0; i < keys.length; i++) {
                engine.lastUsed().learn(keys[i], rules.get(i), isReplaced, engine.time());
            }
        }
    }
}
