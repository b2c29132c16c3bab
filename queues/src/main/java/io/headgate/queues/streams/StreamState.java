package io.headgate.queues.streams;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The length of a stream and the progress of its groups, at one instant.
 *
 * @param length the number of entries
 * @param first the oldest entry; empty if there is none
 * @param last the id of the newest entry that was ever produced, {@code 0-0} if none was; empty if the stream does not exist
 * @param groups the consumer groups
 */
public record StreamState(long length, Optional<EntryId> first, Optional<EntryId> last, List<Group> groups) {

    /**
     * The progress of a consumer group.
     *
     * @param name the name
     * @param delivered the newest entry that was delivered; before the first delivery, the entry after which the group starts
     * @param lag the number of entries that were not delivered yet; empty if Redis does not report it: before 7.0, and sometimes after
     *     deletions
     * @param pending the number of entries that were delivered and not settled
     * @param oldestPending the oldest of these entries
     * @param consumers the consumers of the group
     */
    public record Group(
            String name,
            EntryId delivered,
            Optional<Long> lag,
            long pending,
            Optional<EntryId> oldestPending,
            List<Consumer> consumers) {}

    /**
     * A consumer of a group: one engine in one process.
     *
     * @param name a random name
     * @param pending the number of entries that it has claimed and not settled
     * @param idle the time since its last claim; before Redis 7.2, since its last delivered entry
     */
    public record Consumer(String name, long pending, Duration idle) {}
}
