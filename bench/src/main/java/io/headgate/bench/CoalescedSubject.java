package io.headgate.bench;

import java.util.List;

/** One limit of ours on an engine as it comes: it joins requests in calls, and answers denials that are known. */
record CoalescedSubject(HeadgateSubject limit) implements Subject {

    /** What follows the name of the limit. */
    static final String SUFFIX = "-coalesced";

    @Override
    public String name() {
        return limit.name() + SUFFIX;
    }

    @Override
    public Gate open(RedisAccess access, Quota quota, List<String> keys) {
        return limit.gate(HeadgateRedis.coalescingOver(access), quota);
    }
}
