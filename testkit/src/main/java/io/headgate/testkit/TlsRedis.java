package io.headgate.testkit;

import io.headgate.testkit.internal.LoopbackPorts;
import java.io.IOException;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;

/**
 * A real Redis with two ports: one without TLS, and one with TLS.
 *
 * <pre>{@code
 * TlsFiles files = TlsFiles.in(folder);
 * try (TlsRedis redis = TlsRedis.start(files, files.identity("server", "127.0.0.1"))) {
 *     connect(redis.tlsUrl()); // trusting files.authority()
 * }
 * }</pre>
 */
public final class TlsRedis implements AutoCloseable {

    private static final int PORTS_TRIED = 5;

    /** The port of the Cluster bus minus the port of the node. */
    private static final int CLUSTER_BUS_OFFSET = 10_000;

    private final RedisServer server;
    private final int tlsPort;

    private TlsRedis(RedisServer server, int tlsPort) {
        this.server = server;
        this.tlsPort = tlsPort;
    }

    /**
     * Starts a Redis with TLS.
     *
     * @param files the authority of client certificates, if clients need one
     * @param identity the certificate and the key of the server
     * @param extraArguments such as {@code "--tls-auth-clients", "yes"}; by default, clients need no certificate
     * @throws IllegalStateException when it does not start, for example because it was built without TLS; the message has its output
     */
    public static TlsRedis start(TlsFiles files, TlsFiles.Identity identity, String... extraArguments) {
        for (int attempt = 1; ; attempt++) {
            int port = LoopbackPorts.free();
            List<String> arguments = new ArrayList<>(List.of(
                    "--tls-port",
                    "" + port,
                    "--tls-cert-file",
                    "" + identity.certificate(),
                    "--tls-key-file",
                    "" + identity.key(),
                    "--tls-ca-cert-file",
                    "" + files.authority(),
                    "--tls-auth-clients",
                    "no"));
            arguments.addAll(List.of(extraArguments));
            try {
                return new TlsRedis(RedisServer.startOwn(arguments.toArray(String[]::new)), port);
            } catch (IllegalStateException e) {
                if (attempt == PORTS_TRIED || (isFree(port) && isFree(port + CLUSTER_BUS_OFFSET))) {
                    throw e;
                }
            }
        }
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = LoopbackPorts.listen(port)) {
            return socket.isBound();
        } catch (IOException e) {
            return false;
        }
    }

    /** The server; its URL has the port without TLS. */
    public RedisServer server() {
        return server;
    }

    /** The port with TLS. */
    public int tlsPort() {
        return tlsPort;
    }

    /** The URL to connect to with TLS: {@code rediss://127.0.0.1:port}. */
    public String tlsUrl() {
        return "rediss://127.0.0.1:" + tlsPort;
    }

    @Override
    public void close() {
        server.close();
    }
}
