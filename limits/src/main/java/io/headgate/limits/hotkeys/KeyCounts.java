package io.headgate.limits.hotkeys;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The estimated counts of the most requested, or most denied, keys of a policy.
 *
 * @param total the number of decisions, or of denials, of the policy; estimated if they were sampled
 * @param unlisted the highest possible count of a key that is not listed
 * @param keys the keys with the highest counts, in descending order
 */
public record KeyCounts(long total, long unlisted, List<HotKey> keys) {

    private static final Comparator<HotKey> MOST_FIRST = Comparator.comparingLong(HotKey::count)
            .reversed()
            .thenComparingLong(HotKey::error)
            .thenComparing(HotKey::rule)
            .thenComparing(key -> key.ids().toString());

    /** Sorts the keys. */
    public KeyCounts {
        keys = keys.stream().sorted(MOST_FIRST).toList();
    }

    /** Returns the highest possible share of a key in the {@link #total()}: 0 to 1. */
    public double share(HotKey key) {
        return total == 0 ? 0 : Math.min(1, (double) key.count() / total);
    }

    /** Returns the first {@code most} keys only; the bound for unlisted keys is raised accordingly. */
    public KeyCounts first(int most) {
        return keys.size() <= most
                ? this
                : new KeyCounts(total, Math.max(unlisted, keys.get(most).count()), keys.subList(0, most));
    }

    /**
     * Merges the counts of several instances or minutes. A part that does not list a key may have counted it as often as its bound for
     * unlisted keys, which is added to the count and to the error of the key.
     */
    public static KeyCounts merged(List<KeyCounts> parts) {
        long total = 0;
        long unlisted = 0;
        Map<Id, Sum> sums = new HashMap<>();
        for (KeyCounts part : parts) {
            total += part.total;
            unlisted += part.unlisted;
            for (HotKey key : part.keys) {
                sums.computeIfAbsent(new Id(key.rule(), key.ids()), id -> new Sum())
                        .add(key, part.unlisted);
            }
        }
        List<HotKey> keys = new ArrayList<>();
        long unlistedInAll = unlisted;
        sums.forEach((id, sum) -> keys.add(sum.of(id, unlistedInAll)));
        return new KeyCounts(total, unlisted, keys);
    }

    private record Id(String rule, List<String> ids) {}

    private static final class Sum {

        private long count;
        private long error;
        private long unlistedWhereListed;

        void add(HotKey key, long unlisted) {
            count += key.count();
            error += key.error();
            unlistedWhereListed += unlisted;
        }

        HotKey of(Id id, long unlistedInAll) {
            long unlistedInOthers = unlistedInAll - unlistedWhereListed;
            return new HotKey(id.rule(), id.ids(), count + unlistedInOthers, error + unlistedInOthers);
        }
    }
}
