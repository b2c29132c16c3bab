package io.headgate.testkit.model;

import io.headgate.limits.Limit;
import io.headgate.limits.SlidingCounter;
import java.util.HashMap;
import java.util.Map;

/**
 * The model of the sliding counter: the charged permits of every window, even of windows that no longer count.
 *
 * <p>If the window of the limit has changed since the last charge, only the last two windows of the old length still count. The permits
 * of the last window count as charged at the time of the last charge, and those of the window before as charged in the last microsecond
 * of that window.
 */
final class SlidingCounterCount extends Count {

    /** The charged permits by the start of their window. */
    private Map<Long, Long> permitsAt = new HashMap<>();

    private long lastWindowMicros;

    @Override
    RuleResult resultAt(Limit limit, long permits, long atMicros) {
        long remaining = remaining(limit, atMicros);
        long resetMicros = 0;
        long windowMicros = micros(((SlidingCounter) limit).window());
        long untilNext = windowMicros - atMicros % windowMicros;
        if (counted(limit, atMicros, 0) > 0) {
            resetMicros = untilNext + windowMicros;
        } else if (counted(limit, atMicros, 1) > 0) {
            resetMicros = untilNext;
        }
        if (permits > limit.permits()) {
            return new RuleResult(remaining, RuleResult.NEVER, resetMicros);
        }
        if (permits <= remaining) {
            return new RuleResult(remaining, RuleResult.NOW, resetMicros);
        }
        // Bisect: the weight only decreases with time, and is 0 at the end of the next window.
        long denied = 0;
        long admitted = untilNext + windowMicros;
        while (admitted - denied > 1) {
            long middle = (admitted + denied) / 2;
            if (remaining(limit, atMicros + middle) >= permits) {
                admitted = middle;
            } else {
                denied = middle;
            }
        }
        return new RuleResult(remaining, admitted, resetMicros);
    }

    @Override
    void add(Limit limit, long permits, long atMicros) {
        permitsAt = byWindow(limit);
        lastWindowMicros = micros(((SlidingCounter) limit).window());
        permitsAt.merge(atMicros - atMicros % lastWindowMicros, permits, Long::sum);
    }

    @Override
    long refundAt(Limit limit, long permits, long chargedMicros, long resetAtMicros, long atMicros) {
        if (lastWindowMicros == 0) {
            return 0;
        }
        long windowMicros = micros(((SlidingCounter) limit).window());
        long lastStartMicros = lastMicros() - lastMicros() % lastWindowMicros;
        long before = lastStartMicros - lastWindowMicros;
        // The start of the oldest window that still counts: the one before the current window.
        long live = (atMicros / windowMicros - 1) * windowMicros;
        long back = 0;
        boolean same = lastWindowMicros == windowMicros;
        boolean chargedBefore = chargedMicros == 0 || (chargedMicros >= before && chargedMicros < lastStartMicros);
        if (chargedBefore && (same ? before : lastStartMicros - 1) >= live) {
            back += takeFrom(before, permits);
        }
        boolean chargedLast = chargedMicros == 0 || chargedMicros >= lastStartMicros;
        if (chargedLast && (same ? lastStartMicros : lastMicros()) >= live) {
            back += takeFrom(lastStartMicros, permits - back);
        }
        return back;
    }

    private long takeFrom(long startMicros, long permits) {
        long counted = permitsAt.getOrDefault(startMicros, 0L);
        long taken = Math.min(permits, counted);
        permitsAt.put(startMicros, counted - taken);
        return taken;
    }

    @Override
    long roomForAttempts(Limit limit, long atMicros) {
        return limit.permits() - counted(limit, atMicros, 0);
    }

    private long remaining(Limit limit, long atMicros) {
        long windowMicros = micros(((SlidingCounter) limit).window());
        Fraction stillIn = Fraction.of(windowMicros - atMicros % windowMicros).dividedBy(Fraction.of(windowMicros));
        long weight = stillIn.times(Fraction.of(counted(limit, atMicros, 1))).roundedUp();
        return Math.max(0, limit.permits() - counted(limit, atMicros, 0) - weight);
    }

    /** The permits of the current window of the clock, or of an earlier one. */
    private long counted(Limit limit, long atMicros, int windowsAgo) {
        long windowMicros = micros(((SlidingCounter) limit).window());
        long begin = (atMicros / windowMicros - windowsAgo) * windowMicros;
        return byWindow(limit).getOrDefault(begin, 0L);
    }

    /** The counted permits by the start of their window of this limit. */
    private Map<Long, Long> byWindow(Limit limit) {
        long windowMicros = micros(((SlidingCounter) limit).window());
        if (lastWindowMicros == 0 || lastWindowMicros == windowMicros) {
            return new HashMap<>(permitsAt);
        }
        Map<Long, Long> byWindow = new HashMap<>();
        long lastStart = lastMicros() - lastMicros() % lastWindowMicros;
        long lastPermits = permitsAt.getOrDefault(lastStart, 0L);
        long permitsBefore = permitsAt.getOrDefault(lastStart - lastWindowMicros, 0L);
        byWindow.merge(lastMicros() / windowMicros * windowMicros, lastPermits, Long::sum);
        byWindow.merge((lastStart - 1) / windowMicros * windowMicros, permitsBefore, Long::sum);
        return byWindow;
    }
}
