package io.headgate.redis.capacity;

import io.headgate.limits.SlidingWindow;
import java.util.ArrayDeque;
import java.util.SplittableRandom;

/**
 * One key of a sliding window that is asked for one permit at a time, at random instants: follows what sliding_window.lua
 * keeps and which commands it calls, without Redis, for as long as it takes to know their means.
 *
 * <p>Its size can't be had by a formula: a ring stays as long as the most that it ever held, and Redis leaves room behind
 * a string that grows. The same random instants are taken each time, so a plan is the same each time.
 */
final class SlidingWindowLife {

    private static final int LEAST_REQUESTS = 20_000;
    private static final int BLOCK = 16;
    private static final int HEADER = 70;

    private final double window;
    private final long limit;
    private final boolean attempts;
    private final KeyLife life;
    private final RedisAllocation memory;
    private final int width;
    private final ArrayDeque<Double> entries = new ArrayDeque<>();

    private long blocks;
    private long capacity;
    private long newest;
    private long gone;
    private long valueBytes;
    private double expires;
    private double last;

    private long requests;
    private long calls;
    private double bytesSeconds;
    private double aliveSeconds;
    private double seconds;

    private SlidingWindowLife(SlidingWindow limit, boolean attempts, KeyLife life, RedisAllocation memory) {
        this.memory = memory;
        this.attempts = attempts;
        this.window = Sustained.seconds(limit.window());
        this.limit = limit.permits();
        this.life = life;
        this.width = width(window);
    }

    /** The means, over a life of a key that is asked so often, of a rule under which attempts count or don't. */
    static Means of(SlidingWindow limit, boolean attempts, double asksPerSecond, RedisAllocation memory) {
        SlidingWindowLife one = new SlidingWindowLife(limit, attempts, KeyLife.of(limit, asksPerSecond), memory);
        one.live(asksPerSecond);
        return one.means();
    }

    /** The value of a key whose window is full, and has been for some windows, in bytes. */
    static long fullBytes(SlidingWindow limit, RedisAllocation memory) {
        int width = width(Sustained.seconds(limit.window()));
        long permits = Math.max(1, limit.permits());
        if (permits == 1) {
            return memory.value(HEADER + width);
        } else if (permits <= BLOCK) {
            long grown = memory.grownValue(HEADER + 2L * width);
            return Math.max(grown, memory.value(HEADER + permits * width));
        }
        return blocksBytes(width, (permits - 2) / BLOCK, memory);
    }

    /**
     * Means over time and requests.
     *
     * @param aliveShare of the time for which the key is there
     * @param bytes of the value, while the key is there
     * @param callsPerRequest how many commands the script calls
     */
    record Means(double aliveShare, double bytes, double callsPerRequest) {}

    private void live(double asksPerSecond) {
        SplittableRandom random = new SplittableRandom(1);
        double now = 0;
        // The first windows fill it, and are not looked at.
        double filled = 2 * window;
        long most = (long) (Math.max(LEAST_REQUESTS, asksPerSecond * window) + asksPerSecond * filled);
        for (long i = 0; i < most; i++) {
            double next = now - Math.log(1 - random.nextDouble()) / asksPerSecond;
            if (now >= filled) {
                double until = Math.min(next, expires);
                if (!entries.isEmpty() && until > now) {
                    bytesSeconds += valueBytes * (until - now);
                    aliveSeconds += until - now;
                }
                seconds += next - now;
                requests++;
            } else {
                calls = 0;
            }
            now = next;
            ask(now);
        }
    }

    private Means means() {
        return new Means(
                aliveSeconds / seconds, aliveSeconds > 0 ? bytesSeconds / aliveSeconds : 0, (double) calls / requests);
    }

    private void ask(double now) {
        calls++; // GETRANGE of the header
        if (entries.isEmpty() || now > expires) {
            if (limit > 0) {
                begin(now);
            }
            return;
        }
        double left = now - window;
        boolean plain = last > left && expires >= now + window + 60;
        boolean leaves = entries.getFirst() <= left;
        int index = 0;
        while (!entries.isEmpty() && entries.getFirst() <= left) {
            entries.removeFirst();
            index++;
        }
        boolean found = found(index);
        if (plain && leaves && blocks > 1 && gone + index >= BLOCK) {
            calls++; // GETRANGE of the block after the oldest
        }
        if (entries.size() >= limit) {
            if (attempts) {
                takePlace(now, index);
                return;
            }
            if (!found) {
                search(index);
            }
            // Nothing is written, so what has left stays; it will leave again.
            for (int i = 0; i < index; i++) {
                entries.addFirst(left);
            }
            return;
        }
        boolean room = newest < BLOCK || (blocks == 0 ? index > 0 : blocks <= capacity);
        boolean simple = plain && found && room;
        if (!simple) {
            search(index);
        }
        charge(now, index, simple);
    }

