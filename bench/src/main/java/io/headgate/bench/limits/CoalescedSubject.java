package io.headgate.bench.limits;

import io.headgate.bench.peers.Subject;
import io.headgate.bench.peers.Subject.Gate;
import io.headgate.bench.peers.Subject.Quota;
import io.headgate.bench.run.RedisAccess;
import java.util.List;
import java.util.function.Function;

/** One limit of ours on an engine that joins requests in calls, and answers denials that are known. */
record CoalescedSubject(HeadgateSubject limit, Function<RedisAccess, HeadgateRedis> engine) implements Subject {

    /** What follows the name of the limit. */
    static final String SUFFIX = "-coalesced";

    @Override
    public String name() {
        return limit.name() + SUFFIX;
    }

    @Override
    public Gate open(RedisAccess access, Quota quota, List<String> keys) {
        return limit.gate(engine.apply(access), quota);
    }
}
