package io.headgate.queues.streams;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * What is in a stream, and how far its groups are, at one instant.
 *
 * @param length how many entries there are
 * @param first the oldest entry; empty when there is none
 * @param last the id that was given last; empty when there is no stream
 * @param groups its groups
 */
public record StreamState(long length, Optional<EntryId> first, Optional<EntryId> last, List<Group> groups) {

    /**
     * How far a group is.
     *
     * @param name what it is called
     * @param delivered the last entry that was handed out for the first time
     * @param lag how many entries were not handed out yet; empty where Redis can't tell: before 7.0, and sometimes after
     *     entries were deleted
     * @param pending how many were handed out and are not settled
     * @param oldestPending the oldest of these
     * @param consumers who has them
     */
    public record Group(
            String name,
            EntryId delivered,
            Optional<Long> lag,
            long pending,
            Optional<EntryId> oldestPending,
            List<Consumer> consumers) {}

    /**
     * Who reads: one engine of one process.
     *
     * @param name what it is called, at random
     * @param pending how many entries it has in hand
     * @param idle for how long it has not asked for any; before Redis 7.2, has not been handed any
     */
    public record Consumer(String name, long pending, Duration idle) {}
}
