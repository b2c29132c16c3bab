package io.headgate.redis.streams;

import io.headgate.queues.QueueListener.ClaimedJobs;
import io.headgate.queues.Settled;
import io.headgate.redis.internal.Packed;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a claim brought from the stream.
 *
 * @param nowMicros when, by Redis's clock
 * @param moreAtMicros when there may be more to claim, as far as is known
 * @param retriesDue how many entries may be due in the group's queue, for which the claim left room
 * @param fence under which the entries were handed out
 * @param isOpen whether new entries are left to the command behind
 * @param givenUp how many are dead letters now, as their leases expired too often
 * @param expiresAt when the leases expire
 * @param entries the entries
 * @param bytes how many bytes of the reply these are
 * @param settled what became of what was to be settled
 */
record GroupClaim(
        long nowMicros,
        long moreAtMicros,
        int retriesDue,
        long fence,
        boolean isOpen,
        int givenUp,
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
            lists.entries(fence, null, entries);
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

    /** Whether there were as many as the claim may bring, and so probably are more. */
    boolean isFull() {
        return moreAtMicros <= nowMicros && retriesDue == 0 && !entries.isEmpty();
    }

    /** With what the command behind has read, by the name of the batch if there is one. */
    GroupClaim with(byte[] reply, @Nullable Batch batch) {
        List<ClaimedEntry> read = new ArrayList<>();
        int size = MessagePack.read(reply, fence, batch, read);
        if (batch != null) {
            batch.isOf(read.size());
        }
        return new GroupClaim(
                nowMicros, moreAtMicros, retriesDue, fence, isOpen, givenUp, expiresAt, read, size, settled);
    }

    /** What this one settled and gave up, with what another one brought. */
    GroupClaim then(GroupClaim next) {
        return new GroupClaim(
                next.nowMicros,
                next.moreAtMicros,
                next.retriesDue,
                next.fence,
                next.isOpen,
                givenUp + next.givenUp,
                next.expiresAt,
                next.entries,
                next.bytes,
                settled);
    }

    /** The same in numbers. */
    ClaimedJobs inNumbers() {
        int crashed = 0;
        long latest = 0;
        for (ClaimedEntry entry : entries) {
            crashed += entry.crashes() > 0 ? 1 : 0;
            latest = Math.max(latest, nowMicros / 1000 - entry.id().millis());
        }
        return new ClaimedJobs(entries.size(), crashed, givenUp, Duration.ofMillis(latest));
    }
}
