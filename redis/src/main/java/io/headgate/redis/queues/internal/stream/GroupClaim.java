package io.headgate.redis.queues.internal.stream;

import io.headgate.queues.QueueListener.ClaimedJobs;
import io.headgate.queues.Settled;
import io.headgate.redis.internal.script.Packed;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The result of claiming entries from a stream.
 *
 * @param nowMicros Redis's time
 * @param moreAtMicros the earliest time at which more entries may be available; an entry that is produced after this claim may be
 *     available earlier
 * @param retriesDue how many entries may be due in the group's retry queue; the claim left room for them
 * @param fence the fence of the group when the entries were claimed: a number that grows when a consumer takes over entries
 * @param isReadByCommand whether a trailing command, an {@code XREADGROUP} after the script, reads the new entries instead of the script
 * @param deadLettered how many entries became dead letters, because too many of their leases expired
 * @param expiresAt when the leases expire
 * @param entries the entries
 * @param bytes the size of the entries in the reply
 * @param settled the results of the settlements
 */
record GroupClaim(
        long nowMicros,
        long moreAtMicros,
        int retriesDue,
        long fence,
        boolean isReadByCommand,
        int deadLettered,
        Instant expiresAt,
        List<ClaimedEntry> entries,
        int bytes,
        List<Settled> settled) {

    private static final int HEADER_BYTES = 29;

    static GroupClaim of(byte[] reply, long leaseMillis, EntrySettlements settlements) {
        long now = Packed.number(reply, 0, 7);
        long fence = Packed.number(reply, 17, 7);
        List<ClaimedEntry> entries = new ArrayList<>();
        MessagePack lists = new MessagePack(reply, HEADER_BYTES);
        for (long list = Packed.number(reply, 27, 2); list > 0; list--) {
            ClaimedEntry.readList(lists, reply, fence, null, entries);
        }
        return new GroupClaim(
                now,
                Packed.number(reply, 7, 7),
                (int) Packed.number(reply, 15, 2),
                fence,
                reply[24] != 0,
                (int) Packed.number(reply, 25, 2),
                Instant.ofEpochMilli(now / 1000 + leaseMillis),
                entries,
                lists.at() - HEADER_BYTES,
                settlements.settled(reply, lists.at()));
    }

    /** Whether the claim returned entries and more may be available now. Not if retries are due. */
    boolean isFull() {
        return moreAtMicros <= nowMicros && retriesDue == 0 && !entries.isEmpty();
    }

    /** Returns this claim with the entries that the trailing command has read. */
    GroupClaim withEntries(byte[] reply, @Nullable Batch batch) {
        List<ClaimedEntry> read = new ArrayList<>();
        int size = ClaimedEntry.readReply(reply, fence, batch, read);
        if (batch != null) {
            batch.setSize(read.size());
        }
        return new GroupClaim(
                nowMicros,
                moreAtMicros,
                retriesDue,
                fence,
                isReadByCommand,
                deadLettered,
                expiresAt,
                read,
                size,
                settled);
    }

    /** Returns the next claim with the settlement results of this claim, and with the number of dead letters of both. */
    GroupClaim followedBy(GroupClaim next) {
        return new GroupClaim(
                next.nowMicros,
                next.moreAtMicros,
                next.retriesDue,
                next.fence,
                next.isReadByCommand,
                deadLettered + next.deadLettered,
                next.expiresAt,
                next.entries,
                next.bytes,
                settled);
    }

    /** The counts for listeners. */
    ClaimedJobs counts() {
        int crashed = 0;
        long maxLatenessMillis = 0;
        for (ClaimedEntry entry : entries) {
            crashed += entry.crashes() > 0 ? 1 : 0;
            maxLatenessMillis =
                    Math.max(maxLatenessMillis, nowMicros / 1000 - entry.id().millis());
        }
        return new ClaimedJobs(entries.size(), crashed, deadLettered, Duration.ofMillis(maxLatenessMillis));
    }
}
