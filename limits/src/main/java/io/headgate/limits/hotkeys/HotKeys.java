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
 * Counts which keys are asked most and which are denied most, by policy, in bounded memory and at a bounded cost.
 *
 * <pre>{@code
 * HotKeys hot = HotKeys.create();
 * LimitEngine limits = InMemoryLimitEngine.builder().listener(hot).build();
 * ...
 * hot.top("api", Instant.now()).ifPresent(top -> top.denied().first(10).keys().forEach(System.out::println));
 * }</pre>
 *
 * <p>What it tells is of this minute and the one before, by the clock of the engine; older ones are forgotten.
 *
 * <p><b>How exact.</b> It is the sketch Space-Saving (Metwally, Agrawal, El Abbadi, 2005) with m counters for each rule. Of N
 * decisions, a count is never too low and at most N/m too high, and a key that was counted more than N/m times is listed; the
 * same of N denials. Each key says how far its own count may be off, which is mostly much less. That holds for all keys
 * together, so for no bound on how many there are.
 *
 * <p><b>How much it costs.</b> It looks at every decision while there are fewer than some 1000 a second of a policy, and at a
 * random one in 2, 4, 8 … up to 65 536 when there are more, so that it looks at about as many. Each of these then counts for
 * so many. So a count of c has a standard deviation of at most sqrt(c * oneIn) as well.
 *
 * <p><b>How much it keeps.</b> Of each policy, for two minutes, m keys for each rule that are asked and m that are denied, with
 * ids of at most 128 characters. Of policies the first 100; another one when one of them has not been asked for two minutes.
 *
 * <p>Safe for use by several threads, which wait for each other no longer than it takes to count one key.
 */
public final class HotKeys implements LimitListener {

    /** How many policies are counted. */
    public static final int MAX_POLICIES = 100;

    private static final int COUNTERS = 256;

    private final int counters;
    private final Map<String, PolicyKeys> policies = new ConcurrentHashMap<>();

    /** One of them that was asked lately, and most likely is again: not to be looked for. */
    private volatile @Nullable PolicyKeys latest;

    private final AtomicLong sweptMinute = new AtomicLong(Long.MIN_VALUE);

    private HotKeys(int counters) {
        this.counters = (int) Bounds.inRange("counters", counters, 1, 4096);
    }

    /** With {@value #COUNTERS} counters, so that counts are at most 0.4 % of all too high. */
    public static HotKeys create() {
        return withCounters(COUNTERS);
    }

    /**
     * With so many counters for each rule.
     *
     * @throws IllegalArgumentException unless there are 1 to 4096
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
            // It made room for another policy just now.
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

    /** The policies that are counted, by name. */
    public List<String> policies() {
        return List.copyOf(new TreeSet<>(policies.keySet()));
    }

    /**
     * What is known of a policy, of the minute of that instant and the one before.
     *
     * @param now by the clock of the engine
     * @return nothing when none of its decisions are counted
     */
    public Optional<TopKeys> top(String policy, Instant now) {
        Instant from = Instant.ofEpochSecond(Math.floorDiv(now.getEpochSecond(), 60L) * 60 - 60);
        List<TopKeys> minutes = minutes(policy).stream()
                .filter(minute ->
                        !minute.from().isBefore(from) && !minute.from().isAfter(now))
                .toList();
        return minutes.isEmpty() ? Optional.empty() : Optional.of(TopKeys.merged(policy, from, minutes));
    }

    /** The same of each minute alone, of the last two in which the policy was asked; for engines. */
    public List<TopKeys> minutes(String policy) {
        PolicyKeys keys = policies.get(policy);
        return keys == null ? List.of() : keys.minutes();
    }

    /** How many keys are kept, over all. */
    int size() {
        return policies.values().stream().mapToInt(PolicyKeys::size).sum();
    }
}
