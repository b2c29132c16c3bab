package io.headgate.redis.limits;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limits.AsyncLimiter;
import io.headgate.limits.Attributes;
import io.headgate.limits.CalendarWindow;
import io.headgate.limits.Decision;
import io.headgate.limits.InMemoryLimitEngine;
import io.headgate.limits.LimitEngine;
import io.headgate.limits.Limiter;
import io.headgate.limits.Policy;
import io.headgate.testkit.Leftovers;
import io.headgate.testkit.ManualClock;
import io.headgate.testkit.RedisServer;
import io.headgate.testkit.conditions.ServerVersionSensitive;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tag;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;

/**
 * The in-memory engine and the Redis engine return the same result for every call of a random history as {@code LimitModel}: every field of
 * every decision. A cached denial has fewer fields, which must agree.
 *
 * <p>Each property runs some hundred histories, or as many as {@code -Dheadgate.test.histories} sets. A failure prints the shortest
 * failing history, and the seed that reproduces it.
 */
@Tag(ServerVersionSensitive.TAG)
class EnginesAgreeIT {

    private static final RedisServer REDIS = RedisServer.shared();
    private static final String PREFIX = "agree";

    private static final ManualClock CLOCK = ManualClock.atMicros(0);
    private static final String RUN = UUID.randomUUID().toString().substring(0, 8);
    private static final AtomicLong HISTORIES = new AtomicLong();
    private static final List<LimitEngine> ENGINES = new ArrayList<>();

    @BeforeContainer
    static void open_the_engines() {
        ENGINES.add(InMemoryLimitEngine.builder().time(CLOCK).build());
        ENGINES.add(Engines.builder(Engines.settings(REDIS.url()).withKeyPrefix(PREFIX))
                .time(CLOCK)
                .build());
    }

    @AfterContainer
    static void close_the_engines() {
        ENGINES.forEach(LimitEngine::close);
    }

    @Property(edgeCases = EdgeCasesMode.NONE)
    void on_fixed_windows(@ForAll("fixedWindows") History history) {
        agree(history);
    }

    @Property(edgeCases = EdgeCasesMode.NONE)
    void on_sliding_windows(@ForAll("slidingWindows") History history) {
        agree(history);
    }

    @Property(edgeCases = EdgeCasesMode.NONE)
    void on_sliding_windows_of_hundreds_of_requests(@ForAll("longSlidingWindows") History history) {
        agree(history);
    }

    @Property(edgeCases = EdgeCasesMode.NONE)
    void on_sliding_counters(@ForAll("slidingCounters") History history) {
        agree(history);
    }

    @Property(edgeCases = EdgeCasesMode.NONE)
    void on_token_buckets(@ForAll("tokenBuckets") History history) {
        agree(history);
    }

    @Property(edgeCases = EdgeCasesMode.NONE)
    void on_leaky_buckets(@ForAll("leakyBuckets") History history) {
        agree(history);
    }

    @Property(edgeCases = EdgeCasesMode.NONE)
    void on_calendar_windows(@ForAll("calendarWindows") History history) {
        agree(history);
    }

    @Property(edgeCases = EdgeCasesMode.NONE)
    void on_rules_that_count_attempts(@ForAll("countingAttempts") History history) {
        agree(history);
    }

    @Property(edgeCases = EdgeCasesMode.NONE)
    void on_policies_of_several_rules(@ForAll("policies") History history) {
        agree(history);
    }

    @Property(edgeCases = EdgeCasesMode.NONE)
    void on_one_rule_with_overrides(@ForAll("longRuns") History history) {
        agreeByOverrides(history);
    }

    @Property(edgeCases = EdgeCasesMode.NONE)
    void on_policies_with_overrides(@ForAll("policies") History history) {
        agreeByOverrides(history);
    }

    @Provide
    Arbitrary<History> longRuns() {
        return Histories.ofLongRuns(ChangingLimits.ofAnyKind());
    }

    @Provide
    Arbitrary<History> fixedWindows() {
        return Histories.ofOneRule(ChangingLimits.fixedWindows());
    }

    @Provide
    Arbitrary<History> slidingWindows() {
        return Histories.ofOneRule(ChangingLimits.slidingWindows());
    }

    @Provide
    Arbitrary<History> longSlidingWindows() {
        return Histories.ofLongRuns(ChangingLimits.smallSlidingWindows());
    }

    @Provide
    Arbitrary<History> slidingCounters() {
        return Histories.ofOneRule(ChangingLimits.slidingCounters());
    }

    @Provide
    Arbitrary<History> tokenBuckets() {
        return Histories.ofOneRule(ChangingLimits.tokenBuckets());
    }

    @Provide
    Arbitrary<History> leakyBuckets() {
        return Histories.ofOneRule(ChangingLimits.leakyBuckets());
    }

    @Provide
    Arbitrary<History> calendarWindows() {
        return Histories.ofOneRule(ChangingLimits.calendarWindows());
    }

    @Provide
    Arbitrary<History> countingAttempts() {
        return Histories.ofLongRuns(ChangingLimits.countingAttempts(
                Arbitraries.oneOf(ChangingLimits.smallSlidingWindows(), ChangingLimits.ofAnyKind())));
    }

