package io.headgate.redis.queues;

import io.headgate.queues.JobId;
import io.headgate.queues.Priority;
import io.headgate.redis.internal.Packed;
import java.util.HexFormat;

/** What the id of a job is made of: shard, priority, when it was due first, and its number. */
final class JobIds {

    private static final HexFormat HEX = HexFormat.of();
    private static final String FIRST = "000000000001";

    private JobIds() {}

    static JobId of(int shard, Priority priority, long firstDueMicros, long number) {
        byte[] id = new Packed()
                .number(shard, 1)
                .number(Levels.of(priority), 1)
                .number(firstDueMicros, 7)
                .number(number, 6)
                .bytes();
        return new JobId(HEX.formatHex(id));
    }

    /** Whether nothing was enqueued in its shard before. */
    static boolean isFirst(JobId id) {
        return id.value().endsWith(FIRST);
    }

    /** The shard that the job is in. */
    static int shard(JobId id) {
        return bytes(id)[0] & 0xff;
    }

    /** The parts of an id, as scripts take them. */
    static byte[] bytes(JobId id) {
        return HEX.parseHex(id.value());
    }
}
