package io.headgate.redis.internal.connection;

import io.headgate.redis.internal.script.PairedReplies;
import io.headgate.redis.internal.script.RedisExecutor;
import io.headgate.redis.internal.script.Script;
import io.headgate.redis.internal.script.ScriptCall;
import io.headgate.redis.internal.script.TrailingCommand;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.IntegerOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.CommandType;
import io.netty.util.concurrent.EventExecutorGroup;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Sends script calls over one Lettuce connection by pipelining. Each call is executed at most once, and the number of calls
 * in flight is bounded.
 *
 * <p>When a connection breaks, Lettuce keeps the commands without a reply and sends them again after it has
 * reconnected. That would charge a request twice. So every call is registered with {@link Flights} before it is
 * sent. When the connection breaks, all calls without a reply are cancelled immediately, before Lettuce reconnects.
 * Nothing is sent while there is no connection. This holds for any options of an application's own client.
 *
 * <p>A call is sent again in three cases only, in none of which it had an effect: Redis replied NOSCRIPT and so did not
 * run the script; the script replied that it did nothing; or a {@link CallRedirector}, which receives the failed calls,
 * sends one that no node has executed to another node.
 */
public final class LettuceExecutor implements RedisExecutor, CallRedirector.Origin {

    private static final String NOTHING_SENT = "; nothing was sent";

    private final EventExecutorGroup threads;
    private volatile @Nullable StatefulRedisConnection<byte[], byte[]> connection;
    private final Duration timeout;
    private final int maxInFlightCalls;
    private final Failures failures;
    private final Flights flights;
    private final AtomicInteger inFlight;
    private final CallRedirector redirector;
    private final Set<Script> scripts = ConcurrentHashMap.newKeySet();
    private final WriteOrder order = new WriteOrder();
    private volatile @Nullable Future<?> quitting;

    /**
     * Creates an executor without a connection. Until {@link #use} sets one, calls fail and nothing is sent.
     *
     * @param timeout the timeout of a call
     * @param maxInFlightCalls the maximum number of calls in flight
     * @param failures creates the exceptions
     * @param inFlight the number of calls in flight; shared by the executors of one Cluster
     * @param redirector receives failed calls
     */
    public LettuceExecutor(
            EventExecutorGroup threads,
            Duration timeout,
            int maxInFlightCalls,
            Failures failures,
            AtomicInteger inFlight,
            CallRedirector redirector) {
        this.threads = threads;
        this.timeout = timeout;
        this.maxInFlightCalls = maxInFlightCalls;
        this.failures = failures;
        this.inFlight = inFlight;
        this.redirector = redirector;
        this.flights = new Flights(timeout, threads, redirector::timedOut);
    }

    /** Sets the connection. Called at most once. */
    public void use(StatefulRedisConnection<byte[], byte[]> opened) {
        // Lettuce must not expire commands: Redis would still reply to them, but they would no longer count as in
        // flight.
        opened.setTimeout(Duration.ZERO);
        opened.addListener(new ConnectionWatch(opened));
        connection = opened;
    }

    @Override
    public void reconnect() {
        StatefulRedisConnection<byte[], byte[]> there = connection;
        Future<?> before = quitting;
        if (there != null
                && there.isOpen()
                && there.getOptions().isAutoReconnect()
                && (before == null || before.isDone())) {
            quitting = there.async().quit();
        }
    }

    /** Reconnects if the current connection is one of these. */
    void reconnect(Collection<?> connections) {
        StatefulRedisConnection<byte[], byte[]> there = connection;
        if (there != null && connections.contains(there)) {
            reconnect();
        }
    }

    /** Closes the connection if there is one. */
    void close() {
        StatefulRedisConnection<byte[], byte[]> there = connection;
        if (there != null) {
            there.close();
        }
    }

    @Override
    public <T> CompletableFuture<T> execute(ScriptCall<T> call, Runnable whenEnded) {
        return sent(new Flight<>(call, failures, System.nanoTime() + timeout.toNanos(), whenEnded));
    }

    private <T> Flight<T> sent(Flight<T> flight) {
        if (inFlight.incrementAndGet() > maxInFlightCalls) {
            inFlight.decrementAndGet();
            flight.stop(tooMany(), false);
        } else {
            sendHash(flight);
        }
        return flight;
    }

