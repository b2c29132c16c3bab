package io.headgate.redis.limits.internal.denials;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.Policy;
import io.headgate.limits.Rule;
import io.headgate.limits.RuleDecision;
import io.headgate.limits.internal.Micros;
import io.headgate.limits.internal.decision.EngineDecisions;
import io.headgate.redis.limits.internal.planner.AcquireRequest;
import io.headgate.redis.limits.internal.planner.PolicyPlanner;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The denials that an engine caches: while a denial holds, the same request is denied without a call to Redis. Limiters of the
 * engine that have the same rule share its denials, by the stem of the rule's keys. The denials of a rule that no limiter has any
 * more are dropped: a {@link View} holds those of its rules, and the cache itself only weak references. Safe for use by any number
 * of threads.
 */
public final class DenialCache {

    private final WeaklyByStem<RuleDenials> byStem;

    /**
     * An empty cache.
     *
     * @param maxPerRule how many denials of each rule a generation takes; 0 caches none
     * @param whenCached is run whenever a denial is cached
     */
    public DenialCache(int maxPerRule, Runnable whenCached) {
        this.byStem = new WeaklyByStem<>(() -> new RuleDenials(maxPerRule, whenCached));
    }

    /** The denials of the rules of one version of a policy. */
    public View view(PolicyPlanner planner) {
        return new View(
                planner.policy(), planner.stems().stream().map(this::ofRule).toList(), planner.isTimeGiven());
    }

    /**
     * Sends a call that releases permits of these rules. From before it is sent until it has ended, successfully or not, no denial
     * of these ids is used. Then their denials are dropped, and those whose replies are still to come are not cached.
     */
    public <T> CompletableFuture<T> whileReleasing(
            PolicyPlanner planner, Collection<Rule> rules, Attributes attributes, Supplier<CompletableFuture<T>> call) {
        Runnable end = beginRelease(planner, rules, attributes);
        CompletableFuture<T> answer;
        try {
            answer = call.get();
        } catch (RuntimeException | Error e) {
            end.run();
            throw e;
        }
        answer.whenComplete((any, problem) -> end.run());
        return answer;
    }

    private Runnable beginRelease(PolicyPlanner planner, Collection<Rule> rules, Attributes attributes) {
        // Held until the call has ended, also where no limiter has the rule.
        List<Release> releases = new ArrayList<>();
        for (Rule rule : planner.policy().rules()) {
            if (isCached(planner.policy()) && rules.contains(rule)) {
                releases.add(new Release(ofRule(planner.stem(rule)), attributes.idsOf(rule)));
            }
        }
        // Only now, as the attributes may lack the id of a rule, which throws.
        releases.forEach(one -> one.denials().beginRelease(one.ids()));
        return () -> releases.forEach(one -> one.denials().endRelease(one.ids(), System.nanoTime()));
    }

    private record Release(RuleDenials denials, List<String> ids) {}

    /** Whether denials by a policy are cached: not where a denied request charges a rule. */
    private static boolean isCached(Policy policy) {
        for (Rule rule : policy.rules()) {
            if (rule.countsAttempts()) {
                return false;
            }
        }
        return true;
    }

    /** Another engine has released permits of these ids. */
    void released(String stem, List<String> ids, long nowNanos) {
        find(stem).ifPresent(denials -> denials.released(ids, nowNanos));
    }

    /** Another engine has changed the rule of these keys. */
    void ruleChanged(String stem, long nowNanos) {
        find(stem).ifPresent(denials -> denials.releasedAll(nowNanos));
    }

    /** Drops all denials, and refuses those whose replies are still to come, by {@link System#nanoTime()}. */
    public void clear(long nowNanos) {
        byStem.forEach(denials -> denials.releasedAll(nowNanos));
    }

    /** Notes the time of a request where the application passes in the clock, which may go back. */
    public void observeTime(PolicyPlanner planner, long nowMicros) {
        if (planner.isTimeGiven()) {
            planner.stems().forEach(stem -> ofRule(stem).observeTime(nowMicros));
        }
    }

    /** How many rules there are denials of, or were until just now. */
    int rules() {
        return byStem.size();
    }

    /**
     * The denial by the cache of a request to several policies; empty where the request must go to Redis. A policy that has no cached
     * denial is {@linkplain Decision.Basis#SKIPPED skipped}.
     *
     * @param views those of the policies, none of which counts attempts
     * @param nowMicros the time by the clock of this process
     */
    public static List<Decision> findAny(
            List<View> views, List<Attributes> attributes, List<Long> permits, long nowMicros) {
        List<RuleDenials.@Nullable Denial> denials = new ArrayList<>(views.size());
        long decidedAtMicros = 0;
        boolean isDue = false;
        for (int i = 0; i < views.size(); i++) {
            View view = views.get(i);
            if (permits.get(i) > view.maxPermits) {
                return List.of();
            }
            RuleDenials.Denial denial = view.longest(attributes.get(i), permits.get(i), nowMicros);
            denials.add(denial);
            if (denial != null) {
                decidedAtMicros = Math.max(decidedAtMicros, denial.decidedAtMicros(nowMicros));
                // Each of them: the request that is sent checks all.
                isDue |= denial.check().isDue(nowMicros);
            }
        }
        if (decidedAtMicros == 0 || isDue) {
            return List.of();
        }
        List<Decision> decisions = new ArrayList<>(views.size());
        for (int i = 0; i < views.size(); i++) {
            RuleDenials.Denial denial = denials.get(i);
            decisions.add(
                    denial == null
                            ? EngineDecisions.skipped(views.get(i).policy, decidedAtMicros)
                            : views.get(i).decision(denial, nowMicros));
        }
        return decisions;
    }

