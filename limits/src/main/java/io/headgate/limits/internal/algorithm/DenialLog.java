package io.headgate.limits.internal.algorithm;

import io.headgate.limits.bans.BanRule;
import io.headgate.limits.internal.Micros;
import java.util.Arrays;

/**
 * The recent denials of one id by a rule that bans, and its ban. The times of all denials that may still count are stored, so that the
 * number within the time is exact; they are fewer than the denials after which the rule bans. Twin of {@code ban_rules.lua}. Not safe for use
 * by several threads: the lock of the counter guards it.
 */
public final class DenialLog {

    /** More doublings than any longest duration allows. */
    private static final int MAX_BANS = 60;

    private static final long[] NONE = {};
    private static final int FIRST_SIZE = 4;

    private long[] times = NONE;
    private int count;
    private int bans;
    private long forgottenMicros;
    private long sinceMicros;
    private long untilMicros;
    private long keptUntilMicros;

    /** Whether the id is banned at that time. */
    public boolean isBanned(long nowMicros) {
        return untilMicros > nowMicros;
    }

    /** When the last ban began, in microseconds since 1970; 0 if there was none. */
    public long sinceMicros() {
        return sinceMicros;
    }

    /** When the last ban ends, in microseconds since 1970; 0 if there was none. */
    public long untilMicros() {
        return untilMicros;
    }

    /** The time from which this log has no effect, in microseconds since 1970. */
    public long keptUntilMicros() {
        return keptUntilMicros;
    }

    /** Counts a denial, which may begin a ban. */
    public void add(BanRule rule, long nowMicros) {
        if (forgottenMicros <= nowMicros) {
            bans = 0;
        }
        dropUntil(nowMicros - Micros.of(rule.within()));
        if (count + 1 >= rule.denials()) {
            sinceMicros = nowMicros;
            untilMicros = nowMicros + rule.micros(bans, nowMicros);
            bans = Math.min(bans + 1, MAX_BANS);
            forgottenMicros = untilMicros + rule.longestMicros();
            times = NONE;
            count = 0;
        } else {
            append(nowMicros);
        }
        keptUntilMicros = Math.max(nowMicros + Micros.of(rule.within()), forgottenMicros);
    }

    /** Appends a time, or the last one if the clock has gone back, so that the times stay in order. */
    private void append(long micros) {
        if (count == times.length) {
            times = Arrays.copyOf(times, Math.max(FIRST_SIZE, 2 * count));
        }
        times[count] = count == 0 ? micros : Math.max(micros, times[count - 1]);
        count++;
    }

    /** Drops the oldest denials up to that time. */
    private void dropUntil(long micros) {
        int old = 0;
        while (old < count && times[old] <= micros) {
            old++;
        }
        count -= old;
        System.arraycopy(times, old, times, 0, count);
    }
}
