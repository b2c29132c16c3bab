package io.headgate.spring.test;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.Hold;
import io.headgate.limits.InFlightLimiter;
import io.headgate.limits.InFlightPolicy;
import io.headgate.limits.InFlightRule;
import io.headgate.limits.LimitEngine;
import io.headgate.limits.LimitListener;
import io.headgate.limits.Limiter;
import io.headgate.limits.Policy;
import io.headgate.limits.Rule;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** Records the keys that a test uses, and resets them. Safe for use by any number of threads. */
final class UsedKeys implements LimitListener {

    static final int MAX_KEYS = 100_000;

    private final LimitEngine engine;
    private final Map<Policy, Set<Attributes>> keys = new ConcurrentHashMap<>();
    private final Map<InFlightPolicy, Set<Attributes>> inFlight = new ConcurrentHashMap<>();
    private final AtomicInteger count = new AtomicInteger();

    /** Creates an instance that records the keys of all later requests. */
    UsedKeys(LimitEngine engine) {
        this.engine = engine;
        engine.addListener(this);
    }

    @Override
    public void onDecision(Policy policy, Attributes attributes, long permits, Decision decision, long elapsedNanos) {
        add(keys.computeIfAbsent(policy, used -> ConcurrentHashMap.newKeySet()), attributes);
    }

    @Override
    public void onHold(InFlightPolicy policy, Attributes attributes, long permits, Hold hold, long elapsedNanos) {
        add(inFlight.computeIfAbsent(policy, used -> ConcurrentHashMap.newKeySet()), attributes);
    }

    private void add(Set<Attributes> used, Attributes attributes) {
        if (count.get() < MAX_KEYS && used.add(attributes)) {
            count.incrementAndGet();
        }
    }

    /**
     * Resets all keys that were used since the last call.
     *
     * @throws IllegalStateException if there were too many to record them
     */
    void reset() {
        boolean tooMany = count.getAndSet(0) >= MAX_KEYS;
        keys.forEach((policy, used) -> {
            Limiter limiter = engine.limiter(policy);
            used.forEach(attributes -> reset(limiter, attributes));
        });
        keys.clear();
        inFlight.forEach((policy, used) -> {
            InFlightLimiter limiter = engine.inFlight(policy);
            used.forEach(attributes -> reset(limiter, attributes));
        });
        inFlight.clear();
        if (tooMany) {
            throw new IllegalStateException("tests used " + MAX_KEYS
                    + " keys or more since the last reset, which is more than are recorded; close the context, for example"
                    + " by @DirtiesContext");
        }
    }

    private static void reset(Limiter limiter, Attributes attributes) {
        for (Rule rule : limiter.policy().rules()) {
            limiter.resetRule(rule.name(), attributes);
        }
        if (limiter.policy().pausable()) {
            subsets(limiter.policy().dimensions(), attributes).forEach(limiter::resume);
        }
    }

    private static void reset(InFlightLimiter limiter, Attributes attributes) {
        for (InFlightRule rule : limiter.policy().rules()) {
            limiter.resetRule(rule.name(), attributes);
        }
    }

    /** Returns all attributes by which requests with these values may be paused. */
    private static List<Attributes> subsets(Set<String> dimensions, Attributes attributes) {
        List<Map<String, String>> subsets = new ArrayList<>(List.of(Map.of()));
        for (String dimension : dimensions) {
            for (Map<String, String> subset : List.copyOf(subsets)) {
                Map<String, String> more = new HashMap<>(subset);
                more.put(dimension, attributes.asMap().getOrDefault(dimension, ""));
                subsets.add(more);
            }
        }
        return subsets.stream().map(Attributes::of).toList();
    }
}
