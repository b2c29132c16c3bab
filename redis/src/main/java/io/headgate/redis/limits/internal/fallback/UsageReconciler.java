package io.headgate.redis.limits.internal.fallback;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.Policy;
import io.headgate.limits.Rule;
import io.headgate.limits.RuleDecision;
import io.headgate.limits.TimeSource;
import io.headgate.limits.internal.HeapBounds;
import io.headgate.limits.internal.Micros;
import io.headgate.limits.internal.memory.LocalShare;
import io.headgate.redis.internal.connection.Reconciler;
import io.headgate.redis.limits.internal.calls.BoundedAttributes;
import io.headgate.redis.limits.internal.calls.LimitFailures;
import io.headgate.redis.limits.internal.calls.PolicyCalls;
import io.headgate.redis.limits.internal.denials.WeaklyByStem;
import io.headgate.redis.limits.internal.planner.PolicyPlanner;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * Charges in Redis the permits that an engine admitted by local shares during an outage. It charges only permits that still count in the
 * share, and only as many as the limit has room for. Charged permits continue to count in the share until they expire there, so they are
 * not spent twice while some instances still decide locally. Safe for use by several threads.
 */
public final class UsageReconciler implements Reconciler {

    /** The maximum memory of the unsynced usage under all policies: a twelfth of the heap. */
    private static final long MAX_BYTES = HeapBounds.bytes(12, 1_000_000, 100_000_000);

    private static final int MAX_KEYS_PER_BATCH = 512;

    /** The usage of longer ids is not charged after an outage. */
    private static final int MAX_ID_CHARACTERS = 1024;

    private final Function<Policy, PolicyPlanner> planners;
    private final PolicyCalls calls;
    private final TimeSource time;
    private final long overdueMicros;
    private final Runnable onUnsynced;
    private final UnsyncedUsage.ByteBudget budget = new UnsyncedUsage.ByteBudget(MAX_BYTES);

    /**
     * The unsynced usage by the stem of keys and the limit, as several limiters may count under the same keys with different limits. It
     * remains reachable while a policy uses it or has unsynced usage.
     */
    private final WeaklyByStem<UnsyncedUsage> usage = new WeaklyByStem<>(() -> new UnsyncedUsage(budget));

    /**
     * The policies with unsynced usage, by that usage: versions and variants (with the limits of an override) that have the same keys and
     * limits replace each other.
     */
    private final Map<List<UnsyncedUsage>, OfPolicy> unsynced = new ConcurrentHashMap<>();

    /**
     * Creates the reconciler of an engine.
     *
     * @param time the clock of the counters in memory
     * @param timeout the time after which no reply is expected
     * @param onUnsynced runs when there is unsynced usage of a policy that had none
     */
    UsageReconciler(
            Function<Policy, PolicyPlanner> planners,
            PolicyCalls calls,
            TimeSource time,
            Duration timeout,
            Runnable onUnsynced) {
        this.planners = planners;
        this.calls = calls;
        this.time = time;
        this.overdueMicros = Math.max(Micros.of(timeout), TimeUnit.SECONDS.toMicros(1));
        this.onUnsynced = onUnsynced;
    }

    /** Creates the access to the unsynced usage of a version of a policy that decides by this share. */
    OfPolicy of(PolicyPlanner planner, LocalShare share) {
        return new OfPolicy(planner, share);
    }

    @Override
    public boolean isSynced() {
        return unsynced.isEmpty();
    }

    @Override
    public CompletableFuture<Void> syncAll() {
        // Permits that are admitted from now on are charged later.
        long untouchedSinceMicros = time.nowMicros();
        return Reconciler.syncForASecond(() -> syncBatch(untouchedSinceMicros));
    }

    @Override
    public CompletableFuture<Integer> syncOverdue() {
        // By then a late reply has arrived, if there is one: permits that Redis has charged must not be charged twice.
        return syncBatch(time.nowMicros() - overdueMicros);
    }

    private CompletableFuture<Integer> syncBatch(long untouchedSinceMicros) {
        CompletableFuture<Integer> all = CompletableFuture.completedFuture(0);
        for (OfPolicy policy : List.copyOf(unsynced.values())) {
            all = all.thenCompose(keys -> keys >= MAX_KEYS_PER_BATCH
                    ? CompletableFuture.completedFuture(keys)
                    : sync(policy, MAX_KEYS_PER_BATCH - keys, untouchedSinceMicros)
                            .thenApply(more -> keys + more));
        }
        return all;
    }

    private CompletableFuture<Integer> sync(OfPolicy policy, int maxKeys, long untouchedSinceMicros) {
        return policy.sync(maxKeys, untouchedSinceMicros).whenComplete((any, problem) -> {
            if (!policy.hasUnsynced()) {
                unsynced.remove(policy.ofRules);
                // Another thread that has just added usage may have found the policy in the map.
                if (policy.hasUnsynced()) {
                    addUnsynced(policy);
                }
            }
        });
    }

    private void addUnsynced(OfPolicy policy) {
        if (unsynced.get(policy.ofRules) != policy && unsynced.put(policy.ofRules, policy) == null) {
            onUnsynced.run();
        }
    }

