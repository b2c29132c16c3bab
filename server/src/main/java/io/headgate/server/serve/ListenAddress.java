package io.headgate.server.serve;

import io.headgate.server.cli.StartException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.Objects;

/** A listen address: a check before the server starts, and explanations of failures. */
final class ListenAddress {

    private static final int FIRST_FOR_EVERYBODY = 1024;

    private ListenAddress() {}

    /**
     * Binds the address for a moment. It is then probably, but not certainly, free when the server starts.
     *
     * @throws StartException if it cannot be bound
     */
    static void requireFree(InetSocketAddress address) {
        try (ServerSocket socket = new ServerSocket()) {
            socket.bind(address);
        } catch (IOException e) {
            throw failure(address, e);
        }
    }

    /** The exception for an address that the system rejected. */
    static StartException failure(InetSocketAddress address, Throwable cause) {
        // The JDK and Netty have exceptions of their own, both with the message of the system.
        String said = Objects.toString(cause.getMessage(), cause.toString());
        String host = address.getAddress().getHostAddress();
        int port = address.getPort();
        if (said.contains("already in use")) {
            return StartException.failed("port " + port + " is in use at " + host + "; choose another with --port");
        }
        if (said.contains("Cannot assign requested address")) {
            return StartException.failed(host + " is not an address of this machine; choose another with --bind");
        }
        if (said.contains("Permission denied") && port < FIRST_FOR_EVERYBODY) {
            return StartException.failed("port " + port + " at " + host + " is not for this user; choose one from "
                    + FIRST_FOR_EVERYBODY + " with --port");
        }
        return StartException.failed("can't listen at port " + port + " of " + host + ": " + said);
    }
}