    /** An attempt takes the place of the oldest entry, which is searched by its number; then the rule looks again. */
    private void takePlace(double now, int index) {
        entries.removeFirst();
        search(index + 1);
        charge(now, index + 1, false);
        calls++;
    }

    /** Whether the oldest that has not left is where no search is needed: among few, or in the two oldest blocks. */
    private boolean found(int index) {
        return !entries.isEmpty() && (blocks == 0 || gone + index < BLOCK * (blocks > 1 ? 2L : 1));
    }

    private void search(int index) {
        if (blocks > 0) {
            calls++; // STRLEN
            if (blocks > 1 && !entries.isEmpty() && gone + index >= BLOCK) {
                calls += 2; // GETRANGE: the end of the next block, and all of the one that it is in
            }
        }
    }

    private void begin(double now) {
        entries.clear();
        blocks = 0;
        capacity = 0;
        gone = 0;
        add(now);
        newest = 1;
        rewrite(now + life.expirySeconds());
    }

    private void charge(double now, int index, boolean simple) {
        if (entries.isEmpty()) {
            begin(now);
            return;
        }
        calls += !simple && blocks > 1 && gone + index >= BLOCK ? 1 : 0; // GETRANGE of the block that is now the oldest
        cut(index);
        add(now);
        newest++;
        if (simple) {
            calls++;
            if (blocks > 0 && newest > BLOCK) {
                calls++; // SETRANGE of the block that the newest were
                newest -= BLOCK;
                blocks++;
            } else if (blocks == 0 && index > 1) {
                valueBytes = memory.value(HEADER + newest * width);
            } else if (blocks == 0) {
                grow();
            }
            return;
        }
        boolean ring = seal();
        boolean rearm = expires < now + window + 60;
        if (rearm) {
            expires = now + life.expirySeconds();
        }
        if (blocks > 0 && !ring) {
            calls += rearm ? 2 : 1;
        } else {
            rewrite(expires);
        }
    }

    /** The newest become a block where there are more than 16; true when the ring had to grow for it. */
    private boolean seal() {
        if (newest <= BLOCK) {
            return false;
        }
        boolean ring = blocks == 0 || blocks > capacity;
        calls += ring && blocks < 2 ? 0 : 1; // GETRANGE of the ring, or SETRANGE of the block
        newest -= BLOCK;
        blocks++;
        if (ring) {
            capacity = Math.max(blocks - 1, Math.min(2 * blocks - 4, (limit - 2) / BLOCK));
        }
        return ring;
    }

    private void cut(int index) {
        long leaving = gone + index;
        while (blocks > 0 && leaving >= BLOCK) {
            leaving -= BLOCK;
            blocks--;
        }
        if (blocks == 0) {
            newest -= leaving;
            capacity = index > 0 ? 0 : capacity;
            leaving = 0;
        }
        gone = leaving;
    }

    private void add(double now) {
        entries.addLast(now);
        last = now;
    }

    private void rewrite(double until) {
        calls++;
        expires = until;
        valueBytes = blocks > 0 ? blocksBytes(width, capacity, memory) : memory.value(HEADER + newest * width);
    }

    /** SETRANGE of one entry more, for which there is room or not. */
    private void grow() {
        long length = HEADER + newest * width;
        if (memory.value(length) > valueBytes) {
            valueBytes = memory.grownValue(length);
        }
    }

    private static long blocksBytes(int width, long inRing, RedisAllocation memory) {
        long entriesBytes = (long) BLOCK * width;
        return memory.value(HEADER + 2 * entriesBytes + inRing * (entriesBytes + 7));
    }

    private static int width(double windowSeconds) {
        double micros = windowSeconds * 1e6;
        return micros <= 134_217_728L ? 4 : micros <= 34_359_738_368L ? 5 : micros <= 8_796_093_022_208L ? 6 : 7;
    }
}
