package io.headgate.limits.internal;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.LimiterException;
import io.headgate.limits.Policy;
import io.headgate.limits.TimeSource;
import io.headgate.limits.internal.decision.EngineDecisions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The pauses of an engine that this process knows. A decision looks up one key for each set of dimensions by which requests of its policy
 * are paused. Without any pause, it reads one field. Each change replaces all groups, as changes are rare and pauses are few. Safe for use
 * by any number of threads.
 */
public final class Pauses {

    /** The most targets that are paused at the same time, of all policies. */
    public static final int MAX_PAUSES = 1000;

    private static final long TOLERANCE_MICROS = 100_000;
    private static final Duration MIN_PAUSE = Duration.ofMillis(1);
    private static final Duration MAX_PAUSE = Duration.ofDays(1);

    /**
     * What is paused: the requests to a policy with these values of these dimensions, or all of them if there are none.
     *
     * @param dimensions some of the policy's dimensions, in alphabetical order
     * @param ids the value of each, in the form in which it is stored
     */
    public record Target(String policy, List<String> dimensions, List<String> ids) {}

    /** The pauses by the same dimensions: the end of each, in microseconds since 1970 by the clock of the engine. */
    private record Group(List<String> dimensions, Map<List<String>, Long> ends) {}

    private final TimeSource time;
    private final UnaryOperator<String> idText;
    private final ReentrantLock lock = new ReentrantLock();
    private Map<Target, Long> ends = new HashMap<>();
    private volatile Map<String, List<Group>> byPolicy = Map.of();

    /**
     * Creates pauses of an engine that has none yet.
     *
     * @param idText the form in which the engine stores an id
     */
    public Pauses(TimeSource time, UnaryOperator<String> idText) {
        this.time = time;
        this.idText = idText;
    }

    /**
     * Returns what a call of {@code pause} or {@code resume} names.
     *
     * @throws IllegalArgumentException if the policy can't be paused, or an attribute is empty or not one of its dimensions
     */
    public Target target(Policy policy, Attributes attributes) {
        if (!policy.pausable()) {
            throw new IllegalArgumentException(
                    "policy " + policy.name() + " can't be paused; build it with pausable(), in YAML pausable: true");
        }
        List<String> dimensions = attributes.asMap().keySet().stream().sorted().toList();
        for (String dimension : dimensions) {
            if (!policy.dimensions().contains(dimension)) {
                throw new IllegalArgumentException("policy " + policy.name() + " can't be paused by "
                        + Quoted.of(dimension) + ", which is none of its dimensions " + policy.dimensions());
            }
        }
        List<String> ids = dimensions.stream()
                .map(dimension ->
                        idText.apply(Bounds.id(dimension, attributes.asMap().getOrDefault(dimension, ""))))
                .toList();
        return new Target(policy.name(), dimensions, ids);
    }

    /** Checks the length of a pause, and returns it in microseconds, rounded up. */
    public static long micros(Duration pause) {
        if (pause.compareTo(MIN_PAUSE) < 0 || pause.compareTo(MAX_PAUSE) > 0) {
            throw new IllegalArgumentException("a pause must be from 1 ms to 1 day, was " + pause);
        }
        return Micros.of(pause.plusNanos(999));
    }

    /** Returns the failure of a pause beyond the bound. */
    public static LimiterException tooMany(String policy) {
        return new LimiterException(
                "pause", "of policy " + policy, MAX_PAUSES + " other keys are paused, the most at a time", false, null);
    }

    /**
     * Pauses a target, unless it is paused for longer already. Returns how long it is paused now, in microseconds.
     *
     * @throws LimiterException if {@value #MAX_PAUSES} other targets are paused
     */
    public long pause(Target target, long micros) {
        lock.lock();
        try {
            long now = time.nowMicros();
            ends.values().removeIf(end -> end <= now);
            if (ends.size() >= MAX_PAUSES && !ends.containsKey(target)) {
                throw tooMany(target.policy());
            }
            long end = ends.merge(target, now + micros, Math::max);
            group();
            return end - now;
        } finally {
            lock.unlock();
        }
    }

    /** Ends the pause of a target; returns whether it was paused. */
    public boolean resume(Target target) {
        lock.lock();
        try {
            Long end = ends.remove(target);
            group();
            return end != null && end > time.nowMicros();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Replaces all pauses.
     *
     * @param rests how long each target is paused from now on, in microseconds
     * @return whether a pause has ended earlier than it would have without this call
     */
    public boolean replaceAll(Map<Target, Long> rests) {
        lock.lock();
        try {
            long now = time.nowMicros();
            Map<Target, Long> replaced = new HashMap<>();
            rests.forEach((target, rest) -> replaced.put(target, now + rest));
            // The rest of the same pause differs a little between two replies.
            boolean resumed = ends.entrySet().stream()
                    .anyMatch(before -> before.getValue() > now
                            && before.getValue() - replaced.getOrDefault(before.getKey(), now) > TOLERANCE_MICROS);
            ends = replaced;
            group();
            return resumed;
        } finally {
            lock.unlock();
        }
    }

    /** Ends all pauses. */
    public void clear() {
        replaceAll(Map.of());
    }

    private void group() {
        Map<String, Map<List<String>, Map<List<String>, Long>>> grouped = new HashMap<>();
        ends.forEach((target, end) -> grouped.computeIfAbsent(target.policy(), policy -> new HashMap<>())
                .computeIfAbsent(target.dimensions(), dimensions -> new HashMap<>())
                .put(target.ids(), end));
        Map<String, List<Group>> groups = new HashMap<>();
        grouped.forEach((policy, byDimensions) -> groups.put(
                policy,
                byDimensions.entrySet().stream()
                        .map(group -> new Group(group.getKey(), group.getValue()))
                        .toList()));
        byPolicy = groups;
    }

    /** Whether nothing is paused. */
    public boolean isEmpty() {
        return byPolicy.isEmpty();
    }

    /** Returns the decision on a request that is paused; null if it is not. */
    public @Nullable Decision find(Policy policy, Attributes attributes) {
        Map<String, List<Group>> all = byPolicy;
        if (all.isEmpty() || !policy.pausable()) {
            return null;
        }
        long now = time.nowMicros();
        long latest = 0;
        for (Group group : all.getOrDefault(policy.name(), List.of())) {
            latest = Math.max(latest, end(group, attributes.asMap()));
        }
        return latest > now ? EngineDecisions.paused(policy, now, latest - now) : null;
    }

    private long end(Group group, Map<String, String> attributes) {
        List<String> ids = new ArrayList<>(group.dimensions().size());
        for (String dimension : group.dimensions()) {
            String id = attributes.get(dimension);
            if (id == null) {
                return 0;
            }
            ids.add(idText.apply(id));
        }
        return group.ends().getOrDefault(ids, 0L);
    }
}
