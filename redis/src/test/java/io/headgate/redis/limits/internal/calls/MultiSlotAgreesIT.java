package io.headgate.redis.limits.internal.calls;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limits.Decision;
import io.headgate.limits.LeakyBucket;
import io.headgate.limits.Limiter;
import io.headgate.limits.TokenBucket;
import io.headgate.redis.limits.CachedDenial;
import io.headgate.redis.limits.Call;
import io.headgate.redis.limits.CallLog;
import io.headgate.redis.limits.ChangingLimits;
import io.headgate.redis.limits.Engines;
import io.headgate.redis.limits.ExpectedCalls;
import io.headgate.redis.limits.Histories;
import io.headgate.redis.limits.History;
import io.headgate.redis.limits.History.ChangingRule;
import io.headgate.redis.limits.RedisLimitEngine;
import io.headgate.redis.limits.Step;
import io.headgate.testkit.Leftovers;
import io.headgate.testkit.ManualClock;
import io.headgate.testkit.RedisServer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;

/**
 * Rules that are decided by separate calls agree with the model, and so with a single call, in every field of every decision of a
 * sequential random history.
 *
 * <p>Histories leave out documented differences: changed limits, clocks that are set back, refunds of buckets, ids that are used
 * for another request, repeated refunds after a reset or a refund of the oldest permits, and the result of a reset.
 */
class MultiSlotAgreesIT {

    private static final RedisServer REDIS = RedisServer.shared();
    private static final String PREFIX = "apart";
    private static final ManualClock CLOCK = ManualClock.atMicros(0);
    private static final String RUN = UUID.randomUUID().toString().substring(0, 8);
    private static final AtomicLong HISTORIES = new AtomicLong();
    private static final List<RedisLimitEngine> ENGINES = new ArrayList<>();

    @BeforeContainer
    static void open_the_engine() {
        ENGINES.add(Engines.builder(Engines.settings(REDIS.url()).withKeyPrefix(PREFIX))
                .time(CLOCK)
                .oneSlotACall()
                .build());
    }

    @AfterContainer
    static void close_the_engine() {
        ENGINES.forEach(RedisLimitEngine::close);
    }

    @Property(edgeCases = EdgeCasesMode.NONE)
    void on_policies_of_several_rules(@ForAll("policies") History history) {
        agree(history);
    }

    @Property(edgeCases = EdgeCasesMode.NONE)
    void on_rules_that_count_attempts(@ForAll("countingAttempts") History history) {
        agree(history);
    }

    @Provide
    Arbitrary<History> policies() {
        return Histories.ofPolicies(ChangingLimits.ofAnyKind().map(MultiSlotAgreesIT::unchanging));
    }

    @Provide
    Arbitrary<History> countingAttempts() {
        return Histories.ofPolicies(
                ChangingLimits.countingAttempts(ChangingLimits.ofAnyKind()).map(MultiSlotAgreesIT::unchanging));
    }

    private static ChangingRule unchanging(ChangingRule rule) {
        return new ChangingRule(List.of(rule.limit(0)), rule.dimensions(), rule.countsAttempts(), rule.shadow());
    }

    /** One history at a time, since they share a clock. */
    private static synchronized void agree(History any) {
        History history = new History(
                any.rules(),
                any.startMicros(),
                any.steps().stream().filter(step -> isComparable(any, step)).toList());
        String policy = "p-" + RUN + "-" + HISTORIES.incrementAndGet();
        List<Call> calls = ExpectedCalls.calls(history, policy);
        Set<Object> decisions = Collections.newSetFromMap(new IdentityHashMap<>());
        Limiter limiter = ENGINES.get(0).limiter(calls.get(0).policy());
        long latestMicros = calls.get(0).atMicros();
        for (int i = 0; i < calls.size(); i++) {
            int at = i;
            Call call = calls.get(i);
            if (call.atMicros() < latestMicros) {
                // A step to the retry time of a denied request can set the clock back: what follows is not comparable.
                break;
            }
            latestMicros = call.atMicros();
            if (!isComparable(call, decisions)) {
                continue;
            }
            CLOCK.setMicros(call.atMicros());
            Object answer =
                    call.send(limiter.async()).orTimeout(2, TimeUnit.MINUTES).join();
            if (!(call instanceof Call.Reset)) {
                assertThat(answer)
                        .as(() -> "separate calls:\n" + CallLog.of(calls.subList(0, at + 1)))
                        .isEqualTo(expected(answer, call));
            }
        }
        Leftovers.in(REDIS.url(), PREFIX + ":*:" + policy + ":*").requireNone();
    }

    private static Object expected(Object answer, Call call) {
        return answer instanceof Decision decision
                        && decision.basis() == Decision.Basis.CACHED_DENIAL
                        && call instanceof Call.Acquire acquire
                ? CachedDenial.agreeing(decision, (Decision) acquire.expected(), acquire.permits())
                : call.expected();
    }

    private static boolean isComparable(History history, Step step) {
        if (step instanceof Step.Pass pass) {
            return history.micros(pass.span()) >= 0;
        }
        if (step instanceof Step.ToRetry to) {
            return to.offsetMicros() >= 0;
        }
        if (step instanceof Step.ToReset to) {
            return to.offsetMicros() >= 0;
        }
        if (step instanceof Step.RefundAgain) {
            // Each rule has a record of its own: a rule that had nothing to refund may have something at the next
            // refund.
            return history.steps().stream()
                    .noneMatch(other -> other instanceof Step.Reset || other instanceof Step.RefundOldest);
        }
        return !(step instanceof Step.Refund)
                || history.rules().stream()
                        .noneMatch(
                                rule -> rule.limit(0) instanceof TokenBucket || rule.limit(0) instanceof LeakyBucket);
    }

    /**
     * Whether the results of the call can be compared. After a denial, a rule may keep no record of the id. It then neither reports that
     * the id is used for another request nor repeats the denial.
     *
     * @param decisions the expected decisions of ids so far
     */
    private static boolean isComparable(Call call, Set<Object> decisions) {
        return !(call instanceof Call.AcquireWithId withId)
                || (withId.expected() instanceof Decision decision && (decisions.add(decision) || decision.allowed()));
    }
}
