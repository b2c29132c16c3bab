package io.headgate.bench.limits;

import io.headgate.bench.peers.Subject;
import io.headgate.bench.peers.Subject.Gate;
import io.headgate.bench.peers.Subject.Quota;
import io.headgate.bench.run.RedisAccess;
import io.headgate.limits.hotkeys.HotKeys;
import io.headgate.redis.limits.RedisLimitEngine;
import java.util.List;

/** One limit of ours on an engine as it comes that also counts which keys are hot. */
record CountingSubject(HeadgateSubject limit) implements Subject {

    /** What follows the name of the limit. */
    static final String SUFFIX = "-hot-keys";

    @Override
    public String name() {
        return limit.name() + SUFFIX;
    }

    @Override
    public Gate open(RedisAccess access, Quota quota, List<String> keys) {
        RedisLimitEngine.Builder builder = HeadgateRedis.builder(access).hotKeys(HotKeys.create());
        return limit.gate(HeadgateRedis.of(builder), quota);
    }
}
