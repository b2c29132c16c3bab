package io.headgate.testkit.faults;

import io.headgate.testkit.faults.ProxyFaults.Cut;
import io.headgate.testkit.faults.ProxyFaults.Side;
import io.headgate.testkit.internal.RedisUrl;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Map;

/**
 * A proxy between a client and its Redis that causes faults of networks and servers at a moment that the test chooses.
 *
 * <pre>{@code
 * try (FaultProxy proxy = FaultProxy.before(redis.url())) {
 *     connect(proxy.url());
 *     proxy.cutNextReplyTo("EVALSHA"); // Redis runs the script, but the client never receives the reply
 *     ...
 *     proxy.awaitCut(Duration.ofSeconds(5));
 * }
 * }</pre>
 *
 * <p>A new proxy causes no faults. It parses the Redis protocol, versions 2 and 3, without TLS, and forwards whole requests and
 * whole replies. It also forwards commands with several replies or none ({@code SUBSCRIBE} in version 2, {@code MONITOR},
 * {@code CLIENT REPLY}). After such a command, the proxy no longer knows which command a reply of this connection belongs to.
 *
 * <table>
 * <caption>Faults</caption>
 * <tr><td>connections end</td><td>{@link #cutAll}, {@link #resetAll}; at a chosen request or reply: {@link #cutNextReply}, {@link
 *     #cutNextReplyTo}, {@link #cutNextReplyAfter}, {@link #resetNextReplyAfter}, {@link #cutNextRequest}, {@link
 *     #cutNextRequestOf}</td></tr>
 * <tr><td>clients cannot connect</td><td>{@link #refuseConnections}; or receive no answer: {@link #ignoreConnections}</td></tr>
 * <tr><td>bytes are lost</td><td>{@link #dropRequests}, {@link #dropReplies}; both, and connections are ignored: {@link
 *     #blackHole}</td></tr>
 * <tr><td>replies are slow</td><td>{@link #delayReplies}, {@link #throttleReplies}, {@link #holdReplies}</td></tr>
 * <tr><td>errors</td><td>{@link #answerWithError}, {@link #answerNextWithError}</td></tr>
 * </table>
 *
 * <p>When a method returns, its fault affects every later request and reply. A request or reply that the proxy was forwarding at that
 * instant may still pass. {@link #resume()} ends all faults. A cut is armed: it happens once, on the first connection that meets its
 * condition. If several cuts apply, the oldest happens. The proxy accepts up to {@value ProxyConnections#MAX} open connections, with
 * three threads each, and closes further ones. Safe for use by several threads.
 */
public final class FaultProxy implements AutoCloseable {

    private final String redisUrl;
    private final ProxyFaults faults = new ProxyFaults();
    private final ProxyAnswers answers = new ProxyAnswers();
    private final ProxyTraffic traffic = new ProxyTraffic();
    private final ProxyConnections connections;
    private final ProxyListener listener;

    private FaultProxy(String redisUrl) {
        this.redisUrl = redisUrl;
        this.connections = new ProxyConnections(address(redisUrl), faults, answers, traffic);
        this.listener = new ProxyListener(connections::accept); // last: a client may connect immediately
    }

    private static InetSocketAddress address(String redisUrl) {
        RedisUrl parsed = RedisUrl.parse(redisUrl);
        return new InetSocketAddress(parsed.host(), parsed.port());
    }

    /** Starts a proxy for the Redis of this URL, on a free port of 127.0.0.1. */
    public static FaultProxy before(String redisUrl) {
        return new FaultProxy(redisUrl);
    }

    /** The URL for clients, with the user, password and database of the Redis. */
    public String url() {
        return RedisUrl.readdressed(redisUrl, "127.0.0.1", port());
    }

    /** The port of {@link #url()}. */
    public int port() {
        return listener.port();
    }

    /** Connects later clients to another Redis, as when a name or an address moves. Open connections and {@link #url()} stay. */
    public void redirectTo(String otherRedisUrl) {
        connections.connectTo(address(otherRedisUrl));
    }

    /** Arms a cut: the connection ends instead of the next reply, whose request Redis has executed. */
    public void cutNextReply() {
        faults.arm(new Cut(Side.REPLY, "", 0, false));
    }

    /** Arms a cut as {@link #cutNextReply()}, for the next reply to this command, such as {@code EVALSHA}. */
    public void cutNextReplyTo(String command) {
        faults.arm(new Cut(Side.REPLY, command, 0, false));
    }

    /**
     * Arms a cut inside the next reply.
     *
     * @param bytes how many bytes of the reply still pass; a shorter reply passes whole, then the connection ends
     */
    public void cutNextReplyAfter(int bytes) {
        faults.arm(new Cut(Side.REPLY, "", atLeast(0, "bytes that get through", bytes), false));
    }

    /** Arms a cut as {@link #cutNextReplyAfter}, but the connection ends by a reset (RST), as after a crash. */
    public void resetNextReplyAfter(int bytes) {
        faults.arm(new Cut(Side.REPLY, "", atLeast(0, "bytes that get through", bytes), true));
    }

    /** Arms a cut: the connection ends when the proxy has received the next request; Redis does not receive it. */
    public void cutNextRequest() {
        faults.arm(new Cut(Side.REQUEST, "", 0, false));
    }

    /** Arms a cut as {@link #cutNextRequest()}, for the next request with this command. */
    public void cutNextRequestOf(String command) {
        faults.arm(new Cut(Side.REQUEST, command, 0, false));
    }

    /** Ends every connection now. Clients may connect again. */
    public void cutAll() {
        connections.closeAll();
    }

