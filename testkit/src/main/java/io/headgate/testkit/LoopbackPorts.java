package io.headgate.testkit;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Ports that nobody listens on, below those that the kernel hands to outgoing connections.
 *
 * <p>A server that is gone for a while must find its port free again. From the kernel's own range, somebody's outgoing
 * connection could take it; worse, a client that keeps trying to reconnect to such a port on its own machine may end
 * up connected to itself.
 */
final class LoopbackPorts {

    private static final int FIRST = 15_000;
    private static final int LAST = 32_000;
    private static final int ATTEMPTS = 1_000;

    private LoopbackPorts() {}

    /** A port that was free a moment ago; another process may still be faster. */
    static int free() {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            int port = ThreadLocalRandom.current().nextInt(FIRST, LAST);
            if (isFree(port)) {
                return port;
            }
        }
        throw new IllegalStateException("no free port between " + FIRST + " and " + LAST + " on 127.0.0.1");
    }

    private static boolean isFree(int port) {
        try (ServerSocket probe = listen(port)) {
            return probe.isBound();
        } catch (IOException e) {
            return false;
        }
    }

    /** Listens on 127.0.0.1. */
    static ServerSocket listen(int port) throws IOException {
        return new ServerSocket(port, 50, InetAddress.getByAddress(new byte[] {127, 0, 0, 1}));
    }
}
