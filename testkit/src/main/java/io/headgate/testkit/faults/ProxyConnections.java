package io.headgate.testkit.faults;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The open connections of a {@link FaultProxy}. Safe for use by several threads. */
final class ProxyConnections {

    static final int MAX = 1_000;

    private final Set<ProxyConnection> open = ConcurrentHashMap.newKeySet();
    private final ProxyFaults faults;
    private final ProxyAnswers answers;
    private final ProxyTraffic traffic;
    private volatile InetSocketAddress redis;

    ProxyConnections(InetSocketAddress redis, ProxyFaults faults, ProxyAnswers answers, ProxyTraffic traffic) {
        this.redis = redis;
        this.faults = faults;
        this.answers = answers;
        this.traffic = traffic;
    }

    /** Connects later clients to this address; open connections stay. */
    void connectTo(InetSocketAddress address) {
        redis = address;
    }

    /** Connects a client to Redis, or closes it if {@value #MAX} connections are open. */
    void accept(Socket client) {
        if (open.size() >= MAX) {
            traffic.connected();
            close(client);
            return;
        }
        // The connection removes itself from the set when it ends, which may be immediately.
        ProxyConnection[] self = new ProxyConnection[1];
        self[0] = new ProxyConnection(client, redis, faults, answers, traffic, () -> open.remove(self[0]));
        open.add(self[0]);
        // After the connection has read the faults, so that a test that has awaited the count may end them.
        traffic.connected();
        self[0].start();
    }

    private static void close(Socket client) {
        try {
            client.close();
        } catch (IOException e) {
            // It is closed already.
        }
    }

    void closeAll() {
        open.forEach(ProxyConnection::close);
    }

    void resetAll() {
        open.forEach(ProxyConnection::reset);
    }

    int count() {
        return open.size();
    }
}
