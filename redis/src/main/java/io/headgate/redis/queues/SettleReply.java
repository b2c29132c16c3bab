package io.headgate.redis.queues;

import io.headgate.queues.Settled;
import io.headgate.redis.internal.Packed;
import java.util.List;

/**
 * The reply of settle.lua.
 *
 * @param nowMicros Redis's time
 * @param settled the results, in the caller's order
 */
record SettleReply(long nowMicros, List<Settled> settled) {

    private static final int TIME_BYTES = 7;

    static SettleReply of(byte[] reply, JobSettlements settlements) {
        return new SettleReply(Packed.number(reply, 0, TIME_BYTES), settlements.settled(reply, TIME_BYTES));
    }
}
