package io.headgate.bench.peers;

import io.headgate.bench.peers.Subject.Gate;
import io.headgate.bench.peers.Subject.Quota;
import io.headgate.bench.run.RedisAccess;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.codec.StringCodec;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/** A connection of the Lettuce client that all subjects on Lettuce use, for subjects without a library. */
public final class RawRedis implements AutoCloseable {

    private final StatefulRedisConnection<String, String> connection;

    private RawRedis(StatefulRedisConnection<String, String> connection) {
        this.connection = connection;
    }

    static RawRedis over(RedisAccess access) {
        return new RawRedis(access.client().connect(StringCodec.ASCII));
    }

    RedisAsyncCommands<String, String> commands() {
        return connection.async();
    }

    /** Loads a script, and returns the digest that calls it. */
    String load(String script) {
        return connection.sync().scriptLoad(script);
    }

    /** Calls a script of one key that returns a number. */
    CompletionStage<Long> call(String sha1, String key, String... arguments) {
        return commands().evalsha(sha1, ScriptOutputType.INTEGER, new String[] {key}, arguments);
    }

    @Override
    public void close() {
        connection.close();
    }

    /** A gate of one command over a bare connection. */
    static final class RawGate implements Gate {

        private final RawRedis redis;
        private final String keyPrefix;
        private final Function<String, CompletionStage<Boolean>> command;

        RawGate(RawRedis redis, Subject subject, Function<String, CompletionStage<Boolean>> command) {
            this.redis = redis;
            this.keyPrefix = subject.name() + ":";
            this.command = command;
        }

        @Override
        public CompletionStage<Boolean> tryAcquire(String key) {
            return command.apply(keyPrefix.concat(key));
        }

        @Override
        public void close() {
            redis.close();
        }
    }

    /** A floor: the smallest possible cost of a call, which no limiter with a call for each decision can undercut. */
    public record Floor(String name, Function<RawRedis, Function<String, CompletionStage<Boolean>>> command)
            implements Subject {

        public static final String GET = "floor-get";
        public static final String EVALSHA = "floor-evalsha";

        /** GET of a missing key: the cheapest command. */
        public static Floor get() {
            return new Floor(GET, redis -> key -> redis.commands().get(key).thenApply(nothing -> true));
        }

        /** EVALSHA of {@code return 1}: the cheapest script. */
        public static Floor evalsha() {
            return new Floor(EVALSHA, Floor::script);
        }

        /** The cheapest script, called twice in sequence. */
        public static Floor evalshaTwice() {
            return new Floor(EVALSHA + "-twice", redis -> {
                Function<String, CompletionStage<Boolean>> once = script(redis);
                return key -> once.apply(key).thenCompose(one -> once.apply(key));
            });
        }

        private static Function<String, CompletionStage<Boolean>> script(RawRedis redis) {
            String sha1 = redis.load("return 1");
            return key -> redis.call(sha1, key).thenApply(one -> true);
        }

        @Override
        public boolean limits() {
            return false;
        }

        @Override
        public Gate open(RedisAccess access, Quota quota, List<String> keys) {
            RawRedis redis = RawRedis.over(access);
            return new RawGate(redis, this, command.apply(redis));
        }
    }
}