    /** Ends every connection now by a reset (RST), as a firewall does that has lost its state. */
    public void resetAll() {
        connections.resetAll();
    }

    /** Refuses new connections; open connections stay. Followed by {@link #cutAll()}, it simulates a Redis that is gone. */
    public void refuseConnections() {
        listener.close();
    }

    /** On Linux, does not answer new connections: clients wait until their connect timeout. Open connections stay. */
    public void ignoreConnections() {
        listener.ignore();
    }

    /** Ends {@link #refuseConnections()} and {@link #ignoreConnections()}. At this instant, a client may still be refused. */
    public void acceptConnections() {
        listener.open();
    }

    /**
     * Loses requests: Redis receives nothing that clients send. Replies to earlier requests pass. A connection that has lost a
     * request, or was opened meanwhile, loses all further ones until it is closed, even after {@link #resume()}. The other
     * connections work again after {@link #resume()}.
     */
    public void dropRequests() {
        faults.drop(Side.REQUEST);
    }

    /**
     * Loses replies: Redis executes requests, but clients do not receive its replies. If Redis closes a connection, the client notices
     * only after it has sent another request. A connection that has lost a reply loses all further ones, even after {@link #resume()}.
     */
    public void dropReplies() {
        faults.drop(Side.REPLY);
    }

    /** Loses everything in both directions without an error: {@link #dropRequests}, {@link #dropReplies}, {@link #ignoreConnections}. */
    public void blackHole() {
        dropRequests();
        dropReplies();
        ignoreConnections();
    }

    /**
     * Withholds replies: requests reach Redis, no reply returns, and no connection ends. Clients receive the replies after
     * {@link #releaseReplies()} or {@link #resume()}, or never after {@link #cutAll()}.
     */
    public void holdReplies() {
        faults.hold();
    }

    /**
     * Delays each reply by this time, in order. The delays of several replies overlap. A later call also applies to waiting replies.
     *
     * @param delay zero or more; zero ends the delay
     */
    public void delayReplies(Duration delay) {
        if (delay.isNegative()) {
            throw new IllegalArgumentException("a delay must be zero or more, was " + delay);
        }
        faults.delay(delay);
    }

    /**
     * Limits the rate of replies on each connection, until {@link #resume()}.
     *
     * @param bytesPerSecond 1 or more
     */
    public void throttleReplies(int bytesPerSecond) {
        faults.throttle(atLeast(1, "bytes a second", bytesPerSecond));
    }

    /**
     * Answers these commands, or all if none are given, with an error, until {@link #resume()}. Redis does not receive them. If several
     * errors apply to a command, the proxy returns the one that was set first.
     *
     * @param error one line, such as {@code LOADING Redis is loading the dataset in memory}
     */
    public void answerWithError(String error, String... commands) {
        answers.add(error, commands, false);
    }

    /** Answers only the next of these commands with an error, as {@link #answerWithError} does. */
    public void answerNextWithError(String error, String... commands) {
        answers.add(error, commands, true);
    }

    /** Ends {@link #holdReplies()}, but not {@link #delayReplies}. */
    public void releaseReplies() {
        faults.release();
    }

    /**
     * Ends all faults: disarms cuts, accepts connections, delivers withheld and delayed replies, and returns no more errors of its own.
     * Connections that have lost bytes stay broken, and {@link #redirectTo} stays in effect.
     */
    public void resume() {
        faults.clear();
        answers.clear();
        listener.open();
    }

    /**
     * Returns when no cut is armed, because every one has happened or was disarmed.
     *
     * @throws AssertionError when one has not happened in that time
     */
    public void awaitCut(Duration atMost) {
        ProxyTraffic.require(faults.awaitCut(atMost), atMost, faults.armed() + "; seen: " + commandsSeen());
    }

    /**
     * Returns when clients have sent this command at least {@code count} times.
     *
     * @throws AssertionError when they have sent fewer in that time
     */
    public void awaitCommands(String command, long count, Duration atMost) {
        traffic.awaitCommands(command, count, atMost);
    }

    /**
     * Returns when clients have opened at least {@code count} connections, including those that have ended.
     *
     * @throws AssertionError when they have opened fewer in that time
     */
    public void awaitConnections(long count, Duration atMost) {
        traffic.awaitConnections(count, atMost);
    }

    /**
     * Returns when the proxy has lost at least {@code count} replies; call it before {@link #resume()}.
     *
     * @throws AssertionError when it has lost fewer in that time
     */
    public void awaitLostReplies(long count, Duration atMost) {
        traffic.awaitLostReplies(count, atMost);
    }

    /** How often clients sent this command, even if it was lost; not in scripts, nor on connections opened while requests are dropped. */
    public long commandsSeen(String command) {
        return traffic.commands(command);
    }

    /** How often clients sent each command, by its name in upper case. */
    public Map<String, Long> commandsSeen() {
        return traffic.commands();
    }

    /** How many bytes clients sent, in whole requests. */
    public long requestBytesSeen() {
        return traffic.requestBytes();
    }

    /** How many connections clients opened, including those that have ended. */
    public long connectionsSeen() {
        return traffic.connections();
    }

    /** How many connections are open. */
    public int connectionsOpen() {
        return connections.count();
    }

    /** Ends all connections and stops listening. */
    @Override
    public void close() {
        listener.close();
        cutAll();
    }

    private static int atLeast(int least, String what, int given) {
        if (given < least) {
            throw new IllegalArgumentException(what + " must be " + least + " or more, was " + given);
        }
        return given;
    }
}
