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

/** A bare Lettuce connection as {@code RedisLimitEngine} opens its own: for what is measured without a library. */
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
        public CompletionStage<Boolean> ask(String key) {
            return command.apply(keyPrefix.concat(key));
        }

        @Override
        public void close() {
            redis.close();
        }
    }

    /** GET of a key that is not there: the least that anything on Redis costs. */
    public static final class GetFloor implements Subject {

        public static final String NAME = "floor-get";

        @Override
        public String name() {
            return NAME;
        }

        @Override
        public boolean limits() {
            return false;
        }

        @Override
        public Gate open(RedisAccess access, Quota quota, List<String> keys) {
            RawRedis redis = RawRedis.over(access);
            return new RawGate(redis, this, key -> redis.commands().get(key).thenApply(nothing -> true));
        }
    }

    /**
     * EVALSHA of {@code return 1}: the least that a script costs.
     *
     * @param twice whether it is called again when it was answered: the least that two scripts cost, one after the other
     */
    public record EvalshaFloor(boolean twice) implements Subject {

        public static final String NAME = "floor-evalsha";

        @Override
        public String name() {
            return NAME + (twice ? "-twice" : "");
        }

        @Override
        public boolean limits() {
            return false;
        }

        @Override
        public Gate open(RedisAccess access, Quota quota, List<String> keys) {
            RawRedis redis = RawRedis.over(access);
            String sha1 = redis.load("return 1");
            Function<String, CompletionStage<Boolean>> once =
                    key -> redis.call(sha1, key).thenApply(one -> true);
            return new RawGate(redis, this, twice ? key -> once.apply(key).thenCompose(one -> once.apply(key)) : once);
        }
    }
}
