package io.headgate.bench.peers;

import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/** A gate of one command over a bare connection. */
final class RawGate implements Gate {

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
