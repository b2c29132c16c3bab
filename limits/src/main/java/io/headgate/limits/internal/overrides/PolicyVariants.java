package io.headgate.limits.internal.overrides;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.Policy;
import io.headgate.limits.Rule;
import io.headgate.limits.Rule.LimitOverride;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The objects that an engine prepares for one version of a policy: one for each variant. A variant is a policy without overrides, whose
 * rules have the limits that apply to a request, and are in shadow mode for an exempt request. All variants count under the same keys,
 * as the versions of a policy do.
 *
 * <p>A variant is prepared when a request first needs it. Up to {@value #MAX_VARIANTS} are kept, in two generations: a used variant
 * moves to the younger one, and when that is full, the older one is dropped. A dropped variant is prepared again when it is needed, so
 * it must not store counts. Safe for use by any number of threads.
 *
 * @param <V> the type of the prepared objects
 */
public final class PolicyVariants<V> {

    /** The most variants that are kept, in addition to the policy without overrides. */
    public static final int MAX_VARIANTS = 1024;

    private final Policy policy;
    private final V base;

    /** Null for a policy without overrides. */
    private final @Nullable OverrideIndex overrides;

    private final Function<Policy, V> factory;
    private final ReentrantLock rotating = new ReentrantLock();
    private volatile Map<Object, V> young = new ConcurrentHashMap<>();
    private volatile Map<Object, V> old = new ConcurrentHashMap<>();

    /**
     * Prepares the policy without its overrides.
     *
     * @param factory prepares a variant
     */
    public PolicyVariants(Policy policy, Function<Policy, V> factory) {
        this.policy = policy;
        this.overrides = policy.overrides() instanceof OverrideIndex index ? index : null;
        this.factory = factory;
        this.base = factory.apply(overrides == null ? policy : policy.withOverrides(List.of()));
    }

    /** The policy, with its overrides. */
    public Policy policy() {
        return policy;
    }

    /** Returns the object for requests to which no override applies. */
    public V base() {
        return base;
    }

    /** Whether all requests have the same limits, and none can be paused. */
    public boolean isPlain() {
        return overrides == null && !policy.pausable();
    }

    /** Returns the object for a request with these attributes. */
    public V of(Attributes attributes) {
        return overrides == null ? base : ofKey(overrides.find(attributes, null));
    }

    /**
     * Returns the object for the refund of a decision. A rule has the limit that decided the request if one of its overrides still has
     * that limit, and otherwise the limit for a new request with these attributes.
     */
    public V of(Attributes attributes, Decision decision) {
        return overrides == null ? base : ofKey(overrides.find(attributes, decision));
    }

    /** Returns the object for a request with these attributes that is exempt from the limits: all of its rules are in shadow mode. */
    public V exempt(Attributes attributes) {
        return ofKey(new Exempt(overrides == null ? null : overrides.find(attributes, null)));
    }

    /**
     * The key of a variant whose rules are in shadow mode.
     *
     * @param limits the key of its limits; null for those of the policy
     */
    private record Exempt(@Nullable Object limits) {}

    private V ofKey(@Nullable Object key) {
        if (key == null) {
            return base;
        }
        V known = young.get(key);
        return known != null ? known : olderOrNew(key);
    }

    private V olderOrNew(Object key) {
        if (young.size() >= MAX_VARIANTS / 2) {
            rotate();
        }
        // Not within computeIfAbsent, which locks a part of the map: a factory may take long.
        V kept = old.get(key);
        V made = kept != null ? kept : factory.apply(variant(key));
        V first = young.putIfAbsent(key, made);
        return first == null ? made : first;
    }

    /** How many variants are kept. */
    int size() {
        return young.size() + old.size();
    }

    private Policy variant(Object key) {
        if (key instanceof Exempt exempt) {
            Policy limits = exempt.limits() == null ? policy : variant(exempt.limits());
            // Leased permits are not for exempt requests.
            return variant(limits.rules().stream().map(PolicyVariants::exempt).toList(), Optional.empty());
        }
        return variant(OverrideIndex.apply(key, policy.rules()), policy.lease());
    }

    /** The rule for exempt requests: in shadow mode, and without counting their denials. */
    private static Rule exempt(Rule rule) {
        Rule shadow = rule.inShadow();
        return rule.ban().map(ban -> shadow.banning(ban.paused())).orElse(shadow);
    }

    private Policy variant(List<Rule> rules, Optional<Duration> lease) {
        return new Policy(
                policy.name(), rules, policy.colocation(), lease, policy.fallback(), List.of(), policy.pausable());
    }

    private void rotate() {
        rotating.lock();
        try {
            if (young.size() >= MAX_VARIANTS / 2) {
                old = young;
                young = new ConcurrentHashMap<>();
            }
        } finally {
            rotating.unlock();
        }
    }

    /** Returns the rules of a policy that an update changes or removes, or whose overrides it changes. */
    public static Set<Rule> changedRules(Policy before, Policy after) {
        Set<Rule> changed = new LinkedHashSet<>(before.rules());
        after.rules().forEach(changed::remove);
        if (!before.overrides().equals(after.overrides())) {
            for (Rule rule : before.rules()) {
                if (!overridesOf(rule, before).equals(overridesOf(rule, after))) {
                    changed.add(rule);
                }
            }
        }
        return changed;
    }

    private static List<LimitOverride> overridesOf(Rule rule, Policy policy) {
        return policy.overrides().stream()
                .filter(override -> override.rule().equals(rule.name()))
                .toList();
    }

    /** Whether a policy without overrides is a variant of another policy, or that policy itself without its overrides. */
    public static boolean isVariant(Policy variant, Policy of) {
        List<Rule> rules = of.rules();
        boolean is = variant.name().equals(of.name())
                && variant.colocation() == of.colocation()
                && variant.lease().equals(of.lease())
                && variant.fallback().equals(of.fallback())
                && variant.rules().size() == rules.size();
        for (int i = 0; is && i < rules.size(); i++) {
            Rule rule = variant.rules().get(i);
            is = rule.equals(rules.get(i)) || (of.overrides() instanceof OverrideIndex index && index.has(rule));
        }
        return is;
    }
}
