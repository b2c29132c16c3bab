package io.headgate.limits.hotkeys;

import io.headgate.limits.Decision;
import java.time.Instant;
import java.util.List;

/**
 * The most requested and the most denied keys of a policy.
 *
 * <p>Under high traffic, the counts are estimates from a sample, in which one decision represents up to {@code oneIn} decisions. A
 * count of c then has a standard deviation of at most {@code sqrt(c * oneIn)}, in addition to its {@linkplain HotKey#error() error}.
 *
 * @param policy the name of the policy
 * @param from the start of the counts, by the clock of the engine
 * @param requested the requested keys; rules without dimensions have a single key and are omitted
 * @param denied the denied keys: for each denied request, the key of the rule that {@linkplain Decision#deniedBy() denied} it
 * @param oneIn the lowest sampling rate: at least one in {@code oneIn} decisions was counted; 1 if all were counted
 */
public record TopKeys(String policy, Instant from, KeyCounts requested, KeyCounts denied, int oneIn) {

    /** Merges the counts of several parts of a policy, such as instances or minutes. */
    public static TopKeys merged(String policy, Instant from, List<TopKeys> parts) {
        return new TopKeys(
                policy,
                from,
                KeyCounts.merged(parts.stream().map(TopKeys::requested).toList()),
                KeyCounts.merged(parts.stream().map(TopKeys::denied).toList()),
                parts.stream().mapToInt(TopKeys::oneIn).max().orElse(1));
    }

    /** Returns the first {@code most} keys of each list only. */
    public TopKeys first(int most) {
        return new TopKeys(policy, from, requested.first(most), denied.first(most), oneIn);
    }
}
