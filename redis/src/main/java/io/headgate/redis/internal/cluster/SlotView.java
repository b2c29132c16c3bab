package io.headgate.redis.internal.cluster;

import io.lettuce.core.cluster.SlotHash;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The owners of the slots as one node reports them ({@code CLUSTER SLOTS}).
 *
 * @param ranges in ascending order of slots
 * @param replicas the addresses of the replicas
 */
public record SlotView(List<Range> ranges, Set<String> replicas) {

    /**
     * A range of slots of one master.
     *
     * @param address its host and port
     */
    public record Range(int first, int last, String address) {}

    /**
     * Decodes a reply of CLUSTER SLOTS.
     *
     * @param host the host of the node that replied, which that node may not know itself
     * @throws IllegalArgumentException if the reply has another form
     */
    public static SlotView of(List<?> reply, String host) {
        List<Range> ranges = new ArrayList<>();
        Set<String> replicas = new HashSet<>();
        for (Object one : reply) {
            if (!(one instanceof List<?> range)
                    || range.size() < 3
                    || !(range.get(0) instanceof Long first)
                    || !(range.get(1) instanceof Long last)
                    || first < 0
                    || last >= SlotHash.SLOT_COUNT) {
                throw new IllegalArgumentException("not a range of slots: " + one);
            }
            ranges.add(new Range(first.intValue(), last.intValue(), address(range.get(2), host)));
            range.stream().skip(3).forEach(replica -> replicas.add(address(replica, host)));
        }
        ranges.sort(Comparator.comparingInt(Range::first));
        return new SlotView(List.copyOf(ranges), Set.copyOf(replicas));
    }

    private static String address(Object node, String host) {
        if (!(node instanceof List<?> parts) || parts.size() < 2) {
            throw new IllegalArgumentException("not an address of a node: " + node);
        }
        String own = parts.get(0) instanceof byte[] text ? new String(text, StandardCharsets.UTF_8) : "";
        return (own.isEmpty() || own.equals("?") ? host : own) + ":" + parts.get(1);
    }

    /**
     * The view that most nodes report; null if there is none. If several have the same number of votes, the known view wins
     * if it is among them.
     */
    public static @Nullable SlotView mostAgreed(List<SlotView> views, @Nullable SlotView known) {
        Map<SlotView, Integer> votes = new HashMap<>();
        views.forEach(view -> votes.merge(view, 1, Integer::sum));
        SlotView winner = null;
        for (SlotView view : views) {
            int lead = votes.getOrDefault(view, 0) - (winner == null ? 0 : votes.getOrDefault(winner, 0));
            if (lead > 0 || (lead == 0 && view.equals(known))) {
                winner = view;
            }
        }
        return winner;
    }
}
