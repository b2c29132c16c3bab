package io.headgate.server.serve;

import io.headgate.server.http.BearerToken;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * What an operator may choose of the server.
 *
 * @param listen where; port 0 takes any that is free
 * @param maxConnections further ones are closed at once
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
        Duration requestTimeout,
        Duration drainDelay,
        Duration drainTimeout,
        Optional<BearerToken> refundToken,
        Optional<BearerToken> operatorToken,
        List<String> allowedHosts) {

    public static final int MAX_CONNECTIONS = 10_000;
    public static final Duration REQUEST_TIMEOUT = Duration.ofSeconds(5);
    static final Duration DRAIN_DELAY = Duration.ofSeconds(2);
    public static final Duration DRAIN_TIMEOUT = Duration.ofSeconds(10);

    /** The same settings with no more allowed hosts than the names of the listener. */
    public ServerSettings(
            InetSocketAddress listen,
            int maxConnections,
            Duration requestTimeout,
            Duration drainDelay,
            Duration drainTimeout,
            Optional<BearerToken> refundToken,
            Optional<BearerToken> operatorToken) {
        this(listen, maxConnections, requestTimeout, drainDelay, drainTimeout, refundToken, operatorToken, List.of());
    }
}