    @Provide
    Arbitrary<History> policies() {
        return Histories.ofPolicies(ChangingLimits.ofAnyKind());
    }

    /** One history at a time, because all share a clock, and jqwik may continue to shrink a history while the next property runs. */
    private static synchronized void agree(History history) {
        String policy = "p-" + RUN + "-" + HISTORIES.incrementAndGet();
        List<Call> calls = ExpectedCalls.calls(history, policy);
        int firstReset = calls.size() - ExpectedCalls.resets(history);
        ENGINES.forEach(engine -> agree(engine, calls, 0, firstReset));
        Leftovers.in(REDIS.url(), PREFIX + ":*:" + policy + ":*").requireNone();
        ENGINES.forEach(engine -> agree(engine, calls, firstReset, calls.size()));
    }

    /**
     * Like {@link #agree(History)}, but the variants of the history are limits of overrides for requests with the attribute {@code
     * plan}, instead of versions of the policy.
     */
    private static synchronized void agreeByOverrides(History any) {
        History history = any.ofOneMode();
        String name = "p-" + RUN + "-" + HISTORIES.incrementAndGet();
        List<Call> calls = ExpectedCalls.callsByOverrides(history, name);
        for (LimitEngine engine : ENGINES) {
            Limiter limiter = engine.limiter(history.overriddenPolicy(name));
            agree(engine, calls, replayByOverrides(limiter, history, calls));
        }
        Leftovers.in(REDIS.url(), PREFIX + ":*:" + name + ":*").requireNone();
    }

    /**
     * Sends all calls to one limiter, and waits for the results before a call with other limits: calls of different limits may
     * overtake each other, and do not share cached denials.
     */
    private static List<CompletableFuture<?>> replayByOverrides(Limiter limiter, History history, List<Call> calls) {
        List<CompletableFuture<?>> answers = new ArrayList<>();
        Set<Class<?>> kinds = new HashSet<>();
        Policy before = limiter.policy();
        for (Call call : calls) {
            if (!before.equals(call.policy())) {
                answers.forEach(CompletableFuture::join);
                before = call.policy();
            }
            CLOCK.setMicros(call.atMicros());
            CompletableFuture<?> answer = call.send(limiter.async(), attributes(history, call));
            if (kinds.add(call.getClass()) || call instanceof Call.Refund || hasCalendar(call.policy())) {
                answer.join();
            }
            answers.add(answer);
        }
        return answers;
    }

    private static Attributes attributes(History history, Call call) {
        for (int variant = 0; variant < History.VARIANTS; variant++) {
            if (history.policy(call.policy().name(), variant).equals(call.policy())) {
                return variant == 0 ? call.attributes() : call.attributes().with("plan", History.plan(variant));
            }
        }
        throw new AssertionError("no variant is " + call.policy());
    }

    private static void agree(LimitEngine engine, List<Call> calls, int from, int to) {
        agree(engine, calls.subList(0, to), replay(engine, calls.subList(from, to)));
    }

    /** Compares the results of the last calls with the expected ones. */
    private static void agree(LimitEngine engine, List<Call> calls, List<CompletableFuture<?>> answers) {
        int from = calls.size() - answers.size();
        for (int i = from; i < calls.size(); i++) {
            int at = i;
            Object answer = answers.get(i - from).orTimeout(2, TimeUnit.MINUTES).join();
            assertThat(answer)
                    .as(() -> engine.getClass().getSimpleName() + ":\n" + CallLog.of(calls.subList(0, at + 1)))
                    .isEqualTo(expected(answer, calls.get(i)));
        }
    }

    /** A cached denial has some of the fields of the expected decision; these must agree. */
    private static Object expected(Object answer, Call call) {
        return answer instanceof Decision decision
                        && decision.basis() == Decision.Basis.CACHED_DENIAL
                        && call instanceof Call.Acquire acquire
                ? CachedDenial.agreeing(decision, (Decision) acquire.expected(), acquire.permits())
                : call.expected();
    }

    /**
     * Sends all calls to one limiter, each at its time and with its policy, and leaves waiting for the results to the end. It only
     * waits for calls that may be sent again and that later ones must not overtake: the first call of each kind, whose script Redis
     * may not have; refunds, whose script depends on the charges; and calls with periods of a calendar, which may have ended.
     */
    private static List<CompletableFuture<?>> replay(LimitEngine engine, List<Call> calls) {
        if (calls.isEmpty()) {
            return List.of();
        }
        Limiter limiter = engine.limiter(calls.get(0).policy());
        AsyncLimiter async = limiter.async();
        Set<Class<?>> kinds = new HashSet<>();
        List<CompletableFuture<?>> answers = new ArrayList<>();
        for (Call call : calls) {
            CLOCK.setMicros(call.atMicros());
            if (!limiter.policy().equals(call.policy())) {
                limiter.update(call.policy());
            }
            CompletableFuture<?> answer = call.send(async);
            if (kinds.add(call.getClass()) || call instanceof Call.Refund || hasCalendar(call.policy())) {
                answer.join();
            }
            answers.add(answer);
        }
        return answers;
    }

    private static boolean hasCalendar(Policy policy) {
        return policy.rules().stream().anyMatch(rule -> rule.limit() instanceof CalendarWindow);
    }
}
