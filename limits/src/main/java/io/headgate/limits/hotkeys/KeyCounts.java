package io.headgate.limits.hotkeys;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * How often the keys of a policy were asked, or denied, as far as a bounded memory can tell.
 *
 * @param total how many decisions are counted
 * @param unlisted how often a key that is not listed was counted, at most
 * @param keys those that were counted most, the first one most often
 */
public record KeyCounts(long total, long unlisted, List<HotKey> keys) {

    private static final Comparator<HotKey> MOST_FIRST = Comparator.comparingLong(HotKey::count)
            .reversed()
            .thenComparingLong(HotKey::error)
            .thenComparing(HotKey::rule)
            .thenComparing(key -> key.ids().toString());

    /** Puts the keys in order. */
    public KeyCounts {
        keys = keys.stream().sorted(MOST_FIRST).toList();
    }

    /** Which share of all that is counted was that key, at most: from 0 to 1. */
    public double share(HotKey key) {
        return total == 0 ? 0 : Math.min(1, (double) key.count() / total);
    }

    /** The first ones; what is said of others stays true. */
    public KeyCounts first(int most) {
        return keys.size() <= most
                ? this
                : new KeyCounts(total, Math.max(unlisted, keys.get(most).count()), keys.subList(0, most));
    }

    /**
     * What several parts know together. Where a part does not list a key, it may have counted it as often as it says of such
     * keys: so errors add up, to the sum of what they would be of each part.
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
        long elsewhere = unlisted;
        sums.forEach((id, sum) -> keys.add(sum.of(id, elsewhere)));
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

        HotKey of(Id id, long unlisted) {
            long elsewhere = unlisted - unlistedWhereListed;
            return new HotKey(id.rule(), id.ids(), count + elsewhere, error + elsewhere);
        }
    }
}
