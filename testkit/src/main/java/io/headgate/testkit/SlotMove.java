package io.headgate.testkit;

import java.util.ArrayList;
import java.util.List;

/** The move of a slot and its keys between two masters of a {@link RedisCluster}. For one thread at a time. */
public final class SlotMove {

    private static final int KEYS_PER_CALL = 100;

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
        to.run("CLUSTER", "SETSLOT", move.slot, "IMPORTING", move.id(from));
        from.run("CLUSTER", "SETSLOT", move.slot, "MIGRATING", move.id(to));
        return move;
    }

    /**
     * Moves keys of the slot. Their names must be valid UTF-8.
     *
     * @param atMost the largest number of keys to move
     * @return the number of moved keys
     */
    public int moveKeys(int atMost) {
        int moved = 0;
        while (moved < atMost) {
            int count = Math.min(KEYS_PER_CALL, atMost - moved);
            List<?> keys = (List<?>) from.run("CLUSTER", "GETKEYSINSLOT", slot, "" + count);
            if (keys.isEmpty()) {
                return moved;
            }
            List<String> command = new ArrayList<>(
                    // No single key, database 0, a timeout of 5 seconds; the keys follow.
                    List.of("MIGRATE", "127.0.0.1", "" + to.server().port(), "", "0", "5000", "KEYS"));
            keys.forEach(key -> command.add(RedisNode.text(key)));
            from.run(command.toArray(String[]::new));
            moved += keys.size();
        }
        return moved;
    }

    /** Moves the remaining keys, and assigns the slot to its new master on all masters that answer. Replicas learn it from them. */
    public void finish() {
        moveKeys(Integer.MAX_VALUE);
        String target = id(to);
        to.run("CLUSTER", "SETSLOT", slot, "NODE", target);
        from.run("CLUSTER", "SETSLOT", slot, "NODE", target);
        all.stream()
                .filter(node -> !node.equals(from) && !node.equals(to))
                .filter(node -> ClusterView.of(node)
                        .filter(view -> view.myself().is("master"))
                        .isPresent())
                .forEach(node -> node.run("CLUSTER", "SETSLOT", slot, "NODE", target));
    }

    private String id(RedisNode node) {
        return ClusterView.of(node).orElseThrow().myself().id();
    }
}
