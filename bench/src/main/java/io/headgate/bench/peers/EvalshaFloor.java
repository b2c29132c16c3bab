package io.headgate.bench.peers;

import io.headgate.bench.run.RedisAccess;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

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
