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
 * The denials that an engine caches. While a denial holds, requests of its ids under its limit for as many permits or more are denied
 * without a call to Redis, except for one request per second. Limiters of the engine that have the same rule share its denials, by the stem of the rule's
 * keys (the part that is the same for all ids). The {@link View} of a limiter references the denials of its rules; the cache has only
 * weak references. So the denials of a rule that no limiter has any more are dropped. Safe for use by any number of threads.
 */
public final class DenialCache {

    private final WeaklyByStem<RuleDenials> byStem;

    /**
     * Creates an empty cache.
     *
     * @param maxPerRule the maximum number of denials of each rule in each of two generations; 0 caches none
     * @param whenCached runs whenever a denial is cached
     */
    public DenialCache(int maxPerRule, Runnable whenCached) {
        this.byStem = new WeaklyByStem<>(() -> new RuleDenials(maxPerRule, whenCached));
    }

    /** Returns the denials of the rules of one version of a policy. */
    public View view(PolicyPlanner planner) {
        return new View(
                planner.policy(), planner.stems().stream().map(this::ofRule).toList(), planner.isTimeGiven());
    }

    /**
     * Sends a call that releases permits of these rules for the ids in the attributes. Until the call has ended, no cached denial of these
     * ids is used. Then, even if the call failed, these denials are dropped, and denials of earlier requests whose replies arrive later are
     * not cached.
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
        // This list references the denials until the call has ended, even if no limiter has the rule any more.
        List<Release> releases = new ArrayList<>();
        for (Rule rule : planner.policy().rules()) {
            if (isCached(planner.policy()) && rules.contains(rule)) {
                releases.add(new Release(ofRule(planner.stem(rule)), attributes.idsOf(rule)));
            }
        }
        // Only after the loop: idsOf throws if the attributes lack the id of a rule.
        releases.forEach(one -> one.denials().beginRelease(one.ids()));
        return () -> releases.forEach(one -> one.denials().endRelease(one.ids(), System.nanoTime()));
    }

    private record Release(RuleDenials denials, List<String> ids) {}

    /** Whether denials by a policy are cached; false if a rule counts attempts, as it charges denied requests. */
    private static boolean isCached(Policy policy) {
        for (Rule rule : policy.rules()) {
            if (rule.countsAttempts()) {
                return false;
            }
        }
        return true;
    }

    /** Drops the denials of these ids, as another engine has released permits of them. */
    void released(String stem, List<String> ids, long nowNanos) {
        find(stem).ifPresent(denials -> denials.released(ids, nowNanos));
    }

    /** Drops the denials of all ids of a rule, as another engine has changed the rule. */
    void ruleChanged(String stem, long nowNanos) {
        find(stem).ifPresent(denials -> denials.releasedAll(nowNanos));
    }

    /** Drops all denials, and does not cache denials of requests that were sent before the given {@link System#nanoTime()}. */
    public void clear(long nowNanos) {
        byStem.forEach(denials -> denials.releasedAll(nowNanos));
    }

    /** Records the time of a request if the application provides the clock, which may go back. */
    public void observeTime(PolicyPlanner planner, long nowMicros) {
        if (planner.isTimeGiven()) {
            planner.stems().forEach(stem -> ofRule(stem).observeTime(nowMicros));
        }
    }

    /** The number of rules in the cache, which may include some that no limiter has any more. */
    int rules() {
        return byStem.size();
    }

    /** Returns the denials of a rule, which remain cached as long as the caller references them. */
    RuleDenials ofRule(String stem) {
        return byStem.of(stem);
    }

    /** Returns the denials of a rule, if there are any in the cache. */
    Optional<RuleDenials> find(String stem) {
        return byStem.find(stem);
    }

    /** The cached denials of one version of a policy, which a limiter references as long as it uses the version. */
    public static final class View {

        private final Policy policy;

        /** The denials of each rule, in the order of the rules. */
        private final List<RuleDenials> byRule;

        /** The rules that can deny. */
        private final Denying[] denying;

        private final boolean timeGiven;
        private final boolean isCached;

        /** Whether a rule bans. Of such a rule only bans are cached, because it counts the other denials. */
        private final boolean hasBans;

        /** The most permits that can be admitted. A request for more is sent to Redis, whose decision states that it is never admitted. */
        private final long maxPermits;

        private View(Policy policy, List<RuleDenials> byRule, boolean timeGiven) {
            this.policy = policy;
            this.byRule = byRule;
            this.timeGiven = timeGiven;
            this.isCached = isCached(policy);
            this.hasBans = policy.rules().stream().anyMatch(rule -> rule.ban().isPresent());
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

            @Nullable
            Denial find(Attributes attributes, long permits, long nowMicros) {
                // Looking up a single id is faster than checking whether the cache is empty.
                return rule.dimensions().size() == 1
                        ? denials.find(rule, attributes.idOf(rule), permits, nowMicros)
                        : denials.isEmpty() ? null : denials.find(rule, attributes.idsOf(rule), permits, nowMicros);
            }
        }

        /**
         * Returns the decision if a cached denial denies the request; null if it must be sent to Redis.
         *
         * @param nowMicros the time by the clock of this process or by that of the application
         */
        public @Nullable Decision find(Attributes attributes, long permits, long nowMicros) {
            Denial longest = longest(attributes, permits, nowMicros);
            return longest == null || longest.check().isDue(nowMicros) ? null : decision(longest, nowMicros);
        }

        /**
         * Returns the decision if a cached ban denies the request, for a request that can't be sent to Redis; null if there is none.
         *
         * @param nowMicros the time by the clock of this process or by that of the application
         */
        public @Nullable Decision findBan(Attributes attributes, long permits, long nowMicros) {
            Denial longest = longest(attributes, permits, nowMicros);
            return longest != null && longest.isBan() ? decision(longest, nowMicros) : null;
        }

        @Nullable
        Denial longest(Attributes attributes, long permits, long nowMicros) {
            boolean bansOnly = isNeverAdmitted(permits);
            if (bansOnly && !hasBans) {
                return null;
            }
            Denial longest = null;
            for (Denying one : denying) {
                if (timeGiven && one.denials().isBeforeLatest(nowMicros)) {
                    continue;
                }
                Denial denial = one.find(attributes, permits, nowMicros);
                if (denial != null && bansOnly && !denial.isBan()) {
                    continue;
                }
                if (denial != null && (longest == null || denial.untilMicros() > longest.untilMicros())) {
                    longest = denial;
                }
            }
            return longest;
        }

        Decision decision(Denial denial, long nowMicros) {
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
                if (one.rule().ban().isPresent() && one.bannedFor().isEmpty()) {
                    denials.notBanned(request.attributes().idsOf(one.rule()));
                    continue;
                }
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

        Policy policy() {
            return policy;
        }

        /** Whether a request is for more permits than can ever be admitted. */
        boolean isNeverAdmitted(long permits) {
            return permits > maxPermits;
        }

        /** Records the time of a request if the application provides the clock. */
        public void observeTime(long nowMicros) {
            if (timeGiven) {
                byRule.forEach(denials -> denials.observeTime(nowMicros));
            }
        }

        /** Drops the denials of rules that the next version of the policy changes or removes, or whose overrides it changes. */
        public void drop(Collection<Rule> changed) {
            for (int i = 0; i < byRule.size(); i++) {
                if (changed.contains(policy.rules().get(i))) {
                    byRule.get(i).clear();
                }
            }
        }
    }
}
