package io.headgate.testkit;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** The state of a Cluster as one of its nodes reports it. */
final class ClusterView {

    /**
     * A node of the Cluster.
     *
     * @param flags such as {@code myself,master}
     * @param masterId the master of a replica, or {@code -}
     * @param slots such as {@code 0-5460}; slots that are being moved are in brackets
     */
    record Node(String id, int port, List<String> flags, String masterId, long epoch, List<String> slots) {

        boolean is(String flag) {
            return flags.contains(flag);
        }

        boolean isGone() {
            return is("fail") || is("fail?") || is("handshake") || is("noaddr");
        }

        boolean has(int slot) {
            return slots.stream().filter(range -> !range.startsWith("[")).anyMatch(range -> {
                String[] ends = range.split("-");
                return Integer.parseInt(ends[0]) <= slot && slot <= Integer.parseInt(ends[ends.length - 1]);
            });
        }

        /** The role and the slots, without what differs between the views of two nodes. */
        String role() {
            List<String> owned =
                    slots.stream().filter(range -> !range.startsWith("[")).toList();
            return port + (is("master") ? " has " + owned : " follows " + masterId);
        }
    }

    private final List<Node> nodes;

    private ClusterView(List<Node> nodes) {
        this.nodes = nodes;
    }

    /** Returns the view of this node; empty if it does not answer. */
    static Optional<ClusterView> of(RedisNode node) {
        return node.tryRun("CLUSTER", "NODES").map(ClusterView::parse);
    }

    static ClusterView parse(String nodes) {
        List<Node> parsed = new ArrayList<>();
        for (String line : nodes.split("\n")) {
            // id host:port@bus flags master ping pong epoch link slots...
            String[] parts = line.trim().split(" ");
            String address = parts[1].substring(0, parts[1].indexOf('@'));
            parsed.add(new Node(
                    parts[0],
                    Integer.parseInt(address.substring(address.lastIndexOf(':') + 1)),
                    List.of(parts[2].split(",")),
                    parts[3],
                    Long.parseLong(parts[6]),
                    Arrays.asList(parts).subList(8, parts.length)));
        }
        return new ClusterView(parsed);
    }

    List<Node> nodes() {
        return nodes;
    }

    Node myself() {
        return nodes.stream().filter(node -> node.is("myself")).findFirst().orElseThrow();
    }

    /** Whether the node knows this many nodes, including itself, and has completed the handshake with all of them. */
    boolean knows(int count) {
        return nodes.size() == count && nodes.stream().noneMatch(node -> node.is("handshake") || node.is("noaddr"));
    }

    /** The roles and slots of all nodes that are available. */
    List<String> roles() {
        return nodes.stream()
                .filter(node -> !node.isGone())
                .map(Node::role)
                .sorted()
                .toList();
    }
}
