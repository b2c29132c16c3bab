package io.headgate.server.net;

import io.headgate.server.http.LogThrottle;
import io.netty.channel.Channel;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.unix.DomainSocketChannel;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Bounds the memory that the connections of each client, and of all clients, can take. A client is an IPv4 address or an IPv6 /64
 * network, because a host usually has all addresses of its network. This class installs a {@link ConnectionGate} in each connection. Safe
 * for use by all event loops.
 */
public final class ConnectionBounds {

    /** The longest request line of HTTP/1, in bytes. */
    public static final int MAX_REQUEST_LINE_BYTES = 16 * 1024;

    /** The maximum bytes of all header fields of a request. */
    public static final int MAX_HEADER_BYTES = 32 * 1024;

    /** The maximum bytes of a request body. Bodies with enqueued jobs may be longer; they are collected in parts of this size. */
    public static final int MAX_BODY_BYTES = 64 * 1024;

    /** The number of unsent bytes above which the server reads nothing more from a connection. */
    static final int MAX_UNSENT_BYTES = 64 * 1024;

    /**
     * The number of open HTTP/2 streams is at most the heap divided by this number. A request whose response is not read takes about
     * 30 KB, so all streams together take a quarter of the heap: as much as bodies, and as much as the keys of an engine in memory.
     */
    private static final int BYTES_PER_STREAM = 128 * 1024;

    /** The name of the {@link ConnectionGate} in a pipeline. */
    static final String GATE = "headgate-gate";

    private static final int MIN_STREAMS = 1_000;

    /** Incomplete bodies may take the heap divided by this number. */
    private static final int BODY_PART_OF_HEAP = 4;

    private static final Logger log = LoggerFactory.getLogger(ConnectionBounds.class);

    private final int maxConnectionsPerClient;
    private final int maxStreamsPerConnection;
    private final Quota streams;
    private final Quota bodyBytes;
    private final ConcurrentMap<String, ClientConnections> clients = new ConcurrentHashMap<>();
    private final LogThrottle refusals = new LogThrottle();
    private final LogThrottle bodyRefusals = new LogThrottle();

    /**
     * Derives the bounds on open streams and on the bytes of bodies from the heap.
     *
     * @param maxConnectionsPerClient the number of connections of one client; the server closes further ones
     * @param maxStreamsPerConnection the number of open streams of one HTTP/2 connection
     */
    public ConnectionBounds(int maxConnectionsPerClient, int maxStreamsPerConnection) {
        this.maxConnectionsPerClient = maxConnectionsPerClient;
        this.maxStreamsPerConnection = maxStreamsPerConnection;
        long heap = Runtime.getRuntime().maxMemory();
        this.streams = new Quota(Math.max(MIN_STREAMS, heap / BYTES_PER_STREAM));
        this.bodyBytes = new Quota(heap / BODY_PART_OF_HEAP);
    }

    /**
     * Counts a new connection, and adds the gate to it; closes it instead if its client has too many. Call this after Armeria has added
     * its own handlers.
     */
    public void install(ChannelPipeline pipeline) {
        // Armeria's server ignores the writability of a channel; the gate and the flow control of HTTP/2 use it.
        pipeline.channel()
                .config()
                .setWriteBufferWaterMark(new WriteBufferWaterMark(MAX_UNSENT_BYTES / 2, MAX_UNSENT_BYTES));
        Optional<String> found = client(pipeline.channel());
        if (found.isEmpty()) {
            pipeline.channel().close(); // the client has already disconnected
            return;
        }
        String address = found.get();
        AtomicInteger number = new AtomicInteger();
        ClientConnections client = clients.compute(address, (key, known) -> {
            ClientConnections counted = known == null ? new ClientConnections(quotas(address)) : known;
            number.set(counted.connections.incrementAndGet());
            return counted;
        });
        pipeline.channel()
                .closeFuture()
                .addListener(closed -> clients.computeIfPresent(
                        address, (key, known) -> known.connections.decrementAndGet() == 0 ? null : known));
        if (number.get() > maxConnectionsPerClient) {
            refusals.run(more -> log.warn(
                    "closed a connection of {}: this client already has {} open connections, the maximum"
                            + " (--max-connections-per-client){}",
                    address,
                    maxConnectionsPerClient,
                    more));
            pipeline.channel().close();
            return;
        }
        // Directly before the decoder, because the gate must know what the decoder has decoded.
        Optional<String> decoder = pipeline.names().stream()
                .filter(name -> name.contains("Http2PrefaceOrHttpHandler"))
                .findFirst();
        if (decoder.isPresent()) {
            pipeline.addBefore(decoder.get(), GATE, new ConnectionGate(client.quotas, maxStreamsPerConnection));
        } else {
            pipeline.addLast(new GateAfterHandshake(() -> new ConnectionGate(client.quotas, maxStreamsPerConnection)));
        }
    }

    private ClientQuotas quotas(String client) {
        return new ClientQuotas(
                streams.forOneClient(),
                bodyBytes.forOneClient(),
                () -> bodyRefusals.run(more -> log.warn(
                        "refused a request of {}: incomplete request bodies have reached their maximum size{}",
                        client,
                        more)));
    }

    /** The client of a connection; all clients of a Unix socket are one. Empty if it has disconnected. */
    private static Optional<String> client(Channel connection) {
        if (connection instanceof DomainSocketChannel) {
            return Optional.of("the Unix socket");
        }
        return connection.remoteAddress() instanceof InetSocketAddress remote
                ? Optional.of(text(client(remote.getAddress())))
                : Optional.empty();
    }

    private static String text(InetAddress client) {
        return client.getHostAddress() + (client instanceof Inet6Address ? "/64" : "");
    }

    /** The address that identifies a client: an IPv4 address, also if mapped to IPv6, or the /64 network of an IPv6 address. */
    private static InetAddress client(InetAddress address) {
        try {
            InetAddress unmapped = InetAddress.getByAddress(address.getAddress()); // turns a mapped one into IPv4
            return unmapped instanceof Inet6Address
                    ? InetAddress.getByAddress(Arrays.copyOf(Arrays.copyOf(unmapped.getAddress(), 8), 16))
                    : unmapped;
        } catch (UnknownHostException e) {
            throw new IllegalStateException("an IP address must have 4 or 16 bytes: " + address, e);
        }
    }

    /** The connections of one client. */
    private static final class ClientConnections {
        private final ClientQuotas quotas;

        /** Changed only while the map computes the entry. */
        private final AtomicInteger connections = new AtomicInteger();

        private ClientConnections(ClientQuotas quotas) {
            this.quotas = quotas;
        }
    }
}
