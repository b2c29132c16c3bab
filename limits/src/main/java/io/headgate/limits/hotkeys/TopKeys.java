package io.headgate.limits.hotkeys;

import io.headgate.limits.Decision;
import java.time.Instant;
import java.util.List;

/**
 * Which keys of a policy are asked most, and which are denied most.
 *
 * <p>What it counts may be a sample, when many are asked: then a decision that was looked at stands for up to {@code oneIn}.
 * A count of c is then estimated with a standard deviation of at most {@code sqrt(c * oneIn)}, beside its {@linkplain
 * HotKey#error() error}.
 *
 * @param policy its name
 * @param from since when, by the clock of the engine
 * @param asked by which keys its rules were asked; a rule without dimensions has only one, which is left out
 * @param denied by which keys requests were denied: of each, that of the rule that {@linkplain Decision#deniedBy() denied} it
 * @param oneIn one in so many decisions was looked at, at the least; 1 when all were
 */
public record TopKeys(String policy, Instant from, KeyCounts asked, KeyCounts denied, int oneIn) {

    /** What several parts know of a policy together, since the same instant or others. */
    public static TopKeys merged(String policy, Instant from, List<TopKeys> parts) {
        return new TopKeys(
                policy,
                from,
                KeyCounts.merged(parts.stream().map(TopKeys::asked).toList()),
                KeyCounts.merged(parts.stream().map(TopKeys::denied).toList()),
                parts.stream().mapToInt(TopKeys::oneIn).max().orElse(1));
    }

    /** The first keys of each. */
    public TopKeys first(int most) {
        return new TopKeys(policy, from, asked.first(most), denied.first(most), oneIn);
    }
}
