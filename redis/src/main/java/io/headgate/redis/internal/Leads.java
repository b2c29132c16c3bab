package io.headgate.redis.internal;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Where connections lead, and which of them are to be left, as they lead elsewhere than to a place that is told. Where the
 * next ones lead elsewhere, too, addresses can't be compared, as with something in between that has others, and then they are left only when
 * another place is told: a few times each, lest that goes on for ever.
 *
 * <p>Connections come and go on any thread; what is told is told on one at a time.
 *
 * @param <C> a connection
 */
final class Leads<C> {

    /** More than once, as those who are asked where to connect to may not all have heard of it yet. */
    private static final int MOST_TRIES = 3;

    private final Map<C, Led> connections = new ConcurrentHashMap<>();

    private @Nullable InetSocketAddress told;
    private int tries;

    /** Where one leads. */
    private static final class Led {

        private final InetSocketAddress to;
        private boolean left;

        Led(InetSocketAddress to) {
            this.to = to;
        }

        boolean isTo(InetSocketAddress place, Set<InetAddress> addresses) {
            return to.getPort() == place.getPort() && addresses.contains(to.getAddress());
        }
    }

    /** A connection leads there. */
    void connected(C connection, InetSocketAddress to) {
        connections.put(connection, new Led(to));
    }

    /** It leads nowhere any more. */
    void disconnected(C connection) {
        connections.remove(connection);
    }

    /**
     * Whether there is nothing to be left: all lead there, or it was seen that new ones would not.
     *
     * @param place where they are to lead
     * @param addresses what the name of its host means; none when that is not known
     */
    boolean isSettled(InetSocketAddress place, Set<InetAddress> addresses) {
        if (!place.equals(told)) {
            told = place;
            tries = 0;
        }
        if (connections.isEmpty()) {
            return true;
        }
        if (elsewhere(place, addresses).isEmpty()) {
            tries = 0;
            return true;
        }
        return tries == MOST_TRIES;
    }

    /** Those that are to be left; some of them may be on their way already. Not for what is settled. */
    List<C> toLeave(InetSocketAddress place, Set<InetAddress> addresses) {
        List<Map.Entry<C, Led>> elsewhere = elsewhere(place, addresses);
        if (elsewhere.stream().anyMatch(one -> !one.getValue().left)) {
            tries++;
            elsewhere.forEach(one -> one.getValue().left = true);
        }
        return elsewhere.stream().map(Map.Entry::getKey).toList();
    }

    private List<Map.Entry<C, Led>> elsewhere(InetSocketAddress place, Set<InetAddress> addresses) {
        return connections.entrySet().stream()
                .filter(one -> !one.getValue().isTo(place, addresses))
                .toList();
    }
}
