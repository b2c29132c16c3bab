package io.headgate.redis.internal.connection;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Tracks the addresses of connections, and returns the connections that must be closed because they do not lead to the
 * current master. Behind a proxy, even a new connection does not have the master's address. So connections are closed at
 * most three times in a row for the same reported master.
 *
 * <p>Any thread may add and remove connections; one thread at a time reports masters.
 *
 * @param <C> a connection
 */
final class ConnectionTargets<C> {

    /** More than once, because Lettuce may reconnect through a sentinel that does not know the new master yet. */
    private static final int MAX_TRIES = 3;

    private final Map<C, Target> connections = new ConcurrentHashMap<>();

    private @Nullable InetSocketAddress master;
    private int tries;

    /** The address of one connection. */
    private static final class Target {

        private final InetSocketAddress address;
        private boolean closing;

        Target(InetSocketAddress address) {
            this.address = address;
        }

        boolean isAt(InetSocketAddress place, Set<InetAddress> addresses) {
            return address.getPort() == place.getPort() && addresses.contains(address.getAddress());
        }
    }

    /** Adds a connection to that address. */
    void connected(C connection, InetSocketAddress address) {
        connections.put(connection, new Target(address));
    }

    /** Removes a connection that was closed. */
    void disconnected(C connection) {
        connections.remove(connection);
    }

    /**
     * Whether no connection needs to be closed: all lead to the master, or closing them did not help.
     *
     * @param reported the master's address
     * @param addresses the addresses of its host; empty if they are unknown
     */
    boolean isSettled(InetSocketAddress reported, Set<InetAddress> addresses) {
        if (!reported.equals(master)) {
            master = reported;
            tries = 0;
        }
        if (connections.isEmpty()) {
            return true;
        }
        if (toOtherServers(reported, addresses).isEmpty()) {
            tries = 0;
            return true;
        }
        return tries == MAX_TRIES;
    }

    /** Returns the connections to close, some of which may be closing already. Call it only if {@link #isSettled} is false. */
    List<C> toClose(InetSocketAddress reported, Set<InetAddress> addresses) {
        List<Map.Entry<C, Target>> others = toOtherServers(reported, addresses);
        if (others.stream().anyMatch(one -> !one.getValue().closing)) {
            tries++;
            others.forEach(one -> one.getValue().closing = true);
        }
        return others.stream().map(Map.Entry::getKey).toList();
    }

    private List<Map.Entry<C, Target>> toOtherServers(InetSocketAddress reported, Set<InetAddress> addresses) {
        return connections.entrySet().stream()
                .filter(one -> !one.getValue().isAt(reported, addresses))
                .toList();
    }
}
