package io.headgate.testkit.faults;

import io.headgate.testkit.faults.ProxyFaults.Cut;
import io.headgate.testkit.faults.ProxyFaults.Side;
import io.headgate.testkit.internal.RedisUrl;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Stands between a client and its Redis and does to them what networks and servers do, at a moment that the test chooses.
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
 * <table>
 * <caption>What there is</caption>
 * <tr><td>connections end</td><td>{@link #cutAll}, {@link #resetAll}; at a moment: {@link #cutNextReply}, {@link
 *     #cutNextReplyTo}, {@link #cutNextReplyAfter}, {@link #resetNextReplyAfter}, {@link #cutNextRequest}, {@link
 *     #cutNextRequestOf}</td></tr>
 * <tr><td>nobody gets in</td><td>{@link #refuseConnections}; or no answer comes: {@link #ignoreConnections}</td></tr>
 * <tr><td>bytes are lost</td><td>{@link #dropRequests}, {@link #dropReplies}; both, and nobody gets in: {@link
 *     #blackHole}</td></tr>
 * <tr><td>slow</td><td>{@link #delayReplies}, {@link #throttleReplies}, {@link #holdReplies}</td></tr>
 * <tr><td>errors</td><td>{@link #answerWithError}, {@link #answerNextWithError}</td></tr>
 * </table>
 *
 * <p>A method returns when it holds for whatever begins after it; what was being passed on in that instant may still get
 * through. {@link #resume()} ends all of it. Cuts are armed: each happens once, the oldest first, on whichever connection
 * its moment comes. At most {@value #MAX_CONNECTIONS} connections at once, three threads each; one more is closed. Safe
 * for use by several threads.
 */
public final class FaultProxy implements AutoCloseable {

    private static final int MAX_CONNECTIONS = 1_000;

    private final String redisUrl;
    private volatile InetSocketAddress redis;
    private final ProxyFaults faults = new ProxyFaults();
    private final ProxyAnswers answers = new ProxyAnswers();
    private final ProxyTraffic traffic = new ProxyTraffic();
    private final Set<ProxyConnection> connections = ConcurrentHashMap.newKeySet();
    private final ProxyDoor door;

    private FaultProxy(String redisUrl) {
        this.redisUrl = redisUrl;
        this.redis = address(redisUrl);
        this.door = new ProxyDoor(this::connected); // last: it may hand on a client at once
    }

    private static InetSocketAddress address(String redisUrl) {
        RedisUrl parsed = RedisUrl.parse(redisUrl);
        return new InetSocketAddress(parsed.host(), parsed.port());
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

    /** From now on whoever connects is led to another Redis, as when a name or an address moves; connections that are there stay. */
    public void leadTo(String otherRedisUrl) {
        redis = address(otherRedisUrl);
    }

    /** Arms a cut: the next request reaches Redis, and the connection ends instead of its reply. */
    public void cutNextReply() {
        faults.arm(new Cut(Side.REPLY, "", 0, false));
    }

    /** The same for the next reply to this command, such as {@code EVALSHA}. */
    public void cutNextReplyTo(String command) {
        faults.arm(new Cut(Side.REPLY, upper(command), 0, false));
    }

    /**
     * Arms a cut inside the next reply.
     *
     * @param bytes how much of the reply still gets through; a shorter reply gets through whole, then the connection
     *     ends
     */
    public void cutNextReplyAfter(int bytes) {
        faults.arm(new Cut(Side.REPLY, "", atLeast(0, "bytes that get through", bytes), false));
    }

    /** The same, but the connection ends by a reset (RST), as when a machine or a process dies and another answers for it. */
    public void resetNextReplyAfter(int bytes) {
        faults.arm(new Cut(Side.REPLY, "", atLeast(0, "bytes that get through", bytes), true));
    }

    /** Arms a cut: the connection ends when the next request has arrived here, and Redis never hears of it. */
    public void cutNextRequest() {
        faults.arm(new Cut(Side.REQUEST, "", 0, false));
    }

    /** The same for the next request with this command. */
    public void cutNextRequestOf(String command) {
        faults.arm(new Cut(Side.REQUEST, upper(command), 0, false));
    }

    /** Ends every connection at once. Clients may connect anew. */
    public void cutAll() {
        connections.forEach(ProxyConnection::close);
    }

    /** Ends every connection at once by a reset (RST), as a firewall does that has forgotten them. */
    public void resetAll() {
        connections.forEach(ProxyConnection::reset);
    }

    /** From now on nobody can connect; connections that are there stay. With {@link #cutAll()} after it, Redis is gone. */
    public void refuseConnections() {
        door.close();
    }

    /**
     * From now on whoever connects gets no answer, and waits until its own time-out; connections that are there stay. It
     * takes the system's help: Linux.
     */
    public void ignoreConnections() {
        door.deafen();
    }

    /** Ends {@link #refuseConnections()} and {@link #ignoreConnections()}; who tries in that very moment may be refused. */
    public void acceptConnections() {
        door.open();
    }

    /**
     * Half-open: what clients send is lost, and Redis never hears of it; replies to what was asked before get through. A
     * connection that has lost something, or was made meanwhile, stays so until somebody ends it, also after {@link
     * #resume()}; the others go on then.
     */
    public void dropRequests() {
        faults.drop(Side.REQUEST);
    }

    /** The other half: Redis does what it is asked, and its replies are lost, as is that it has closed a connection. */
    public void dropReplies() {
        faults.drop(Side.REPLY);
    }

    /** Everything is lost, both ways, without a word: {@link #dropRequests}, {@link #dropReplies}, {@link #ignoreConnections}. */
    public void blackHole() {
        dropRequests();
        dropReplies();
        ignoreConnections();
    }

    /**
     * Requests still reach Redis, nothing comes back, no connection ends: an outage that connections outlive. The replies
     * arrive late once {@link #resume()} is called; after {@link #cutAll()} they never do.
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

    /**
     * Replies come so slowly, on each connection.
     *
     * @param bytesPerSecond 1 or more
     */
    public void throttleReplies(int bytesPerSecond) {
        faults.throttle(atLeast(1, "bytes a second", bytesPerSecond));
    }

    /**
     * From now on these commands, or all when none are named, never reach Redis, and are answered with an error.
     *
     * @param error one line, such as {@code LOADING Redis is loading the dataset in memory}
     */
    public void answerWithError(String error, String... commands) {
        answers.add(error, commands, false);
    }

    /** The same for the next one of them only. */
    public void answerNextWithError(String error, String... commands) {
        answers.add(error, commands, true);
    }

    /** Ends {@link #holdReplies()}, and nothing else: what is delayed still is. */
    public void releaseReplies() {
        faults.release();
    }

    /** Changes nothing from now on: disarms cuts, accepts connections, delivers what was held or delayed, gives no answers. */
    public void resume() {
        faults.clear();
        answers.clear();
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
        if (connections.size() >= MAX_CONNECTIONS) {
            closeAtOnce(client);
            return;
        }
        // The connection takes itself out of the set when it ends, which may be at once.
        ProxyConnection[] self = new ProxyConnection[1];
        self[0] = new ProxyConnection(client, redis, faults, answers, traffic, () -> connections.remove(self[0]));
        connections.add(self[0]);
        self[0].start();
    }

    private static void closeAtOnce(Socket client) {
        try {
            client.close();
        } catch (IOException e) {
            // It is gone, which is all that was wanted.
        }
    }

    private static int atLeast(int least, String what, int given) {
        if (given < least) {
            throw new IllegalArgumentException(what + " must be " + least + " or more, was " + given);
        }
        return given;
    }

    private static String upper(String command) {
        return command.toUpperCase(Locale.ROOT);
    }
}
