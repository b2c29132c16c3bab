package io.headgate.limits.internal.bans;

import io.headgate.limits.bans.BanEntry;
import io.headgate.limits.bans.BanTarget;
import io.headgate.limits.bans.IpBlock;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The entries of one policy and attribute. Written under the lock of the index, and read by any number of threads. */
final class BanTable {

    private static final int PREFIXES = 129;

    private final Map<String, KnownBan> values = new ConcurrentHashMap<>();
    private final Map<IpBlock, KnownBan> blocks = new ConcurrentHashMap<>();

    /** The same blocks in their order, for values that are blocks themselves. */
    private final ConcurrentSkipListMap<IpBlock, KnownBan> sorted = new ConcurrentSkipListMap<>();

    // How many IPv4 and IPv6 blocks have each prefix length; not read by requests.
    private final int[] v4 = new int[PREFIXES];
    private final int[] v6 = new int[PREFIXES];

    // The prefix lengths of any block; replaced at each change.
    private volatile int[] v4Prefixes = {};
    private volatile int[] v6Prefixes = {};

    @Nullable
    KnownBan put(BanTarget target, KnownBan known) {
        Optional<IpBlock> block = target.addresses();
        if (block.isEmpty()) {
            return values.put(target.value(), known);
        }
        sorted.put(block.get(), known);
        KnownBan before = blocks.put(block.get(), known);
        if (before == null) {
            count(block.get(), 1);
        }
        return before;
    }

    @Nullable
    KnownBan remove(BanTarget target) {
        Optional<IpBlock> block = target.addresses();
        if (block.isEmpty()) {
            return values.remove(target.value());
        }
        sorted.remove(block.get());
        KnownBan before = blocks.remove(block.get());
        if (before != null) {
            count(block.get(), -1);
        }
        return before;
    }

    @Nullable
    KnownBan get(BanTarget target) {
        Optional<IpBlock> block = target.addresses();
        return block.isEmpty() ? values.get(target.value()) : blocks.get(block.get());
    }

    private void count(IpBlock block, int change) {
        int[] counts = block.isIpv4() ? v4 : v6;
        counts[block.prefixLength()] += change;
        int[] used = IntStream.range(0, PREFIXES).filter(i -> counts[i] > 0).toArray();
        if (block.isIpv4()) {
            v4Prefixes = used;
        } else {
            v6Prefixes = used;
        }
    }

    long countIf(Predicate<KnownBan> counted) {
        return Stream.of(values, blocks)
                .flatMap(each -> each.values().stream())
                .filter(counted)
                .count();
    }

    boolean isEmpty() {
        return values.isEmpty() && blocks.isEmpty();
    }

    @Nullable
    KnownBan find(String value, long nowMicros, @Nullable KnownBan found) {
        KnownBan best = KnownBan.preferred(found, values.get(value), nowMicros);
        if (blocks.isEmpty()) {
            return best;
        }
        Optional<IpBlock> asked = IpBlock.find(value);
        return asked.isEmpty() ? best : find(asked.get(), nowMicros, best);
    }

    private @Nullable KnownBan find(IpBlock asked, long nowMicros, @Nullable KnownBan found) {
        KnownBan best = found;
        for (int prefix : asked.isIpv4() ? v4Prefixes : v6Prefixes) {
            if (prefix <= asked.prefixLength()) {
                best = KnownBan.preferred(best, blocks.get(asked.enclosing(prefix)), nowMicros);
            }
        }
        if (asked.isAddress()) {
            return best;
        }
        // Blocks within the value follow it in the order of the map.
        for (Map.Entry<IpBlock, KnownBan> within : sorted.tailMap(asked, false).entrySet()) {
            if (!asked.contains(within.getKey())
                    || (best != null && best.entry().kind() == BanEntry.Kind.EXEMPTION)) {
                break;
            }
            best = KnownBan.preferred(best, within.getValue(), nowMicros);
        }
        return best;
    }

    void addTo(Collection<KnownBan> all) {
        all.addAll(values.values());
        all.addAll(blocks.values());
    }
}
