package io.headgate.bench.peers;

import io.headgate.bench.run.RedisAccess;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.codec.StringCodec;
import java.util.concurrent.CompletionStage;

/** A bare Lettuce connection as {@code RedisLimitEngine} opens its own: for what is measured without a library. */
final class RawRedis implements AutoCloseable {

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
}
