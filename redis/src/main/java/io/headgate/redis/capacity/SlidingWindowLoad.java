package io.headgate.redis.capacity;

import io.headgate.limits.SlidingWindow;

/**
 * The long-run load of one key of a sliding window, whose requests for one permit arrive at random instants (a Poisson process).
 *
 * <p>An admitted permit occupies one of the limit's places for a window. So the number of counted permits at a random instant follows
 * {@linkplain ErlangLoss Erlang's loss formula}. The rest follows from the layout in sliding_window.lua: up to 16 entries are a string
 * that grows. More entries are stored in a ring of blocks of 16. The ring doubles, up to the size that the limit needs, and exists until
 * 16 or fewer entries are left. Immutable.
 */
final class SlidingWindowLoad {

    private static final int BLOCK = 16;
    private static final int HEADER = 70;
    private static final int SUM = 7;

    /** A ring has the size that the fullest of this number of windows needs. */
    private static final double WINDOWS_OF_A_RING = 100;

    private final int limit;
    private final boolean attempts;
    private final double requestsPerSecond;
    private final RedisAllocation memory;
    private final int entryBytes;
    private final double windowSeconds;
    private final double expirySeconds;

    /** The mean number of requests in a window. */
    private final double offered;

    /** The distribution of the number of entries in a window. */
    private final ErlangLoss entries;

    private final double deniedShare;

    /** The share of the charges that find an empty window. They write the key again, with its full expiry. */
    private final double firstShare;

    /** The share of the charges that set the expiry for another reason, and so write the whole value. */
    private final double rewrittenShare;

    /**
     * Computes the load of a key.
     *
     * @param attempts whether denied requests are charged, and take the places of the oldest permits
     */
    SlidingWindowLoad(SlidingWindow window, boolean attempts, double requestsPerSecond, RedisAllocation memory) {
        this.windowSeconds = Sustained.seconds(window.window());
        this.limit = (int) window.permits();
        this.attempts = attempts;
        this.requestsPerSecond = requestsPerSecond;
        this.memory = memory;
        this.entryBytes = entryBytes(window);
        this.offered = requestsPerSecond * windowSeconds;
        // Attempts are always charged, so the limit does not bound the number of places; this number suffices in
        // practice.
        int places = attempts ? (int) (limit + 12 * Math.sqrt(limit)) + 40 : limit;
        this.entries = new ErlangLoss(offered, places);
        double denied = 0;
        for (int n = limit; n <= places; n++) {
            denied += entries.share(n);
        }
        this.deniedShare = denied;
        double charged = attempts ? 1 : 1 - deniedShare;
        KeyLife life = KeyLife.of(window, requestsPerSecond * charged);
        this.expirySeconds = life.expirySeconds();
        this.firstShare = charged > 0 ? entries.share(0) / charged : 1;
        this.rewrittenShare = Math.max(0, 1 / (1 + requestsPerSecond * charged * life.rearmSeconds()) - firstShare);
    }

    /** The share of the time for which the key exists. */
    double aliveShare() {
        if (limit == 0) {
            return 0;
        }
        // A request that finds an empty window is admitted, and sets the full expiry. In most cases, no other charge
        // follows before the key expires.
        return 1 - entries.share(0) * Math.exp(-requestsPerSecond * (expirySeconds - windowSeconds));
    }

    /** The commands that the script calls for a request. */
    double commandsPerRequest() {
        if (limit == 0) {
            return 1;
        }
        // Every 16th charge writes a full block, and reads the block that becomes the oldest. A charge that sets the
        // expiry checks the length.
        double ofCharge = 1 + blocksShare() * (2.0 / BLOCK + 2.2 * rewrittenShare);
        // A denied attempt reads the entry that it replaces, is written, and then the count is read again.
        double ofAttempt = 2 + blocksShare() * (1 + 4.0 / BLOCK);
        return 1 + (1 - deniedShare) * ofCharge + (attempts ? deniedShare * ofAttempt : 0);
    }

    /** The bytes of the value, while the key exists. */
    double bytes() {
        if (limit == 0) {
            return 0;
        }
        double blocks = blocksShare();
        return (blocks > 0 ? blocks * ringBytes() : 0) + (blocks < 1 ? (1 - blocks) * stringBytes() : 0);
    }

    private double fewShare() {
        double few = 0;
        for (int n = 0; n <= BLOCK; n++) {
            few += entries.share(n);
        }
        return few;
    }

    /** The share of the time in which the key has blocks: from the 17th entry on, until a window has 16 or fewer. */
    private double blocksShare() {
        double few = fewShare();
        if (limit <= BLOCK || few < 1e-9) {
            return limit <= BLOCK ? 0 : 1;
        }
        double windows = offered * entries.share(BLOCK) / (few * few);
        return windows / (1 + windows);
    }

