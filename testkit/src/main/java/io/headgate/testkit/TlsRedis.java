package io.headgate.testkit;

import io.headgate.testkit.internal.LoopbackPorts;
import java.io.IOException;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;

/**
 * A real Redis that speaks TLS on a second port; on its first it does not.
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

    /** So much higher than its port is that at which a node of a Cluster listens to other nodes. */
    private static final int CLUSTER_BUS = 10_000;

    private final RedisServer server;
    private final int tlsPort;

    private TlsRedis(RedisServer server, int tlsPort) {
        this.server = server;
        this.tlsPort = tlsPort;
    }

    /**
     * Starts one.
     *
     * @param files whose authority it trusts, where clients are asked for a certificate
     * @param identity its own
     * @param extraArguments such as {@code "--tls-auth-clients", "yes"}; by default, clients are not asked
     * @throws IllegalStateException when it does not start, as one that was built without TLS; it says what Redis wrote
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
                if (attempt == PORTS_TRIED || (isFree(port) && isFree(port + CLUSTER_BUS))) {
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

    /** The server; its URL is that without TLS. */
    public RedisServer server() {
        return server;
    }

    /** Where it speaks TLS. */
    public int tlsPort() {
        return tlsPort;
    }

    /** {@code rediss://127.0.0.1:port}. */
    public String tlsUrl() {
        return "rediss://127.0.0.1:" + tlsPort;
    }

    @Override
    public void close() {
        server.close();
    }
}
