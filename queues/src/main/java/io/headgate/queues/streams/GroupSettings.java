package io.headgate.queues.streams;

import io.headgate.queues.Durability;
import io.headgate.queues.internal.JobBounds;
import java.time.Duration;
import java.util.Objects;

/**
 * What a group of consumers is called and how it goes on. All processes should give the same.
 *
 * @param name 1 to 64 of {@code A-Z a-z 0-9 . _ -}, beginning with a letter or digit; part of the keys
 * @param start where it begins when it is made
 * @param minIdle after how long without a sign of its consumer an entry is taken over, and so the longest lease: 10 ms to 1
 *     day
 * @param maxCrashes how often an entry's lease may expire before it goes to the dead letters: 1 to 100
 * @param keepDone for how long after its ack the key of an entry is kept, so that another of this key is passed over: 1 second
 *     to 30 days, or 0 for not at all
 * @param durability how safe what is said of entries in hand must be before that is answered
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

    /** Where a new group begins. */
    public sealed interface Start {}

    /** With the first entry that the stream has. */
    public record Beginning() implements Start {}

    /** With what is produced after it was {@linkplain EventStream#declareGroup declared}, or else after its first claim. */
    public record Now() implements Start {}

    /**
     * With the first entry after that one.
     *
     * @param id the entry, which need not be there
     */
    public record After(EntryId id) implements Start {}

    /** From the beginning; entries are taken over after a minute, and may crash 5 times; no keys of what is done are kept. */
    public static GroupSettings of(String name) {
        return new GroupSettings(name, new Beginning(), Duration.ofMinutes(1), 5, Duration.ZERO, Durability.none());
    }

    /**
     * Returns settings of a group that skips the entries which the stream already has. The group receives entries that are produced after
     * {@link EventStream#declareGroup(GroupSettings)} has created it; without that call, after its first claim has created it. A group
     * that exists keeps its position. Without {@code fromNow} or {@link #after}, a new group begins with the first entry of the stream.
     */
    public GroupSettings fromNow() {
        return new GroupSettings(name, new Now(), minIdle, maxCrashes, keepDone, durability);
    }

    /** The same, beginning with the first entry after that one. */
    public GroupSettings after(EntryId id) {
        return new GroupSettings(name, new After(id), minIdle, maxCrashes, keepDone, durability);
    }

    /** The same, with entries taken over after so long: 10 ms to 1 day. */
    public GroupSettings withMinIdle(Duration idle) {
        return new GroupSettings(name, start, idle, maxCrashes, keepDone, durability);
    }

    /** The same, with so many crashes of one entry. */
    public GroupSettings withMaxCrashes(int crashes) {
        return new GroupSettings(name, start, minIdle, crashes, keepDone, durability);
    }

    /**
     * The same, keeping the keys of entries that were {@linkplain NewEntry#once produced once} for so long after their ack: 1
     * second to 30 days. An entry whose key is kept is acked and not handed out. 0 keeps none, as it is by default.
     */
    public GroupSettings withKeepDone(Duration kept) {
        return new GroupSettings(name, start, minIdle, maxCrashes, kept, durability);
    }

    /** The same, with calls that are answered when what they wrote is so safe. */
    public GroupSettings withDurability(Durability wanted) {
        return new GroupSettings(name, start, minIdle, maxCrashes, keepDone, wanted);
    }
}
