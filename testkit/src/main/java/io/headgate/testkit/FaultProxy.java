package io.headgate.testkit;

import io.headgate.testkit.ProxyFaults.Cut;
import io.headgate.testkit.ProxyFaults.Side;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Stands between a client and its Redis and breaks their connections, at a moment that the test chooses.
 *
 * <pre>{@code
 * try (FaultProxy proxy = FaultProxy.before(redis.url())) {
 *     connect(proxy.url());
 *     proxy.cutNextReplyTo("EVALSHA"); // Redis runs the script, the client never hears of it
 *     ...
 *     proxy.awaitCut(Duration.ofSeconds(5));
 * }
 * }</pre>
 *
 * <p>It changes nothing until it is told to. It understands the Redis protocol, versions 2 and 3, without TLS, and
 * passes on whole requests and whole replies. Commands that are answered more than once or not at all ({@code
 * SUBSCRIBE} in version 2, {@code MONITOR}, {@code CLIENT REPLY}) pass, but after them a connection's replies are no
 * longer told apart by command.
 *
 * <p>Cuts are armed: each happens once, the oldest first, on whichever connection its moment comes. Safe for use by
 * several threads.
 */
public final class FaultProxy implements AutoCloseable {

    private final String redisUrl;
    private final InetSocketAddress redis;
    private final ProxyFaults faults = new ProxyFaults();
    private final ProxyTraffic traffic = new ProxyTraffic();
    private final Set<ProxyConnection> connections = ConcurrentHashMap.newKeySet();
    private final ProxyDoor door;

    private FaultProxy(String redisUrl) {
        RedisUrl parsed = RedisUrl.parse(redisUrl);
        this.redisUrl = redisUrl;
        this.redis = new InetSocketAddress(parsed.host(), parsed.port());
        this.door = new ProxyDoor(this::connected); // last: it may hand on a client at once
    }

    /** A proxy on a port of its own on 127.0.0.1, before the Redis of this URL. */
    public static FaultProxy before(String redisUrl) {
        return new FaultProxy(redisUrl);
    }

    /** Where clients connect; user, password and database are those of the Redis. */
    public String url() {
        return RedisUrl.readdressed(redisUrl, "127.0.0.1", port());
    }

    /** The port of {@link #url()}. */
    public int port() {
        return door.port();
    }

    /** Arms a cut: the next request reaches Redis, and the connection ends instead of its reply. */
    public void cutNextReply() {
        faults.arm(new Cut(Side.REPLY, "", 0));
    }

    /** The same for the next reply to this command, such as {@code EVALSHA}. */
    public void cutNextReplyTo(String command) {
        faults.arm(new Cut(Side.REPLY, upper(command), 0));
    }

    /**
     * Arms a cut inside the next reply.
     *
     * @param bytes how much of the reply still gets through; a shorter reply gets through whole, then the connection
     *     ends
     */
    public void cutNextReplyAfter(int bytes) {
        if (bytes < 0) {
            throw new IllegalArgumentException("bytes that get through must be 0 or more, was " + bytes);
        }
        faults.arm(new Cut(Side.REPLY, "", bytes));
    }

    /** Arms a cut: the connection ends when the next request has arrived here, and Redis never hears of it. */
    public void cutNextRequest() {
        faults.arm(new Cut(Side.REQUEST, "", 0));
    }

    /** The same for the next request with this command. */
    public void cutNextRequestOf(String command) {
        faults.arm(new Cut(Side.REQUEST, upper(command), 0));
    }

    /** Ends every connection at once. Clients may connect anew. */
    public void cutAll() {
        connections.forEach(ProxyConnection::close);
    }

    /** From now on nobody can connect; connections that are there stay. With {@link #cutAll()} after it, Redis is gone. */
    public void refuseConnections() {
        door.close();
    }

    /** Ends {@link #refuseConnections()}. */
    public void acceptConnections() {
        door.open();
    }

    /**
     * A black hole: requests still reach Redis, nothing comes back, no connection ends. As after an outage of a
     * network, the replies arrive late once {@link #resume()} is called; after {@link #cutAll()} they never do.
     */
    public void holdReplies() {
        faults.hold();
    }

    /**
     * Each reply arrives this much later, in order; many on their way do not add up.
     *
     * @param delay zero or more; zero ends it
     */
    public void delayReplies(Duration delay) {
        if (delay.isNegative()) {
            throw new IllegalArgumentException("a delay must be zero or more, was " + delay);
        }
        faults.delay(delay);
    }

    /** Ends {@link #holdReplies()}, and nothing else: what is delayed still is. */
    public void releaseReplies() {
        faults.release();
    }

    /** Changes nothing from now on: disarms cuts, accepts connections, delivers what was held or delayed. */
    public void resume() {
        faults.clear();
        door.open();
    }

    /**
     * Returns when every cut that was armed has happened.
     *
     * @throws AssertionError when one has not in that time
     */
    public void awaitCut(Duration atMost) {
        if (!faults.awaitCut(atMost)) {
            throw new AssertionError(
                    "waited " + atMost + " in vain for " + faults.armed() + "; seen: " + commandsSeen());
        }
    }

    /**
     * Returns when this command has been seen so many times.
     *
     * @throws AssertionError when it has not in that time
     */
    public void awaitCommands(String command, long count, Duration atMost) {
        if (!traffic.awaitCommands(command, count, atMost)) {
            throw new AssertionError(
                    "waited " + atMost + " in vain for " + count + " of " + command + "; seen: " + commandsSeen());
        }
    }

    /**
     * Returns when so many connections have been made, the ended ones included.
     *
     * @throws AssertionError when they have not in that time
     */
    public void awaitConnections(long count, Duration atMost) {
        if (!traffic.awaitConnections(count, atMost)) {
            throw new AssertionError(
                    "waited " + atMost + " in vain for " + count + " connections; seen: " + connectionsSeen());
        }
    }

    /** How often clients sent this command, whether it reached Redis or not; scripts' own calls are not seen here. */
    public long commandsSeen(String command) {
        return traffic.commands(upper(command));
    }

    /** The same for every command that was seen, by its name in capitals. */
    public Map<String, Long> commandsSeen() {
        return traffic.commands();
    }

    /** How many bytes clients sent, in whole requests. */
    public long requestBytesSeen() {
        return traffic.requestBytes();
    }

    /** How many connections were made, the ended ones included. */
    public long connectionsSeen() {
        return traffic.connections();
    }

    /** How many connections there are. */
    public int connectionsOpen() {
        return connections.size();
    }

    /** Ends all connections and stops listening. */
    @Override
    public void close() {
        door.close();
        cutAll();
    }

    private void connected(Socket client) {
        traffic.connected();
        // The connection takes itself out of the set when it ends, which may be at once.
        ProxyConnection[] self = new ProxyConnection[1];
        self[0] = new ProxyConnection(client, redis, faults, traffic, () -> connections.remove(self[0]));
        connections.add(self[0]);
        self[0].start();
    }

    private static String upper(String command) {
        return command.toUpperCase(Locale.ROOT);
    }
}
