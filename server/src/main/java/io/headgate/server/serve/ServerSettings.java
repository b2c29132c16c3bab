package io.headgate.server.serve;

import io.headgate.http.attributes.ClientAddress;
import io.headgate.server.http.BearerToken;
import io.headgate.server.net.ConnectionBounds;
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
 * @param clientAddress finds the client behind trusted proxies; empty if none is trusted
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
        List<String> allowedHosts,
        Optional<ClientAddress> clientAddress) {

    /** Begins with the defaults, and no tokens. */
    public static Builder builder(InetSocketAddress listen) {
        return new Builder(listen);
    }

    /**
     * The default for the connections of one client: half of all, and no more than half of the direct memory holds, where each may
     * have {@value ConnectionBounds#MAX_HEADER_BYTES} bytes of an unfinished request.
     */
    private static int connectionsPerClient(int maxConnections) {
        long byMemory = PlatformDependent.maxDirectMemory() / 2 / ConnectionBounds.MAX_HEADER_BYTES;
        return (int) Math.max(1, Math.min(maxConnections / 2, byMemory));
    }

    /** Each setting keeps its default unless it is given. */
    public static final class Builder {

        private final InetSocketAddress listen;
        private int maxConnections = 10_000;
        private Optional<Integer> maxConnectionsPerClient = Optional.empty();
        private int maxWaiting = 2_000;
        private Duration requestTimeout = Duration.ofSeconds(5);
        private Duration drainDelay = Duration.ofSeconds(2);
        private Duration drainTimeout = Duration.ofSeconds(10);
        private Optional<BearerToken> refundToken = Optional.empty();
        private Optional<BearerToken> operatorToken = Optional.empty();
        private List<String> allowedHosts = List.of();
        private Optional<ClientAddress> clientAddress = Optional.empty();

        private Builder(InetSocketAddress listen) {
            this.listen = listen;
        }

        /** 10 000 by default. */
        public Builder maxConnections(int most) {
            maxConnections = most;
            return this;
        }

        /** Half of all connections, or less in little memory, by default. */
        public Builder maxConnectionsPerClient(int most) {
            maxConnectionsPerClient = Optional.of(most);
            return this;
        }

        /** 2000 by default. */
        public Builder maxWaiting(int most) {
            maxWaiting = most;
            return this;
        }

        /** 5 s by default. */
        public Builder requestTimeout(Duration longest) {
            requestTimeout = longest;
            return this;
        }

        /** 2 s by default. */
        public Builder drainDelay(Duration delay) {
            drainDelay = delay;
            return this;
        }

        /** 10 s by default. */
        public Builder drainTimeout(Duration longest) {
            drainTimeout = longest;
            return this;
        }

        /** None by default. */
        public Builder refundToken(Optional<BearerToken> token) {
            refundToken = token;
            return this;
        }

        /** None by default. */
        public Builder operatorToken(Optional<BearerToken> token) {
            operatorToken = token;
            return this;
        }

        /** None by default. */
        public Builder allowedHosts(List<String> hosts) {
            allowedHosts = List.copyOf(hosts);
            return this;
        }

        /** None by default. */
        public Builder clientAddress(Optional<ClientAddress> behindTrustedProxies) {
            clientAddress = behindTrustedProxies;
            return this;
        }

        public ServerSettings build() {
            return new ServerSettings(
                    listen,
                    maxConnections,
                    maxConnectionsPerClient.orElseGet(() -> connectionsPerClient(maxConnections)),
                    maxWaiting,
                    requestTimeout,
                    drainDelay,
                    drainTimeout,
                    refundToken,
                    operatorToken,
                    allowedHosts,
                    clientAddress);
        }
    }
}