    /** The number of ids of rules with unsynced usage. */
    public long unsyncedIds() {
        return unsynced.keySet().stream()
                .flatMap(List::stream)
                .distinct()
                .mapToLong(UnsyncedUsage::size)
                .sum();
    }

    /** The number of policies, including versions and variants, with unsynced usage. */
    int unsyncedPolicies() {
        return unsynced.size();
    }

    /** The unsynced usage under one version of a policy. Versions with the same keys and limit share it. */
    final class OfPolicy {

        private final Policy policy;
        private final Set<String> dimensions;
        private final LocalShare share;

        /** The usage of each rule, in the order of the rules. */
        private final List<UnsyncedUsage> ofRules;

        /** The planners by the index of the rule, each created when first needed: usage is charged to each rule separately. */
        private final Map<Integer, PolicyPlanner> chargePlanners = new ConcurrentHashMap<>();

        private OfPolicy(PolicyPlanner planner, LocalShare share) {
            this.policy = planner.policy();
            List<String> stems = planner.stems();
            this.dimensions = policy.dimensions();
            this.share = share;
            this.ofRules = IntStream.range(0, stems.size())
                    .mapToObj(i ->
                            usage.of(stems.get(i) + '\n' + policy.rules().get(i).limit()))
                    .toList();
        }

        private PolicyPlanner chargePlanner(int ruleIndex) {
            return chargePlanners.computeIfAbsent(
                    ruleIndex,
                    index -> planners.apply(chargePolicy(policy.rules().get(index))));
        }

        /**
         * A policy with only this rule that charges as much as it can: not in shadow mode, and counting no attempts. It begins no
         * bans, as no client was denied.
         */
        private Policy chargePolicy(Rule rule) {
            return Policy.named(policy.name())
                    .colocate(policy.colocation())
                    .rule(new Rule(rule.name(), rule.limit(), rule.dimensions()))
                    .build();
        }

        /** Adds the permits of a decision by which the share has admitted a request. */
        void admitted(Attributes attributes, String[] keys, Decision decision, long nowMicros) {
            Attributes own = BoundedAttributes.of(attributes, dimensions, MAX_ID_CHARACTERS);
            if (own == null) {
                return;
            }
            for (int i = 0; i < keys.length; i++) {
                if (decision.rules().get(i).allowed()) {
                    ofRules.get(i).add(keys[i], own, decision.charged(), nowMicros);
                }
            }
            // Not always: usage beyond the budget of bytes is dropped.
            if (hasUnsynced()) {
                addUnsynced(this);
            }
        }

        /**
         * Removes the permits of such a decision, because they were refunded or Redis has charged them. Returns how many of them were
         * uncharged; if the rules differ, the largest number.
         */
        long settled(String[] keys, Decision decision) {
            List<RuleDecision> rules = decision.rules();
            long removed = 0;
            for (int i = 0; i < Math.min(keys.length, rules.size()); i++) {
                if (rules.get(i).allowed()) {
                    removed = Math.max(removed, ofRules.get(i).remove(keys[i], decision.charged()));
                }
            }
            return removed;
        }

        private boolean hasUnsynced() {
            for (UnsyncedUsage ofRule : ofRules) {
                if (!ofRule.isEmpty()) {
                    return true;
                }
            }
            return false;
        }

        /**
         * Charges the usage of up to this number of keys, and completes with their number. If Redis is not available, it fails, and the
         * remaining usage is still unsynced.
         */
        private CompletableFuture<Integer> sync(int maxKeys, long untouchedSinceMicros) {
            List<CompletableFuture<?>> charges = new ArrayList<>();
            for (int i = 0; i < ofRules.size(); i++) {
                for (Map.Entry<String, UnsyncedUsage.Spent> one :
                        ofRules.get(i).take(maxKeys - charges.size(), untouchedSinceMicros)) {
                    charges.add(charge(i, one.getKey(), one.getValue()));
                }
            }
            return CompletableFuture.allOf(charges.toArray(CompletableFuture[]::new))
                    .thenApply(all -> charges.size());
        }

        private CompletableFuture<?> charge(int ruleIndex, String key, UnsyncedUsage.Spent spent) {
            long permits = Math.min(spent.permits(), share.used(ruleIndex, spent.attributes()));
            if (permits <= 0) {
                return CompletableFuture.completedFuture(null);
            }
            AtomicLong charged = new AtomicLong();
            return calls.acquireUpTo(chargePlanner(ruleIndex), spent.attributes(), permits, charged::addAndGet)
                    .<CompletableFuture<?>>handle((all, problem) -> {
                        if (problem == null || LimitFailures.concernsOneKey(problem)) {
                            // A key with a foreign value can't be charged, now or later.
                            return CompletableFuture.completedFuture(null);
                        }
                        long rest = permits - charged.get();
                        if (rest > 0) {
                            ofRules.get(ruleIndex).add(key, spent.attributes(), rest, spent.latestMicros());
                        }
                        return CompletableFuture.failedFuture(problem);
                    })
                    .thenCompose(result -> result);
        }
    }
}
