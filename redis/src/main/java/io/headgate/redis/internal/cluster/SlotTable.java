package io.headgate.redis.internal.cluster;

import io.headgate.redis.internal.cluster.NodeConnections.Node;
import io.lettuce.core.cluster.SlotHash;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The node of each slot. Immutable. */
final class SlotTable {

    static final SlotTable EMPTY = new SlotTable();

    private final @Nullable Node[] bySlot = new @Nullable Node[SlotHash.SLOT_COUNT];
    private final Set<Node> masters = new LinkedHashSet<>();
    private final @Nullable SlotView view;
    private final int covered;

    private SlotTable() {
        this.view = null;
        this.covered = 0;
    }

    /**
     * Creates the table of a view.
     *
     * @param nodes returns the node with an address
     */
    SlotTable(SlotView view, Function<String, Node> nodes) {
        this.view = view;
        int slots = 0;
        for (SlotView.Range range : view.ranges()) {
            Node node = nodes.apply(range.address());
            masters.add(node);
            for (int slot = range.first(); slot <= range.last(); slot++) {
                bySlot[slot] = node;
                slots++;
            }
        }
        this.covered = slots;
    }

    /** The owner of the slot, or null if it is unknown. */
    @Nullable
    Node of(int slot) {
        return bySlot[slot];
    }

    Set<Node> masters() {
        return masters;
    }

    @Nullable
    SlotView view() {
        return view;
    }

    /** Whether every slot has an owner and all owners are connected. */
    boolean isWhole() {
        return covered >= SlotHash.SLOT_COUNT && masters.stream().allMatch(Node::isConnected);
    }
}
