package io.headgate.redis.limits.internal.inflight;

import io.headgate.limits.LimiterException;
import io.headgate.limits.TimeSource;
import io.headgate.redis.RedisSettings;
import io.headgate.redis.internal.cluster.RedisLinks;
import io.headgate.redis.internal.connection.ConnectionSettings;
import io.headgate.redis.internal.connection.Failures;
import io.headgate.redis.internal.connection.RedisLink;
import java.time.Duration;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** A store of holds in Redis without an engine, with a time source that is passed in. */
record OpenHolds(RedisLink link, RedisHolds store) implements AutoCloseable {

    static OpenHolds connect(String url, String prefix, TimeSource time) {
        RedisSettings settings = RedisSettings.of(url).withTimeout(Duration.ofMinutes(1));
        RedisLink link = RedisLinks.open(new ConnectionSettings(settings), new PlainFailures());
        // The engine would encode ids. This simple encoding is enough: no two ids of these tests differ only in blanks.
        UnaryOperator<String> text = id -> id.replace(' ', '+');
        HoldKeys keys = new HoldKeys(prefix, text);
        HoldPlanner planner = new HoldPlanner(keys, HoldScripts.of(true), "test", Optional.of(time));
        return new OpenHolds(link, new RedisHolds(keys, planner, link.executor()));
    }

    @Override
    public void close() {
        link.close();
    }

    private static final class PlainFailures implements Failures {

        @Override
        public RuntimeException failure(
                String operation, String key, String problem, boolean mayBeDone, @Nullable Throwable cause) {
            return new LimiterException(operation, key, problem, mayBeDone, cause);
        }

        @Override
        public String notDone(String operation) {
            return "";
        }
    }
}
