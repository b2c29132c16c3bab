package io.headgate.bench.peers;

import io.headgate.bench.run.RedisAccess;
import java.util.List;

/** GET of a key that is not there: the least that anything on Redis costs. */
public final class GetFloor implements Subject {

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
