package io.headgate.limits.hotkeys;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.LimitListener;
import io.headgate.limits.Policy;
import io.headgate.limits.internal.Bounds;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Finds the most requested and the most denied keys of each policy, in bounded memory and at a bounded cost.
 *
 * <pre>{@code
 * HotKeys hot = HotKeys.create();
 * LimitEngine limits = InMemoryLimitEngine.builder().listener(hot).build();
 * ...
 * hot.top("api", Instant.now()).ifPresent(top -> top.denied().first(10).keys().forEach(System.out::println));
 * }</pre>
 *
 * <p>Counts cover the current minute and the one before, by the clock of the engine.
 *
 * <p><b>Accuracy.</b> The sketch is Space-Saving (Metwally, Agrawal, El Abbadi, 2005) with m counters for the requested keys of each rule
 * that has dimensions, and m for the denied keys of the policy. Of N decisions, a count is never too low and at most N/m too high, and
 * each key with more than N/m decisions is listed. The same is true for N denials.
 * {@link HotKey#error()} is the error bound of one key, which is usually much smaller. The bounds do not depend on the number of
 * distinct keys.
 *
 * <p><b>Cost.</b> It counts every decision of a policy with fewer than about 1000 decisions a second. Above that, it samples one in 2,
 * 4, 8 … up to 65 536 decisions at random, to keep that rate. A sampled decision counts as often as the number of decisions that it
 * represents. So a count of c also has a standard deviation of at most sqrt(c * {@link TopKeys#oneIn() oneIn}).
 *
 * <p><b>Memory.</b> For each policy and each of two minutes, m requested keys per rule with dimensions, and m denied keys, with ids of at
 * most 128 characters. It counts the first 100 policies; a further policy replaces one that has had no request in this minute and the one
 * before, if there is one.
 *
 * <p>Safe for use by several threads. A lock per policy is held only while one decision is counted.
 */
public final class HotKeys implements LimitListener {

    /** The maximum number of policies that are counted. */
    public static final int MAX_POLICIES = 100;

    private static final int COUNTERS = 256;

    private final int counters;
    private final Map<String, PolicyKeys> policies = new ConcurrentHashMap<>();

    /** The policy of a recent request. The next request is most likely for the same policy, which then saves a lookup. */
    private volatile @Nullable PolicyKeys latest;

    private final AtomicLong sweptMinute = new AtomicLong(Long.MIN_VALUE);

    private HotKeys(int counters) {
        this.counters = (int) Bounds.inRange("counters", counters, 1, 4096);
    }

    /** Returns an instance with {@value #COUNTERS} counters per rule, so a count is too high by at most 0.4 % of the policy's decisions. */
    public static HotKeys create() {
        return withCounters(COUNTERS);
    }

    /**
     * Returns an instance with the given number of counters per rule.
     *
     * @throws IllegalArgumentException if the number is not between 1 and 4096
     */
    public static HotKeys withCounters(int counters) {
        return new HotKeys(counters);
    }

    @Override
    public void onDecision(Policy policy, Attributes attributes, long permits, Decision decision, long elapsedNanos) {
        long atMicros = decision.decidedAtMicros();
        PolicyKeys keys = latest;
        if (keys == null || !keys.isOf(policy)) {
            keys = keysOf(policy, atMicros);
        }
        int weight = keys == null ? 0 : keys.weightAt(atMicros);
        while (keys != null && weight > 0) {
            if (keys.count(policy, attributes, decision, atMicros, weight)) {
                latest = keys;
                return;
            }
            // These counters were dropped just now, to make room for another policy.
            keys = keysOf(policy, atMicros);
        }
    }

    private @Nullable PolicyKeys keysOf(Policy policy, long atMicros) {
        PolicyKeys keys = policies.get(policy.name());
        return keys == null ? added(policy.name(), atMicros) : keys;
    }

    private @Nullable PolicyKeys added(String policy, long atMicros) {
        if (policies.size() >= MAX_POLICIES) {
            long minute = PolicyKeys.minute(atMicros);
            if (sweptMinute.getAndSet(minute) != minute) {
                policies.values().removeIf(keys -> keys.dropIfOver(minute));
            }
            if (policies.size() >= MAX_POLICIES) {
                return null;
            }
        }
        return policies.computeIfAbsent(policy, name -> new PolicyKeys(name, counters));
    }

    /** Returns the names of the counted policies. */
    public List<String> policies() {
        return List.copyOf(new TreeSet<>(policies.keySet()));
    }

    /**
     * Returns the most requested and denied keys of a policy, in the minute of an instant and the minute before.
     *
     * @param now the instant, by the clock of the engine
     * @return the keys; empty if no decision of the policy was counted in these minutes
     */
    public Optional<TopKeys> top(String policy, Instant now) {
        Instant from = Instant.ofEpochSecond(Math.floorDiv(now.getEpochSecond(), 60L) * 60 - 60);
        List<TopKeys> minutes = minutes(policy).stream()
                .filter(minute ->
                        !minute.from().isBefore(from) && !minute.from().isAfter(now))
                .toList();
        return minutes.isEmpty() ? Optional.empty() : Optional.of(TopKeys.merged(policy, from, minutes));
    }

    /**
     * Returns the keys of the last minute with requests and, before it in the list, those of the previous minute if that had requests.
     * For engines that merge the keys of several instances.
     */
    public List<TopKeys> minutes(String policy) {
        PolicyKeys keys = policies.get(policy);
        return keys == null ? List.of() : keys.minutes();
    }

    /** The number of stored keys of all policies. */
    int size() {
        return policies.values().stream().mapToInt(PolicyKeys::size).sum();
    }
}