    @Override
    public <T> CompletableFuture<T> executeInAnyCase(ScriptCall<T> call) {
        Flight<T> flight = flight(call);
        inFlight.incrementAndGet();
        sendHash(flight);
        return flight;
    }

    /** Sends a call after ASKING to the node that imports its slot. */
    public <T> CompletableFuture<T> executeAsking(ScriptCall<T> call) {
        return sent(new Flight<>(call, failures, System.nanoTime() + timeout.toNanos()) {
            @Override
            public boolean isAsking() {
                return true;
            }
        });
    }

    @Override
    public <T, R> PairedReplies<T, R> execute(ScriptCall<T> call, TrailingCommand<R> trailing) {
        long deadline = System.nanoTime() + timeout.toNanos();
        Flight<T> first = new Flight<>(call, failures, deadline);
        // The trailing command has the name and keys of the script call in messages.
        Flight<R> second = new Flight<>(
                new ScriptCall<>(call.script(), call.keys(), call.arguments(), trailing.decoder()), failures, deadline);
        if (inFlight.addAndGet(2) > maxInFlightCalls) {
            inFlight.addAndGet(-2);
            first.fail(tooMany(), false, null);
            second.fail(tooMany(), false, null);
        } else {
            AsyncCommand<byte[], byte[], byte[]> script =
                    Commands.script(CommandType.EVALSHA, call.script().sha1(), call, order.arguments());
            AsyncCommand<byte[], byte[], byte[]> plain = Commands.plain(new PackedOutput(), trailing.command());
            prepare(first, script, this::landOrSendSource);
            prepare(second, plain, this::land);
            dispatch(
                    call.script(),
                    there -> there.dispatch(List.of(
                            script,
                            plain,
                            Commands.plain(new IntegerOutput<>(ByteArrayCodec.INSTANCE), trailing.cleanup()))),
                    first,
                    second);
        }
        return new PairedReplies<>(first, second);
    }

    private String tooMany() {
        return "too many calls are in flight: " + maxInFlightCalls + NOTHING_SENT;
    }

    @Override
    public CompletableFuture<byte[]> command(String name, byte[]... arguments) {
        // A script without a source: it only names the command in messages, and is never loaded.
        Flight<byte[]> flight =
                flight(new ScriptCall<>(new Script(name, "", ""), new String[0], arguments, reply -> reply));
        inFlight.incrementAndGet();
        send(flight, Commands.named(name, arguments), this::land);
        return flight;
    }

    /**
     * Runs the task and writes all calls that it sends to the network in one flush. Only one thread at a time may send over
     * the connection.
     */
    public <T> T flushTogether(Supplier<T> sending) {
        StatefulRedisConnection<byte[], byte[]> there = connection;
        if (there == null) {
            return sending.get();
        }
        there.setAutoFlushCommands(false);
        try {
            return sending.get();
        } finally {
            there.setAutoFlushCommands(true);
            there.flushCommands();
        }
    }

    private <T> Flight<T> flight(ScriptCall<T> call) {
        return new Flight<>(call, failures, System.nanoTime() + timeout.toNanos());
    }

    @Override
    public boolean mayOvertake() {
        return order.mayOvertake();
    }

    @Override
    public boolean isConnected() {
        StatefulRedisConnection<byte[], byte[]> there = connection;
        return there != null && there.isOpen();
    }

    @Override
    public EventExecutorGroup threads() {
        return threads;
    }

    @Override
    public int callsInFlight() {
        return inFlight.get();
    }

    @Override
    public boolean isCluster() {
        return false;
    }

    /** Sends a call that is already counted as in flight. */
    public void resend(Flight<?> flight) {
        sendHash(flight);
    }

    /** Returns the reply of CLUSTER SLOTS. Lettuce may send this command again after a reconnect. */
    public CompletableFuture<List<Object>> slots() {
        return Objects.requireNonNull(connection, "not connected")
                .async()
                .clusterSlots()
                .toCompletableFuture();
    }

    private interface OnReply {
        void of(Flight<?> flight, byte @Nullable [] reply, @Nullable Throwable problem);
    }

