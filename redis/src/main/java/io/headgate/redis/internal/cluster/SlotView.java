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
 * Which master has which slots, as a node of a Cluster tells it ({@code CLUSTER SLOTS}).
 *
 * @param ranges in the order of slots
 * @param replicas the addresses of those that are no masters
 */
public record SlotView(List<Range> ranges, Set<String> replicas) {

    /**
     * Slots of one master.
     *
     * @param address its host and port
     */
    public record Range(int first, int last, String address) {}

    /**
     * Reads an answer.
     *
     * @param host of the node that answers, which it may not know itself
     * @throws IllegalArgumentException when it is none
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
                throw new IllegalArgumentException("no slots: " + one);
            }
            ranges.add(new Range(first.intValue(), last.intValue(), address(range.get(2), host)));
            range.stream().skip(3).forEach(replica -> replicas.add(address(replica, host)));
        }
        ranges.sort(Comparator.comparingInt(Range::first));
        return new SlotView(List.copyOf(ranges), Set.copyOf(replicas));
    }

    private static String address(Object node, String host) {
        if (!(node instanceof List<?> parts) || parts.size() < 2) {
            throw new IllegalArgumentException("no node: " + node);
        }
        String own = parts.get(0) instanceof byte[] text ? new String(text, StandardCharsets.UTF_8) : "";
        return (own.isEmpty() || own.equals("?") ? host : own) + ":" + parts.get(1);
    }

    /** The one that most of them are; of several, that which is known already, if it is among these. */
    public static @Nullable SlotView mostAgreed(List<SlotView> views, @Nullable SlotView known) {
        Map<SlotView, Integer> votes = new HashMap<>();
        views.forEach(view -> votes.merge(view, 1, Integer::sum));
        SlotView most = null;
        for (SlotView view : views) {
            int more = votes.getOrDefault(view, 0) - (most == null ? 0 : votes.getOrDefault(most, 0));
            if (more > 0 || (more == 0 && view.equals(known))) {
                most = view;
            }
        }
        return most;
    }
}
