package io.headgate.server.serve;

import io.headgate.server.http.BearerToken;
import io.netty.util.internal.PlatformDependent;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * What an operator may choose of the server.
 *
 * @param listen where; port 0 takes any that is free
 * @param maxConnections further ones are closed at once
 * @param maxConnectionsPerClient the number of connections of one client, an IPv4 address or an IPv6 /64; further ones are closed at once
 * @param maxWaiting the number of requests that wait; further ones are refused before they are decided
 * @param requestTimeout after which a request is answered 503
 * @param drainDelay how long it goes on while it says that it is not ready
 * @param drainTimeout how long requests in flight may take after that
 * @param refundToken what those must send who give permits back; nobody may where there is none
 * @param operatorToken what operators of queues must send; nobody may do what they may where there is none
 * @param allowedHosts values of {@code Host} that are answered beside the names of the listener
 */
public record ServerSettings(
        InetSocketAddress listen,
        int maxConnections,
        int maxConnectionsPerClient,
        int maxWaiting,
        Duration requestTimeout,
        Duration drainDelay,
        Duration drainTimeout,
        Optional<BearerToken> refundToken,
        Optional<BearerToken> operatorToken,
        List<String> allowedHosts) {

    public static final int MAX_CONNECTIONS = 10_000;
    static final int MAX_WAITING = 2_000;
    public static final Duration REQUEST_TIMEOUT = Duration.ofSeconds(5);
    static final Duration DRAIN_DELAY = Duration.ofSeconds(2);
    public static final Duration DRAIN_TIMEOUT = Duration.ofSeconds(10);

    /** With the default for the connections of one client, the default for those that wait, and no more allowed hosts. */
    public ServerSettings(
            InetSocketAddress listen,
            int maxConnections,
            Duration requestTimeout,
            Duration drainDelay,
            Duration drainTimeout,
            Optional<BearerToken> refundToken,
            Optional<BearerToken> operatorToken) {
        this(
                listen,
                maxConnections,
                connectionsPerClient(maxConnections),
                MAX_WAITING,
                requestTimeout,
                drainDelay,
                drainTimeout,
                refundToken,
                operatorToken,
                List.of());
    }

    /**
     * The default for the connections of one client: half of all, and no more than half of the direct memory holds, where each may
     * have {@value HeadgateServer#MAX_HEADER_BYTES} bytes of an unfinished request.
     */
    static int connectionsPerClient(int maxConnections) {
        long byMemory = PlatformDependent.maxDirectMemory() / 2 / HeadgateServer.MAX_HEADER_BYTES;
        return (int) Math.max(1, Math.min(maxConnections / 2, byMemory));
    }
}