    private void send(Flight<?> flight, AsyncCommand<byte[], byte[], byte[]> command, OnReply landing) {
        prepare(flight, command, landing);
        Consumer<StatefulRedisConnection<byte[], byte[]>> sending = flight.isAsking()
                ? there -> there.dispatch(List.of(Commands.plain(new PackedOutput(), "ASKING"), command))
                : there -> there.dispatch(command);
        dispatch(flight.call().script(), sending, flight);
    }

    private void prepare(Flight<?> flight, AsyncCommand<byte[], byte[], byte[]> command, OnReply landing) {
        flight.carriedBy(command, this);
        flights.add(flight);
        command.whenComplete((reply, problem) -> landing.of(flight, reply, problem));
    }

    private void dispatch(
            Script script, Consumer<StatefulRedisConnection<byte[], byte[]>> sending, Flight<?>... flights) {
        StatefulRedisConnection<byte[], byte[]> there = connection;
        // Checked after the calls were registered: if the connection breaks from here on, its listener finds and stops
        // them.
        if (there == null || !there.isOpen()) {
            stop("not connected to Redis" + NOTHING_SENT, null, flights);
            return;
        }
        try {
            if (!script.source().isEmpty() && scripts.add(script)) {
                load(script, there);
            }
            sending.accept(there);
        } catch (RuntimeException e) {
            stop(e + NOTHING_SENT, e, flights);
        }
    }

    private static void stop(String problem, @Nullable Throwable cause, Flight<?>... flights) {
        for (Flight<?> flight : flights) {
            flight.stop(problem, false, cause);
        }
    }

    private void sendHash(Flight<?> flight) {
        ScriptCall<?> call = flight.call();
        send(
                flight,
                Commands.script(CommandType.EVALSHA, call.script().sha1(), call, order.arguments()),
                this::landOrSendSource);
    }

    /**
     * Sends SCRIPT LOAD before the first call of the script and after each reconnect. Its reply is not awaited, because
     * Redis runs the commands of one connection in order. If it fails, the calls fall back to EVAL.
     */
    private static void load(Script script, StatefulRedisConnection<byte[], byte[]> there) {
        there.async().scriptLoad(script.source().getBytes(StandardCharsets.UTF_8));
    }

    private void landOrSendSource(Flight<?> flight, byte @Nullable [] reply, @Nullable Throwable problem) {
        if (problem instanceof RedisNoScriptException && !flight.isDone()) {
            ScriptCall<?> call = flight.call();
            send(
                    flight,
                    Commands.script(CommandType.EVAL, call.script().source(), call, order.arguments()),
                    this::land);
        } else {
            land(flight, reply, problem);
        }
    }

    private void land(Flight<?> flight, byte @Nullable [] reply, @Nullable Throwable problem) {
        if (reply != null && problem == null && !flight.isDone() && flight.replan(reply)) {
            sendHash(flight);
            return;
        }
        if (problem != null && redirector.redirect(flight, problem, this)) {
            return;
        }
        inFlight.decrementAndGet();
        flight.land(reply, problem);
    }

    /**
     * Stops the calls in flight when the connection breaks, and loads the scripts again after a reconnect. It runs on
     * Lettuce's own thread, so the calls are stopped before Lettuce can reconnect.
     */
    private final class ConnectionWatch implements RedisConnectionStateListener {

        private final StatefulRedisConnection<byte[], byte[]> there;

        ConnectionWatch(StatefulRedisConnection<byte[], byte[]> there) {
            this.there = there;
        }

        @Override
        public void onRedisConnected(RedisChannelHandler<?, ?> handler, SocketAddress address) {
            order.clear();
            scripts.forEach(script -> load(script, there));
        }

        @Override
        public void onRedisDisconnected(RedisChannelHandler<?, ?> handler) {
            order.clear();
            Future<?> quit = quitting;
            if (quit != null) {
                // Lettuce would send QUIT again on the next connection.
                quit.cancel(true);
            }
            flights.stopAll(
                    "the connection broke before the answer came", flight -> flight.isCarriedBy(LettuceExecutor.this));
            redirector.disconnected();
        }
    }
}
