package io.headgate.server.serve;

import io.headgate.http.attributes.ClientAddress;
import io.headgate.server.audit.AuditFile;
import io.headgate.server.http.AuthenticatingProxy;
import io.headgate.server.http.BearerToken;
import io.headgate.server.net.ConnectionBounds;
import io.headgate.server.net.ListenerTls;
import io.headgate.server.operators.OperatorsFile;
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
 * @param operatorToken authorizes operator calls with the role admin
 * @param operators the operators with names; without them and the token, operator calls are disabled
 * @param tls the TLS of {@code listen}; without it, the server speaks plain HTTP there
 * @param operatorTls the TLS of {@code operatorListen}
 * @param operatorProxy a proxy that authenticates operators; empty if there is none
 * @param operatorListen the listen address of operator calls, which may be a Unix socket; without it, they share {@code listen}
 * @param allowedHosts values of {@code Host} that the server accepts in addition to those that {@link AllowedHosts} always allows
 * @param clientAddress finds the client behind trusted proxies; empty if none is trusted
 * @param auditFile the file to which records of the audit log are appended; empty if there is none
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
        Optional<OperatorsFile> operators,
        Optional<AuthenticatingProxy> operatorProxy,
        Optional<InetSocketAddress> operatorListen,
        Optional<ListenerTls> tls,
        Optional<ListenerTls> operatorTls,
        List<String> allowedHosts,
        Optional<ClientAddress> clientAddress,
        Optional<AuditFile> auditFile) {

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
        private Optional<OperatorsFile> operators = Optional.empty();
        private Optional<AuthenticatingProxy> operatorProxy = Optional.empty();
        private Optional<InetSocketAddress> operatorListen = Optional.empty();
        private Optional<ListenerTls> tls = Optional.empty();
        private Optional<ListenerTls> operatorTls = Optional.empty();
        private List<String> allowedHosts = List.of();
        private Optional<ClientAddress> clientAddress = Optional.empty();
        private Optional<AuditFile> auditFile = Optional.empty();

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

        /** None by default. The server closes the file when it stops. */
        public Builder operators(Optional<OperatorsFile> file) {
            operators = file;
            return this;
        }

        /** None by default. */
        public Builder operatorProxy(Optional<AuthenticatingProxy> proxy) {
            operatorProxy = proxy;
            return this;
        }

        /** None by default. */
        public Builder operatorListen(Optional<InetSocketAddress> address) {
            operatorListen = address;
            return this;
        }

        /** None by default. The server closes it when it stops. */
        public Builder tls(Optional<ListenerTls> ofListener) {
            tls = ofListener;
            return this;
        }

        /** None by default. The server closes it when it stops. */
        public Builder operatorTls(Optional<ListenerTls> ofListener) {
            operatorTls = ofListener;
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

        /** None by default. The server closes it when it stops. */
        public Builder auditFile(Optional<AuditFile> file) {
            auditFile = file;
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
                    operators,
                    operatorProxy,
                    operatorListen,
                    tls,
                    operatorTls,
                    allowedHosts,
                    clientAddress,
                    auditFile);
        }
    }
}