    /** The denials of a rule, which stay cached as long as the caller holds them. */
    RuleDenials ofRule(String stem) {
        return byStem.of(stem);
    }

    /** The denials of a rule, if anything holds them. */
    Optional<RuleDenials> find(String stem) {
        return byStem.find(stem);
    }

    /** The cached denials of one version of a policy, which a limiter holds as long as it uses the version. */
    public static final class View {

        private final Policy policy;

        /** In the order of the rules. */
        private final List<RuleDenials> byRule;

        /** The rules that can deny. */
        private final Denying[] denying;

        private final boolean timeGiven;
        private final boolean isCached;

        /** A request for more is never admitted, which only the counts in Redis show. Rules in shadow mode deny no number of permits. */
        private final long maxPermits;

        private View(Policy policy, List<RuleDenials> byRule, boolean timeGiven) {
            this.policy = policy;
            this.byRule = byRule;
            this.timeGiven = timeGiven;
            this.isCached = isCached(policy);
            this.maxPermits = policy.rules().stream()
                    .filter(rule -> !rule.shadow())
                    .mapToLong(rule -> rule.limit().permits())
                    .min()
                    .orElse(Long.MAX_VALUE);
            this.denying = IntStream.range(0, byRule.size())
                    .filter(i -> isCached && !policy.rules().get(i).shadow())
                    .mapToObj(i -> new Denying(policy.rules().get(i), byRule.get(i)))
                    .toArray(Denying[]::new);
        }

        /** A rule that can deny, and its cached denials. */
        private record Denying(Rule rule, RuleDenials denials) {

            RuleDenials.@Nullable Denial find(Attributes attributes, long permits, long nowMicros) {
                // Looking up a single id is faster than looking whether the cache is empty.
                return rule.dimensions().size() == 1
                        ? denials.find(rule, attributes.idOf(rule), permits, nowMicros)
                        : denials.isEmpty() ? null : denials.find(rule, attributes.idsOf(rule), permits, nowMicros);
            }
        }

        /**
         * The denial of a request by the cache; null where the request must go to Redis.
         *
         * @param nowMicros the time by the clock of this process
         */
        public @Nullable Decision find(Attributes attributes, long permits, long nowMicros) {
            RuleDenials.Denial longest = longest(attributes, permits, nowMicros);
            return longest == null || longest.check().isDue(nowMicros) ? null : decision(longest, nowMicros);
        }

        private RuleDenials.@Nullable Denial longest(Attributes attributes, long permits, long nowMicros) {
            if (permits > maxPermits) {
                return null;
            }
            RuleDenials.Denial longest = null;
            for (Denying one : denying) {
                if (timeGiven && one.denials().isBeforeLatest(nowMicros)) {
                    continue;
                }
                RuleDenials.Denial denial = one.find(attributes, permits, nowMicros);
                if (denial != null && (longest == null || denial.untilMicros() > longest.untilMicros())) {
                    longest = denial;
                }
            }
            return longest;
        }

        private Decision decision(RuleDenials.Denial denial, long nowMicros) {
            return EngineDecisions.cachedDenial(policy, denial.decidedAtMicros(nowMicros), denial.at(nowMicros));
        }

        /** Caches the denials of a decision by Redis, and drops those that it shows to be outdated. */
        public void put(AcquireRequest request, Decision decision) {
            if (!isCached) {
                return;
            }
            List<RuleDecision> decisions = decision.rules();
            for (int i = 0; i < byRule.size(); i++) {
                RuleDecision one = decisions.get(i);
                if (one.rule().shadow()) {
                    continue;
                }
                RuleDenials denials = byRule.get(i);
                if (!one.allowed() && one.retryable()) {
                    denials.put(
                            one,
                            request.attributes().idsOf(one.rule()),
                            request.permits(),
                            request.requestedMicros(),
                            request.requestedNanos(),
                            Micros.of(decision.decidedAt(one.rule().name())));
                } else if (!denials.isEmpty() && one.allowed()) {
                    denials.admitted(one.rule(), request.attributes().idsOf(one.rule()), request.permits());
                }
            }
        }

        /** Notes the time of a request where the application passes in the clock. */
        public void observeTime(long nowMicros) {
            if (timeGiven) {
                byRule.forEach(denials -> denials.observeTime(nowMicros));
            }
        }

        /** Drops the denials of rules that the next version of the policy changes or does not have, or whose overrides it changes. */
        public void drop(Collection<Rule> changed) {
            for (int i = 0; i < byRule.size(); i++) {
                if (changed.contains(policy.rules().get(i))) {
                    byRule.get(i).clear();
                }
            }
        }
    }
}
