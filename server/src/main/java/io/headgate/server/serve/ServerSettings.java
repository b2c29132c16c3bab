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
 * The settings of a server.
 *
 * @param listen the listen address; port 0 selects a free one
 * @param maxConnections the number of connections; further ones are closed
 * @param maxConnectionsPerClient the number of connections of one client, an IPv4 address or an IPv6 /64; further ones are closed
 * @param maxWaiting the number of requests that wait for permits or for the delay of a shaper; further ones are rejected before they are
 *     decided
 * @param requestTimeout the time after which a request gets 503, or 408 if its body has not arrived; delayed responses, waiting requests
 *     and audits have more
 * @param drainDelay the time for which a stopping server still handles requests, while it reports that it is not ready
 * @param drainTimeout the time that requests in flight have after the drain delay
 * @param refundToken authorizes refunds; without it, refunds are disabled
 * @param operatorToken authorizes operator calls; without it, they are disabled
 * @param allowedHosts values of {@code Host} that the server accepts in addition to those that {@link AllowedHosts} always allows
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

    /** Creates a builder with the defaults, and no tokens. */
    public static Builder builder(InetSocketAddress listen) {
        return new Builder(listen);
    }

    /**
     * The default number of connections of one client: half of all, and at most what half of the direct memory holds. Each may have
     * {@value ConnectionBounds#MAX_HEADER_BYTES} bytes of an unfinished request.
     */
    private static int connectionsPerClient(int maxConnections) {
        long byMemory = PlatformDependent.maxDirectMemory() / 2 / ConnectionBounds.MAX_HEADER_BYTES;
        return (int) Math.max(1, Math.min(maxConnections / 2, byMemory));
    }

    /** Builds settings; each has its default unless it is set. */
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

        /** By default, half of all connections, or fewer if the direct memory is small. */
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
