package io.headgate.redis.queues.internal.job;

import io.headgate.queues.JobId;
import io.headgate.queues.Priority;
import io.headgate.redis.internal.script.Packed;
import java.util.HexFormat;
import java.util.Optional;

/** Encodes the id of a job: shard, priority, first due time, number, and tenant. */
public final class JobIds {

    private static final HexFormat HEX = HexFormat.of();
    private static final int DIGITS = 30;
    /** The number of the first job of a shard, as its id contains it. */
    private static final String FIRST = "000000000001";

    private JobIds() {}

    static JobId of(int shard, Priority priority, long firstDueMicros, long number, Optional<String> tenant) {
        byte[] id = new Packed()
                .number(shard, 1)
                .number(Levels.of(priority), 1)
                .number(firstDueMicros, 7)
                .number(number, 6)
                .bytes();
        return new JobId(HEX.formatHex(id) + tenant.map(name -> "-" + name).orElse(""));
    }

    /** Whether this was the first job that was ever enqueued in its shard. */
    public static boolean isFirst(JobId id) {
        return id.value().startsWith(FIRST, DIGITS - FIRST.length());
    }

    /** Returns the shard of the job. */
    public static int shard(JobId id) {
        return bytes(id)[0] & 0xff;
    }

    /** Returns the number of the job in its shard. */
    public static long number(JobId id) {
        return Packed.number(bytes(id), 9, 6);
    }

    /** Returns the bytes of an id, without the tenant, as scripts read them. */
    public static byte[] bytes(JobId id) {
        return HEX.parseHex(id.value().substring(0, DIGITS));
    }
}
