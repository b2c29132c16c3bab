package io.headgate.redis.streams;

import io.headgate.queues.Settled;
import io.headgate.redis.internal.Packed;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * What a claim brought from the stream.
 *
 * @param nowMicros when, by Redis's clock
 * @param moreAtMicros when there may be more to claim, as far as is known
 * @param paused whether the group hands out nothing
 * @param retriesDue how many entries may be due in the group's queue, for which the claim left room
 * @param expiresAt when the leases expire
 * @param entries the entries
 * @param settled what became of what was to be settled
 */
record GroupClaim(
        long nowMicros,
        long moreAtMicros,
        boolean paused,
        int retriesDue,
        Instant expiresAt,
        List<ClaimedEntry> entries,
        List<Settled> settled) {

    private static final int HEADER_BYTES = 19;

    static GroupClaim of(byte[] reply, long leaseMillis, EntrySettlements settlements) {
        long now = Packed.number(reply, 0, 7);
        List<ClaimedEntry> entries = new ArrayList<>();
        MessagePack lists = new MessagePack(reply, HEADER_BYTES);
        for (long list = Packed.number(reply, 17, 2); list > 0; list--) {
            for (int entry = lists.list(); entry > 0; entry--) {
                entries.add(ClaimedEntry.of(lists, reply));
            }
        }
        return new GroupClaim(
                now,
                Packed.number(reply, 7, 7),
                reply[14] != 0,
                (int) Packed.number(reply, 15, 2),
                Instant.ofEpochMilli(now / 1000 + leaseMillis),
                entries,
                settlements.settled(reply, lists.at()));
    }
}
