package io.headgate.testkit;

import java.util.ArrayList;
import java.util.List;

/** A slot on its way from one master of a {@link RedisCluster} to another, with its keys, as many at a time as told. */
public final class SlotMove {

    private static final int KEYS_A_CALL = 100;

    private final String slot;
    private final RedisNode from;
    private final RedisNode to;
    private final List<RedisNode> all;

    private SlotMove(int slot, RedisNode from, RedisNode to, List<RedisNode> all) {
        this.slot = Integer.toString(slot);
        this.from = from;
        this.to = to;
        this.all = all;
    }

    static SlotMove begin(int slot, RedisNode from, RedisNode to, List<RedisNode> all) {
        if (from.equals(to)) {
            throw new IllegalArgumentException(
                    "slot " + slot + " is there already: " + to.server().url());
        }
        SlotMove move = new SlotMove(slot, from, to, all);
        to.tell("CLUSTER", "SETSLOT", move.slot, "IMPORTING", move.id(from));
        from.tell("CLUSTER", "SETSLOT", move.slot, "MIGRATING", move.id(to));
        return move;
    }

    /**
     * Moves keys.
     *
     * @param atMost how many
     * @return how many it were
     */
    public int moveKeys(int atMost) {
        int moved = 0;
        while (moved < atMost) {
            int count = Math.min(KEYS_A_CALL, atMost - moved);
            List<?> keys = (List<?>) from.tell("CLUSTER", "GETKEYSINSLOT", slot, "" + count);
            if (keys.isEmpty()) {
                return moved;
            }
            List<String> command = new ArrayList<>(
                    List.of("MIGRATE", "127.0.0.1", "" + to.server().port(), "", "0", "5000", "KEYS"));
            keys.forEach(key -> command.add(RedisNode.text(key)));
            from.tell(command.toArray(String[]::new));
            moved += keys.size();
        }
        return moved;
    }

    /** Moves the keys that are still there, and tells everybody who has the slot now. */
    public void finish() {
        moveKeys(Integer.MAX_VALUE);
        String target = id(to);
        to.tell("CLUSTER", "SETSLOT", slot, "NODE", target);
        from.tell("CLUSTER", "SETSLOT", slot, "NODE", target);
        all.stream()
                .filter(node -> !node.equals(from) && !node.equals(to))
                .filter(node -> ClusterView.of(node)
                        .filter(view -> view.myself().is("master"))
                        .isPresent())
                .forEach(node -> node.tell("CLUSTER", "SETSLOT", slot, "NODE", target));
    }

    private String id(RedisNode node) {
        return ClusterView.of(node).orElseThrow().myself().id();
    }
}