    /** The mean bytes of a ring, over the distribution of the most entries in any of its windows. */
    private double ringBytes() {
        double windows = Math.min(WINDOWS_OF_A_RING, 1 / fewShare());
        int most = Math.min(limit, entries.most() + 1);
        double upTo = 0;
        double allUpTo = 0;
        double bytes = 0;
        for (int n = 0; n <= most; n++) {
            upTo += entries.share(n);
            double allBefore = allUpTo;
            allUpTo = n == most ? 1 : Math.pow(Math.min(1, upTo), windows);
            // 15 entries of the oldest block may have been dropped, and up to 16 entries are not in a block yet.
            long blocks = Math.max(1, (n + BLOCK - 2) / BLOCK);
            bytes += (allUpTo - allBefore) * ringBytes(slots(blocks));
        }
        return bytes;
    }

    /** The slots of a ring, which doubles, but not beyond the size that the limit needs. The oldest block is not in the ring. */
    private long slots(long blocks) {
        long needed = blocks - 1;
        long doubled = needed == 0 ? 0 : Long.highestOneBit(2 * needed - 1);
        return Math.max(needed, Math.min(doubled, (limit - 2) / BLOCK));
    }

    private long ringBytes(long slots) {
        return ringBytes(entryBytes, slots, memory);
    }

    private static long ringBytes(int entryBytes, long slots, RedisAllocation memory) {
        long block = (long) BLOCK * entryBytes;
        return memory.value(HEADER + 2 * block + slots * (block + SUM));
    }

    private long written(long count) {
        return memory.value(HEADER + count * entryBytes);
    }

    private long grown(long count) {
        return memory.grownValue(HEADER + count * entryBytes);
    }

    /**
     * The mean bytes of a string. It has one of three states: one entry; several entries, written by one SET; or extended, for which
     * Redis allocates twice the length. A charge extends the string if no entry has left the window since the last charge, and keeps the
     * length if one has left. If several have left, or if the charge sets the expiry, it writes the whole string.
     */
    private double stringBytes() {
        int most = Math.min(limit, BLOCK);
        double charges = attempts && limit <= BLOCK ? deniedShare : 0;
        double count = charges * limit;
        double kept = 0;
        double outgrown = 0;
        double outgrownBytes = 0;
        for (int n = 1; n <= most; n++) {
            double charge = entries.share(n - 1);
            charges += charge;
            count += charge * n;
            kept += charge * (noneLeaves(n) + (n > 1 ? (1 - noneLeaves(n)) * noneLeaves(n - 1) : 0));
            if (n > 1 && n < limit && written(n + 1) > written(n)) {
                outgrown += entries.share(n) * noneLeaves(n);
                outgrownBytes += entries.share(n) * noneLeaves(n) * grown(n + 1);
            }
        }
        if (limit == 1 || charges == 0) {
            return written(1);
        }
        double first = entries.share(0) / charges;
        double second = -Math.expm1(-offered);
        double one = first / (first + second);
        double grows = one * second * (1 - rewrittenShare) + outgrown / charges;
        double shrinks = Math.max(0, 1 - kept / charges) + rewrittenShare;
        double grown = grows == 0 ? 0 : Math.min(1 - one, grows / (shrinks + outgrown / charges));
        long writtenBytes = written(Math.round(Math.min(most, Math.max(2, count / charges))));
        double grownBytes = Math.max(grown(2), writtenBytes);
        if (outgrown > 0) {
            grownBytes += outgrown / charges / grows * (outgrownBytes / outgrown - grownBytes);
        }
        return one * written(1) + grown * grownBytes + (1 - one - grown) * writtenBytes;
    }

    /** The probability that the next charge comes before the first of these entries leaves the window. */
    private double noneLeaves(int count) {
        if (count == limit) {
            return 0;
        }
        return count == 1 ? -Math.expm1(-offered) : offered / (offered + count);
    }

    /** The bytes of the value of a key whose window has been full for several windows. */
    static long fullBytes(SlidingWindow window, RedisAllocation memory) {
        int entryBytes = entryBytes(window);
        long permits = Math.max(1, window.permits());
        if (permits > BLOCK) {
            return ringBytes(entryBytes, (permits - 2) / BLOCK, memory);
        }
        long written = memory.value(HEADER + permits * entryBytes);
        return permits == 1 ? written : Math.max(written, memory.grownValue(HEADER + 2L * entryBytes));
    }

    private static int entryBytes(SlidingWindow window) {
        double micros = Sustained.seconds(window.window()) * 1e6;
        return micros <= 134_217_728L ? 4 : micros <= 34_359_738_368L ? 5 : micros <= 8_796_093_022_208L ? 6 : 7;
    }
}
