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
 * Sends script calls over one Lettuce connection, each at most once, and no more of them than a bound.
 *
 * <p>Lettuce keeps commands that had no reply when the connection broke and sends them again on the next one, which
 * would charge a request twice. So every command is known to {@link Flights} before it is sent; when the connection
 * breaks, all that have had no reply are cancelled at that moment, before Lettuce reconnects, and nothing is sent while
 * there is no connection. That holds whatever the options of an application's own client. Two things are sent
 * again: a script that Redis did not know, which therefore did not run, and one that replies that it did nothing. A call that
 * failed without having run goes to a {@link CallRedirector}.
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
     * Sends over a connection that is {@linkplain #use made later}: until then calls fail and nothing is sent.
     *
     * @param timeout how long to wait for a reply
     * @param maxInFlightCalls how many calls may wait for Redis at once
     * @param failures makes the exceptions
     * @param inFlight counts the calls that wait; shared by the executors of one Cluster
     * @param redirector is called for what failed without having run
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

    /** Sends over that from now on; once, where there was none. */
    public void use(StatefulRedisConnection<byte[], byte[]> opened) {
        // A command that the client library gives up is one that Redis still has to answer, and would no longer count.
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

    /** The same, if the connection is one of these. */
    void reconnect(Collection<?> connections) {
        StatefulRedisConnection<byte[], byte[]> there = connection;
        if (there != null && connections.contains(there)) {
            reconnect();
        }
    }

    /** Closes the connection, if there is one. */
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

    /** Sends a call after ASKING, to the node that imports its slot. */
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
        // For messages it is part of the same call.
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
            prepare(first, script, this::landOrSendWhole);
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
        Flight<byte[]> flight =
                flight(new ScriptCall<>(new Script(name, "", ""), new String[0], arguments, reply -> reply));
        inFlight.incrementAndGet();
        send(flight, Commands.named(name, arguments), this::land);
        return flight;
    }

    /** Has all that is sent in there go in one write to the network; for connections over which one sends at a time. */
    public <T> T together(Supplier<T> sending) {
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

    /** Sends a call that is counted as under way already. */
    public void carry(Flight<?> flight) {
        sendHash(flight);
    }

    /** Asks the node that it is a connection to; not for what must not be sent twice. */
    public CompletableFuture<List<Object>> slots() {
        return Objects.requireNonNull(connection, "not connected")
                .async()
                .clusterSlots()
                .toCompletableFuture();
    }

    private interface Landing {
        void of(Flight<?> flight, byte @Nullable [] reply, @Nullable Throwable problem);
    }

    private void send(Flight<?> flight, AsyncCommand<byte[], byte[], byte[]> command, Landing landing) {
        prepare(flight, command, landing);
        Consumer<StatefulRedisConnection<byte[], byte[]>> sending = flight.isAsking()
                ? there -> there.dispatch(List.of(Commands.plain(new PackedOutput(), "ASKING"), command))
                : there -> there.dispatch(command);
        dispatch(flight.call().script(), sending, flight);
    }

    private void prepare(Flight<?> flight, AsyncCommand<byte[], byte[], byte[]> command, Landing landing) {
        flight.carriedBy(command, this);
        flights.add(flight);
        command.whenComplete((reply, problem) -> landing.of(flight, reply, problem));
    }

    private void dispatch(
            Script script, Consumer<StatefulRedisConnection<byte[], byte[]>> sending, Flight<?>... carried) {
        StatefulRedisConnection<byte[], byte[]> there = connection;
        // Only now: a connection that breaks from here on is closed first, and then its watch finds the flights.
        if (there == null || !there.isOpen()) {
            stop("not connected to Redis" + NOTHING_SENT, null, carried);
            return;
        }
        try {
            if (!script.source().isEmpty() && scripts.add(script)) {
                load(script, there);
            }
            sending.accept(there);
        } catch (RuntimeException e) {
            stop(e + NOTHING_SENT, e, carried);
        }
    }

    private static void stop(String problem, @Nullable Throwable cause, Flight<?>... carried) {
        for (Flight<?> flight : carried) {
            flight.stop(problem, false, cause);
        }
    }

    private void sendHash(Flight<?> flight) {
        ScriptCall<?> call = flight.call();
        send(
                flight,
                Commands.script(CommandType.EVALSHA, call.script().sha1(), call, order.arguments()),
                this::landOrSendWhole);
    }

    /**
     * Has Redis keep the script, before the first call of it and whenever the connection is there again. Nobody waits
     * for that, as Redis takes what one connection sends in its order; where it fails, the calls find out.
     */
    private static void load(Script script, StatefulRedisConnection<byte[], byte[]> there) {
        there.async().scriptLoad(script.source().getBytes(StandardCharsets.UTF_8));
    }

    private void landOrSendWhole(Flight<?> flight, byte @Nullable [] reply, @Nullable Throwable problem) {
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

    /** Stops what is under way when the connection breaks, on Lettuce's own thread, before it can reconnect. */
    private final class ConnectionWatch implements RedisConnectionStateListener {

        private final StatefulRedisConnection<byte[], byte[]> there;

        ConnectionWatch(StatefulRedisConnection<byte[], byte[]> there) {
            this.there = there;
        }

        @Override
        public void onRedisConnected(RedisChannelHandler<?, ?> handler, SocketAddress address) {
            order.forget();
            scripts.forEach(script -> load(script, there));
        }

        @Override
        public void onRedisDisconnected(RedisChannelHandler<?, ?> handler) {
            order.forget();
            Future<?> quit = quitting;
            if (quit != null) {
                // The client library would send it again on the next connection.
                quit.cancel(true);
            }
            flights.stopAll(
                    "the connection broke before the answer came", flight -> flight.isCarriedBy(LettuceExecutor.this));
            redirector.disconnected();
        }
    }
}
