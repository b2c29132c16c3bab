package io.headgate.redis.streams;

/**
 * Whether new entries are left to a command behind the script, which spares Redis to turn them into Lua's values and back, and of
 * how many: while there are many, and as far as can be told by those before they are not too much for one reply. The script
 * would stop in time; the command does not.
 */
final class Backlog {

    /** As many as make up for what the command costs more. */
    private static final int WORTHWHILE = 16;

    /** How many bytes are well, and how many are the most, by the largest payloads that are produced. */
    private static final int BYTES = 512 << 10;

    private static final int MOST_BYTES = 32 << 20;

    private final int mostEntries;
    private volatile int bytesOfOne;

    Backlog(int maxPayloadBytes) {
        this.mostEntries = MOST_BYTES / Math.max(1, maxPayloadBytes);
    }

    /** How many to leave to the command, where so many are wanted; 0 for none. */
    int count(int most) {
        int size = bytesOfOne;
        int count = size == 0 ? 0 : Math.min(Math.min(most, mostEntries), BYTES / size);
        return count < WORTHWHILE ? 0 : count;
    }

    /** Learns from a claim; there is a backlog when it brought all that it might. */
    void note(GroupClaim claim, boolean isFull) {
        int entries = claim.entries().size();
        bytesOfOne = isFull && entries > 0 ? Math.max(1, claim.bytes() / entries) : 0;
    }
}
