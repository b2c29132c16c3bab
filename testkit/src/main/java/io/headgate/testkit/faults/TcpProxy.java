package io.headgate.testkit.faults;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A proxy between a client and any server of this machine that forwards bytes without parsing them, and can swallow them, as a network does
 * that drops packets. {@link FaultProxy} has more faults, but only for Redis.
 *
 * <p>A connection that has lost bytes stays broken until it is closed, even after {@link #resume()}. Safe for use by several threads.
 */
public final class TcpProxy implements AutoCloseable {

    private static final int BUFFER_BYTES = 16 * 1024;

    private final int serverPort;
    private final Set<Connection> connections = ConcurrentHashMap.newKeySet();
    private final ProxyListener listener;
    private volatile boolean swallows;

    /** The two sockets of a connection, and whether it has lost bytes. */
    private static final class Connection {

        private final Socket client;
        private final Socket server;
        private volatile boolean broken;

        Connection(Socket client, Socket server) {
            this.client = client;
            this.server = server;
        }

        void close() {
            try (client;
                    server) {
                broken = true;
            } catch (IOException e) {
                return; // the sockets are closed in any case
            }
        }
    }

    private TcpProxy(int serverPort) {
        this.serverPort = serverPort;
        this.listener = new ProxyListener(this::accept);
    }

    /** Starts a proxy for the server at this port of 127.0.0.1, on a free port. */
    public static TcpProxy before(int port) {
        return new TcpProxy(port);
    }

    /** The port for clients, on 127.0.0.1. */
    public int port() {
        return listener.port();
    }

    /** Loses all bytes in both directions, and does not answer new connections. No connection ends. */
    public void blackHole() {
        swallows = true;
        listener.ignore();
    }

    /** Ends {@link #blackHole()} and {@link #refuseConnections()} for new connections. */
    public void resume() {
        swallows = false;
        listener.open();
    }

    /** Ends all connections, and refuses new ones. */
    public void refuseConnections() {
        listener.close();
        connections.forEach(Connection::close);
    }

    /** How many connections are open. */
    public int connectionsOpen() {
        return connections.size();
    }

    /** Ends all connections and stops listening. */
    @Override
    public void close() {
        refuseConnections();
    }

    private void accept(Socket client) {
        Socket server;
        try {
            server = new Socket(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), serverPort);
        } catch (IOException e) {
            closeQuietly(client);
            return;
        }
        Connection connection = new Connection(client, server);
        connections.add(connection);
        forward(connection, client, server);
        forward(connection, server, client);
    }

    private static void closeQuietly(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            return; // it is closed in any case
        }
    }

    private void forward(Connection connection, Socket from, Socket to) {
        Thread thread = new Thread(() -> copy(connection, from, to), "headgate-tcp-proxy");
        thread.setDaemon(true);
        thread.start();
    }

    private void copy(Connection connection, Socket from, Socket to) {
        byte[] buffer = new byte[BUFFER_BYTES];
        try {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                if (swallows) {
                    connection.broken = true;
                }
                if (!connection.broken) {
                    out.write(buffer, 0, read);
                }
            }
        } catch (IOException e) {
            // One of the sockets has ended, and so does the other one.
        }
        // While bytes are swallowed, the client does not notice the end of the server's side either.
        connection.broken |= swallows;
        if (!connection.broken || from == connection.client) {
            connections.remove(connection);
            connection.close();
        }
    }
}
