package io.headgate.redis.queues.internal.stream;

import io.headgate.queues.streams.EntryId;
import io.headgate.queues.streams.GroupSettings;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The entry after which a group is created again if Redis has lost the group. At first, it is the start that the settings give. For a
 * group that starts now, the first claim, even one without entries, replaces it by the time of that claim. From the first claimed entry on,
 * it is the last claimed entry, so that no later entry is skipped. Safe for use by several threads.
 */
final class GroupPosition {

    private final GroupSettings.Start start;
    private final AtomicReference<@Nullable EntryId> after = new AtomicReference<>();

    GroupPosition(GroupSettings.Start start) {
        this.start = start;
    }

    /** The position in the format of Redis. */
    String text() {
        EntryId claimed = after.get();
        return claimed == null ? first() : claimed.toString();
    }

    private String first() {
        if (start instanceof GroupSettings.After entry) {
            return entry.id().toString();
        }
        return start instanceof GroupSettings.Now ? "$" : "0-0";
    }

    /** Advances past the claimed entries. If the group starts now, the position is the time of the first claim. */
    void advance(GroupClaim claim) {
        if (start instanceof GroupSettings.Now) {
            // A millisecond earlier, so that no later entry of the same millisecond is skipped.
            after.compareAndSet(null, new EntryId(claim.nowMicros() / 1000 - 1, 0));
        }
        EntryId last = null;
        for (ClaimedEntry entry : claim.entries()) {
            last = later(last, entry.id());
        }
        if (last != null) {
            after.accumulateAndGet(last, (old, id) -> later(old, id));
        }
    }

    private static EntryId later(@Nullable EntryId one, EntryId other) {
        return one == null || one.compareTo(other) < 0 ? other : one;
    }
}
