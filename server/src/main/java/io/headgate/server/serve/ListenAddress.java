package io.headgate.server.serve;

import io.headgate.server.cli.StartException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.Objects;

/** Checks a listen address before the server starts, and explains why it cannot be bound. */
final class ListenAddress {

    private static final int FIRST_UNPRIVILEGED_PORT = 1024;

    private ListenAddress() {}

    /**
     * Binds the address briefly, to check that it is free. Another process may still take it before the server starts.
     *
     * @throws StartException if it cannot be bound
     */
    static void requireFree(InetSocketAddress address) {
        requireFree(address, "--bind", "--port");
    }

    /** The same for an address of other options, for errors. */
    static void requireFree(InetSocketAddress address, String hostOption, String portOption) {
        try (ServerSocket socket = new ServerSocket()) {
            socket.bind(address);
        } catch (IOException e) {
            throw failure(address, e, hostOption, portOption);
        }
    }

    /** The exception for an address that the system rejected. */
    static StartException failure(InetSocketAddress address, Throwable cause) {
        return failure(address, cause, "--bind", "--port");
    }

    static StartException failure(InetSocketAddress address, Throwable cause, String hostOption, String portOption) {
        // The JDK and Netty have exceptions of their own, both with the message of the system.
        String message = Objects.toString(cause.getMessage(), cause.toString());
        String host = address.getAddress().getHostAddress();
        int port = address.getPort();
        if (message.contains("already in use")) {
            return StartException.failed(
                    "port " + port + " is in use at " + host + "; choose another with " + portOption);
        }
        if (message.contains("Cannot assign requested address")) {
            return StartException.failed(
                    host + " is not an address of this machine; choose another with " + hostOption);
        }
        if (message.contains("Permission denied") && port < FIRST_UNPRIVILEGED_PORT) {
            return StartException.failed("this user may not listen at port " + port + " of " + host
                    + "; choose one from " + FIRST_UNPRIVILEGED_PORT + " with " + portOption);
        }
        return StartException.failed("can't listen at port " + port + " of " + host + ": " + message);
    }
}
