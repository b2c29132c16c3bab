package io.headgate.redis;

import io.headgate.limits.LimiterException;
import io.headgate.limits.internal.Quote;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import java.net.SocketAddress;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Sends script calls over one Lettuce connection, each at most once.
 *
 * <p>Lettuce keeps commands that had no reply when the connection broke and sends them again on the next one, which
 * would charge a request twice. So every call that is under way when the connection breaks is failed and cancelled at
 * that moment, before Lettuce reconnects, and nothing is sent while there is no connection; that holds whatever the
 * options of an application's own client. The one thing that is sent again is a script that Redis did not know, which
 * therefore did not run.
 */
final class LettuceExecutor implements ScriptExecutor {

    private final RedisAsyncCommands<String, String> commands;
    private final Set<Flight<?>> underWay = ConcurrentHashMap.newKeySet();
    private volatile boolean connected = true;

    LettuceExecutor(StatefulRedisConnection<String, String> connection) {
        this.commands = connection.async();
        connection.addListener(new ConnectionWatch());
        this.connected = connection.isOpen();
    }

    @Override
    public <T> CompletableFuture<T> execute(ScriptCall<T> call) {
        Flight<T> flight = new Flight<>(call);
        if (!connected) {
            flight.fail("not connected to Redis; nothing was sent", null);
            return flight;
        }
        underWay.add(flight);
        flight.send(commands.evalsha(call.script().sha1(), ScriptOutputType.VALUE, call.keys(), call.arguments()));
        return flight;
    }

    /** A call that was sent and not yet answered. */
    private final class Flight<T> extends CompletableFuture<T> {

        private final ScriptCall<T> call;
        private volatile @Nullable RedisFuture<String> command;

        Flight(ScriptCall<T> call) {
            this.call = call;
        }

        void send(RedisFuture<String> sent) {
            command = sent;
            if (isDone()) {
                // It was given up between the check and here.
                sent.cancel(true);
            }
            sent.whenComplete(this::land);
        }

        private void land(@Nullable String reply, @Nullable Throwable problem) {
            if (problem instanceof RedisNoScriptException && connected && !isDone()) {
                send(commands.eval(call.script().source(), ScriptOutputType.VALUE, call.keys(), call.arguments()));
                return;
            }
            underWay.remove(this);
            if (problem != null) {
                fail(RedisProblems.describeCall(problem), problem);
            } else if (reply != null) {
                decode(reply);
            }
        }

        private void decode(String reply) {
            try {
                complete(call.decoder().apply(reply));
            } catch (RuntimeException e) {
                fail("Redis answered what no script of ours answers: " + Quote.of(reply), e);
            }
        }

        void fail(String problem, @Nullable Throwable cause) {
            completeExceptionally(new LimiterException(call.script().name(), call.firstKey(), problem, cause));
        }

        @Override
        public boolean completeExceptionally(Throwable problem) {
            boolean first = super.completeExceptionally(problem);
            cancelCommand();
            return first;
        }

        @Override
        public boolean cancel(boolean mayInterrupt) {
            boolean first = super.cancel(mayInterrupt);
            cancelCommand();
            return first;
        }

        private void cancelCommand() {
            underWay.remove(this);
            RedisFuture<String> sent = command;
            if (sent != null) {
                sent.cancel(true);
            }
        }
    }

    /** Fails what is under way when the connection breaks, on Lettuce's own thread, before it can reconnect. */
    private final class ConnectionWatch implements RedisConnectionStateListener {

        @Override
        public void onRedisConnected(RedisChannelHandler<?, ?> connection, SocketAddress address) {
            connected = true;
        }

        @Override
        public void onRedisDisconnected(RedisChannelHandler<?, ?> connection) {
            connected = false;
            for (Flight<?> flight : underWay) {
                flight.fail("the connection broke before the answer came; whether it was charged is not known", null);
            }
        }
    }
}
