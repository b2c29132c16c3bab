package io.headgate.limits.internal.algorithm;

import java.util.Arrays;

/**
 * The log of admissions of a sliding window: a ring buffer of entries in order of time, each with the sum of all permits admitted up to
 * and including it. The ring grows as needed, and shrinks at the first admission after all entries have left the window.
 */
final class AdmissionLog {

    private static final int FIRST_CAPACITY = 8;

    private long[] times = new long[FIRST_CAPACITY];
    private long[] sums = new long[FIRST_CAPACITY];
    private int head;
    private int size;

    private long lastMicros;

    /** The sum up to and including the last permit that was dropped. */
    private long droppedSum;

    private long sum;

    /** The longest window under which the key was charged, until that window has passed since the last charge under it. */
    private long longestWindowMicros;

    /** The time of the last charge under the longest window. */
    private long underLongestMicros;

    /** The largest limit of all charges since the log was empty. */
    private long largestLimit;

    /** The number of entries that fit. */
    int capacity() {
        return times.length;
    }

    /** The time of the newest entry; 0 if there is none. */
    long lastMicros() {
        return lastMicros;
    }

    /** The number of permits ever admitted, without those that {@link #remove} removed. */
    long sum() {
        return sum;
    }

    /** The number of permits admitted up to and including {@code micros}, including those of dropped entries. */
    long sumUntil(long micros) {
        int gone = firstAfter(micros);
        return gone == 0 ? droppedSum : sums[slot(gone - 1)];
    }

    /** The admission time of the permit with which the sum reached {@code target}. */
    long timeOfSum(long target) {
        int low = 0;
        int high = size - 1;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (sums[slot(middle)] >= target) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return times[slot(low)];
    }

    /**
     * Adds permits at a time that is not before the last entry. Drops the entries that are older than the longest window, or beyond the
     * largest limit, under which the key was charged.
     */
    void append(long micros, long permits, long windowMicros, long limit) {
        if (micros - underLongestMicros >= longestWindowMicros) {
            longestWindowMicros = windowMicros;
        }
        if (windowMicros >= longestWindowMicros) {
            longestWindowMicros = windowMicros;
            underLongestMicros = micros;
        }
        drop(firstAfter(micros - longestWindowMicros));
        if (size == 0) {
            longestWindowMicros = windowMicros;
            underLongestMicros = micros;
            largestLimit = limit;
            shrink();
        }
        largestLimit = Math.max(largestLimit, limit);
        sum += permits;
        if (size > 0 && lastMicros == micros) {
            sums[slot(size - 1)] = sum;
        } else {
            add(micros);
        }
        lastMicros = micros;
        dropBeyond(largestLimit);
    }

    /** Removes up to {@code permits} permits that were admitted at {@code micros}, and returns how many it removed. */
    long remove(long permits, long micros) {
        int at = firstAfter(micros - 1);
        if (at == size || times[slot(at)] != micros) {
            return 0;
        }
        long before = at == 0 ? droppedSum : sums[slot(at - 1)];
        long live = sums[slot(at)] - before;
        long removed = Math.min(permits, live);
        for (int i = at; i < size; i++) {
            sums[slot(i)] -= removed;
        }
        sum -= removed;
        if (removed == live) {
            for (int i = at; i < size - 1; i++) {
                times[slot(i)] = times[slot(i + 1)];
                sums[slot(i)] = sums[slot(i + 1)];
            }
            size--;
            lastMicros = size == 0 ? 0 : times[slot(size - 1)];
        }
        return removed;
    }

    /**
     * Removes up to {@code permits} of the oldest permits admitted after an instant, and returns how many. Also drops all older entries.
     */
    long removeOldest(long permits, long afterMicros) {
        long gone = sumUntil(afterMicros);
        long removed = Math.min(permits, sum - gone);
        if (removed > 0) {
            dropUntil(gone + removed);
        }
        return removed;
    }

    /** Whether it has no entries. */
    boolean isEmpty() {
        return size == 0;
    }

    private void dropBeyond(long permits) {
        dropUntil(Math.max(droppedSum, sum - permits));
    }

    private void dropUntil(long dropped) {
        droppedSum = dropped;
        int gone = 0;
        while (gone < size && sums[slot(gone)] <= dropped) {
            gone++;
        }
        head = slot(gone);
        size -= gone;
        lastMicros = size == 0 ? 0 : lastMicros;
    }

    private void drop(int entries) {
        if (entries > 0) {
            droppedSum = sums[slot(entries - 1)];
            head = slot(entries);
            size -= entries;
        }
    }

    private void add(long micros) {
        if (size == times.length) {
            grow();
        }
        int at = slot(size++);
        times[at] = micros;
        sums[at] = sum;
    }

    /** Shrinks the ring of an empty log. */
    private void shrink() {
        if (times.length > FIRST_CAPACITY) {
            times = new long[FIRST_CAPACITY];
            sums = new long[FIRST_CAPACITY];
            head = 0;
        }
    }

    private void grow() {
        times = unrolled(times);
        sums = unrolled(sums);
        head = 0;
    }

    private long[] unrolled(long[] ring) {
        long[] larger = Arrays.copyOf(ring, ring.length * 2);
        System.arraycopy(ring, head, larger, 0, ring.length - head);
        System.arraycopy(ring, 0, larger, ring.length - head, head);
        return larger;
    }

    /** The index, counted from the head, of the first entry later than {@code micros}; the size if there is none. */
    private int firstAfter(long micros) {
        if (size == 0 || times[head] > micros) {
            return 0;
        }
        int low = 1;
        int high = size;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (times[slot(middle)] > micros) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return low;
    }

    private int slot(int entry) {
        return (head + entry) & (times.length - 1);
    }
}
