package io.headgate.queues.streams;

import io.headgate.queues.Durability;
import io.headgate.queues.internal.JobBounds;
import java.time.Duration;
import java.util.Objects;

/**
 * The name, start and bounds of a consumer group. Use the same settings in all processes. Immutable.
 *
 * @param name 1 to 64 of {@code A-Z a-z 0-9 . _ -}, the first a letter or digit; part of the keys in Redis
 * @param start where the group starts when it is created
 * @param minIdle the minimum idle time: how long an entry stays with its consumer after the claim or the last extension, unless that
 *     call sets a shorter lease. Also the longest lease, and the default. 10 ms to 1 day
 * @param maxCrashes after how many expired leases an entry becomes a dead letter: 1 to 100
 * @param keepDone how long the keys of acknowledged entries are kept for deduplication: 1 second to 30 days, or 0 to keep none
 * @param durability what a call that settles entries waits for before it returns
 */
public record GroupSettings(
        String name, Start start, Duration minIdle, int maxCrashes, Duration keepDone, Durability durability) {

    private static final Duration SHORTEST_KEPT = Duration.ofSeconds(1);
    private static final Duration LONGEST_KEPT = Duration.ofDays(30);

    /** Checks the name and the ranges. */
    public GroupSettings {
        JobBounds.name("group", name);
        JobBounds.lease(minIdle);
        JobBounds.inRange("maxCrashes", maxCrashes, 1, 100);
        boolean isKept = keepDone.compareTo(SHORTEST_KEPT) >= 0 && keepDone.compareTo(LONGEST_KEPT) <= 0;
        if (!isKept && !keepDone.isZero()) {
            throw new IllegalArgumentException("keepDone must be 0 or from 1 second to 30 days, was " + keepDone);
        }
        Objects.requireNonNull(durability, "durability");
    }

    /** Where a new group starts. */
    public sealed interface Start {}

    /** Starts with the oldest entry of the stream. */
    public record Beginning() implements Start {}

    /**
     * Starts with entries that are produced after the group was {@linkplain EventStream#declareGroup declared}; without a declaration,
     * after its first claim.
     */
    public record Now() implements Start {}

    /**
     * Starts with the first entry after a given one.
     *
     * @param id the id of the given entry, which need not exist
     */
    public record After(EntryId id) implements Start {}

    /**
     * Returns the default settings: start with the oldest entry, a minimum idle time of 1 minute, 5 crashes, no kept keys, and
     * no durability.
     */
    public static GroupSettings of(String name) {
        return new GroupSettings(name, new Beginning(), Duration.ofMinutes(1), 5, Duration.ZERO, Durability.none());
    }

    /**
     * Returns settings of a group that skips the entries which the stream already has. The group receives entries that are
     * produced after {@link EventStream#declareGroup(GroupSettings)} has created it; without that call, after its first claim.
     * A group that exists keeps its position.
     */
    public GroupSettings fromNow() {
        return new GroupSettings(name, new Now(), minIdle, maxCrashes, keepDone, durability);
    }

    /** Returns settings of a group that starts with the first entry after the given one. */
    public GroupSettings after(EntryId id) {
        return new GroupSettings(name, new After(id), minIdle, maxCrashes, keepDone, durability);
    }

    /** Returns the same settings with another minimum idle time: 10 ms to 1 day. */
    public GroupSettings withMinIdle(Duration idle) {
        return new GroupSettings(name, start, idle, maxCrashes, keepDone, durability);
    }

    /** Returns the same settings with another bound of expired leases per entry. */
    public GroupSettings withMaxCrashes(int crashes) {
        return new GroupSettings(name, start, minIdle, crashes, keepDone, durability);
    }

    /**
     * Returns the same settings with another time for which keys of {@linkplain NewEntry#once entries with a key} are kept after the
     * acknowledgement: 1 second to 30 days, or 0, the default, to keep none. While a key is kept, the group acknowledges further
     * entries with this key without delivering them.
     */
    public GroupSettings withKeepDone(Duration kept) {
        return new GroupSettings(name, start, minIdle, maxCrashes, kept, durability);
    }

    /** Returns the same settings with another durability. */
    public GroupSettings withDurability(Durability wanted) {
        return new GroupSettings(name, start, minIdle, maxCrashes, keepDone, wanted);
    }
}
