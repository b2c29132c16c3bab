package io.headgate.redis.streams;

import io.headgate.queues.EntryId;
import io.headgate.queues.GroupSettings;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * After which entry a group begins when Redis does not know it: as its settings say, until this process has been handed
 * entries; then after the last of these, for what came since must not be lost with the group.
 */
final class GroupPosition {

    private final GroupSettings.Start start;
    private final AtomicReference<@Nullable EntryId> after = new AtomicReference<>();

    GroupPosition(GroupSettings.Start start) {
        this.start = start;
    }

    /** As Redis takes it. */
    String text() {
        EntryId passed = after.get();
        return passed == null ? first() : passed.toString();
    }

    private String first() {
        if (start instanceof GroupSettings.After entry) {
            return entry.id().toString();
        }
        return start instanceof GroupSettings.Now ? "$" : "0-0";
    }

    /** Goes on after what was claimed. From the first claim on, "now" is a time that has passed. */
    void passed(GroupClaim claim) {
        if (start instanceof GroupSettings.Now) {
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
