package io.headgate.redis.limits;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.Fallback;
import io.headgate.limits.Policy;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** What is answered under one version of a policy while Redis does not answer. */
final class PolicyFallback {

    /** When who is denied without a share is to ask again: by then Redis may be back. */
    private static final long RETRY_MICROS = TimeUnit.SECONDS.toMicros(1);

    private final Policy policy;
    private final Fallback fallback;
    private final Duration timeout;
    private final Fallbacks engine;

    /** Only of one that answers by its share. */
    private final @Nullable PolicyShare share;

    PolicyFallback(PolicyPlanner planner, Fallback fallback, Duration timeout, Fallbacks engine) {
        this.policy = planner.policy();
        this.fallback = fallback;
        this.timeout = timeout;
        this.engine = engine;
        this.share = fallback.mode() == Fallback.Mode.LOCAL ? new PolicyShare(planner, engine) : null;
    }

    /** Whether failures are answered. */
    boolean answers() {
        return fallback.mode() != Fallback.Mode.NONE;
    }

    /** How long a decision may take. */
    Duration budget() {
        return fallback.budget(timeout);
    }

    /** Whether nothing is asked of Redis now, and this answers. */
    boolean isInPlace() {
        return !engine.watch().asks() && answers();
    }

    /** What is answered. */
    Decision decide(Attributes attributes, String[] keys, long permits) {
        long nowMicros = engine.nowMicros();
        return share == null ? withoutShare(nowMicros) : share.decide(attributes, keys, permits, nowMicros);
    }

    /** What would be answered, which charges nothing. */
    Decision peek(Attributes attributes, String[] keys, long permits) {
        long nowMicros = engine.nowMicros();
        return share == null ? withoutShare(nowMicros) : share.peek(attributes, keys, permits, nowMicros);
    }

    private Decision withoutShare(long nowMicros) {
        return fallback.mode() == Fallback.Mode.OPEN
                ? Decision.open(policy, nowMicros)
                : Decision.closed(policy, nowMicros, RETRY_MICROS);
    }

    /** Takes back what a share decided and is not charged yet, and returns how many permits that is. */
    long refund(Attributes attributes, String[] keys, Decision decision) {
        return share == null ? 0 : share.refund(attributes, keys, decision);
    }

    /** Learns what Redis said. */
    void learn(Ask ask, Decision decision) {
        if (share != null) {
            share.learn(ask.keys(), decision);
        }
    }

    /** Redis did decide, after something else was answered: what both admitted is charged, and what only Redis did is taken back. */
    void settle(Ask ask, Decision late, Decision answered) {
        if (!late.allowed()) {
            return;
        }
        if (answered.denied()) {
            engine.calls().takeBack(ask, late);
        } else if (share != null) {
            share.charged(ask.keys(), answered);
        }
    }
}
