package io.headgate.redis.capacity;

import io.headgate.limits.internal.BoundedId;
import io.headgate.limits.internal.Bounds;
import io.headgate.redis.limits.internal.planner.KeyText;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/** The number and length of the ids of a plan, and the share that sends requests. Not safe for use by several threads. */
final class PlannedIds {

    static final long MAX_IDS = 100_000_000_000L;

    private final Map<List<String>, Long> counts = new LinkedHashMap<>();
    private final Map<String, Integer> lengths = new HashMap<>();
    private int length = 16;
    private double activeShare = 1;

    void count(List<String> dimensions, long count) {
        counts.put(
                List.copyOf(dimensions), Bounds.inRange("ids of " + String.join(",", dimensions), count, 1, MAX_IDS));
    }

    void length(int characters) {
        this.length = (int) Bounds.inRange("length of ids", characters, 1, 10_000);
    }

    void length(String dimension, int characters) {
        lengths.put(dimension, (int) Bounds.inRange("length of ids of " + dimension, characters, 1, 10_000));
    }

    void activeShare(double share) {
        if (!(share > 0 && share <= 1)) {
            throw new IllegalArgumentException("active share must be more than 0 and at most 1, was " + share);
        }
        this.activeShare = share;
    }

    double activeShare() {
        return activeShare;
    }

    /** The number of ids of a dimension; empty if none was given. */
    OptionalLong of(String dimension) {
        Long count = counts.get(List.of(dimension));
        return count == null ? OptionalLong.empty() : OptionalLong.of(count);
    }

    /**
     * The number of keys of a rule: the number that was given for its dimensions, or every combination of their ids.
     *
     * @throws IllegalArgumentException if the number of ids of a dimension was not given, or there would be too many combinations
     */
    long keys(String rule, List<String> dimensions) {
        Long combinations = counts.get(dimensions);
        if (combinations != null) {
            return combinations;
        }
        double count = 1;
        for (String dimension : dimensions) {
            count *= of(dimension)
                    .orElseThrow(() -> new IllegalArgumentException(
                            "rule " + rule + " counts by " + dimension + ", whose number of ids is not given"));
        }
        if (count > MAX_IDS) {
            throw new IllegalArgumentException("rule " + rule + " would have more than " + MAX_IDS
                    + " keys; give the number of combinations of " + String.join(",", dimensions));
        }
        return (long) count;
    }

    /** The number of keys whose ids send requests. */
    double activeKeys(String rule, List<String> dimensions) {
        return Math.max(1, keys(rule, dimensions) * activeShare);
    }

    /** The number of characters that the ids of these dimensions have in a key. */
    int length(List<String> dimensions) {
        int commas = Math.max(0, dimensions.size() - 1);
        return commas
                + dimensions.stream()
                        .mapToInt(dimension -> inKey(lengths.getOrDefault(dimension, length)))
                        .sum();
    }

    /** The number of characters that an id of this length has in a key; a long id is stored as a hash. */
    static int inKey(int length) {
        return length > KeyText.MAX_LENGTH ? BoundedId.hashed("").length() : length;
    }
}
