package io.headgate.bench;

import java.util.List;

/** EVALSHA of {@code return 1}, and again when it is answered: the least that two scripts cost, one after the other. */
final class TwoCallsFloor implements Subject {

    @Override
    public String name() {
        return Subjects.FLOOR_EVALSHA + "-twice";
    }

    @Override
    public boolean limits() {
        return false;
    }

    @Override
    public Gate open(RedisAccess access, Quota quota, List<String> keys) {
        RawRedis redis = RawRedis.over(access);
        String sha1 = redis.load("return 1");
        return new RawGate(redis, this, key -> redis.call(sha1, key)
                .thenCompose(one -> redis.call(sha1, key))
                .thenApply(one -> true));
    }
}
