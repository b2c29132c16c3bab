package io.headgate.testkit;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.Limit;
import io.headgate.limits.Policy;
import io.headgate.limits.Rule;
import io.headgate.limits.internal.decision.EngineDecisions;
import io.headgate.limits.internal.decision.EngineRuleDecision;
import java.time.Duration;

/** Decisions for tests of how they are shown. */
public final class Decisions {

    public static final Rule GLOBAL = Rule.of("global", Limit.tokenBucket(2000, 1000, Duration.ofSeconds(1)));
    public static final Rule PER_USER =
            Rule.of("per-user", Limit.slidingWindow(100, Duration.ofMinutes(1)), Attributes.USER);
    public static final Policy API =
            Policy.named("api").rule(GLOBAL).rule(PER_USER).build();

    public static final long AT_MICROS = 1_800_000_000_123_456L;

    private Decisions() {}

    /** A decision of both rules. */
    public static Decision of(EngineRuleDecision global, EngineRuleDecision perUser) {
        return EngineDecisions.of(API, AT_MICROS, 1, global, perUser);
    }

    static EngineRuleDecision globalAllows() {
        return EngineRuleDecision.allowed(GLOBAL, 1999, 1000);
    }

    public static Decision allowed() {
        return of(globalAllows(), EngineRuleDecision.allowed(PER_USER, 60, 59_000_001));
    }

    public static Decision denied() {
        return of(globalAllows(), EngineRuleDecision.denied(PER_USER, 0, 41_234_567, 60_000_000));
    }

    public static Decision neverAllowed() {
        return of(EngineRuleDecision.allowed(GLOBAL, 2000, 0), EngineRuleDecision.neverAllowed(PER_USER, 100, 0));
    }
}
