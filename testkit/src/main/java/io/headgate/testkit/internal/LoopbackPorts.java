package io.headgate.testkit.internal;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Free ports below the range that the kernel uses for outgoing connections.
 *
 * <p>A server that restarts needs its port again. A port of the kernel's range could be taken by an outgoing connection meanwhile. A
 * client that keeps reconnecting to such a port on its own machine can even connect to itself.
 */
public final class LoopbackPorts {

    private static final int FIRST = 15_000;
    private static final int LAST = 32_000;
    private static final int ATTEMPTS = 1_000;

    private LoopbackPorts() {}

    /** A port that was free a moment ago; another process may take it. */
    public static int free() {
        try (ServerSocket socket = listen()) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new IllegalStateException("cannot close a port of 127.0.0.1", e);
        }
    }

    /** A free port; the port that is higher by {@code apart} is free too. */
    public static int freePair(int apart) {
        for (int attempt = 1; ; attempt++) {
            int port = ThreadLocalRandom.current().nextInt(FIRST, LAST - apart);
            try (ServerSocket one = listen(port);
                    ServerSocket other = listen(port + apart)) {
                return one.getLocalPort();
            } catch (IOException e) {
                if (attempt == ATTEMPTS) {
                    throw new IllegalStateException("no two free ports " + apart + " apart on 127.0.0.1", e);
                }
            }
        }
    }

    /** Listens on a free port of 127.0.0.1 in this range. */
    public static ServerSocket listen() {
        for (int attempt = 1; ; attempt++) {
            try {
                return listen(ThreadLocalRandom.current().nextInt(FIRST, LAST));
            } catch (IOException e) {
                if (attempt == ATTEMPTS) {
                    throw new IllegalStateException("no free port from " + FIRST + " to " + LAST + " on 127.0.0.1", e);
                }
            }
        }
    }

    /** Listens on this port of 127.0.0.1. */
    public static ServerSocket listen(int port) throws IOException {
        return listen(port, 50);
    }

    /** Listens on this port of 127.0.0.1 with a backlog of about this many connections. */
    public static ServerSocket listen(int port, int backlog) throws IOException {
        return new ServerSocket(port, backlog, InetAddress.getByAddress(new byte[] {127, 0, 0, 1}));
    }
}
