package io.headgate.testkit.model;

import io.headgate.limits.Limit;
import io.headgate.limits.SlidingCounter;
import java.util.HashMap;
import java.util.Map;

/**
 * The model of the sliding counter: all permits ever charged, by the time that determines their windows.
 *
 * <p>Under another window than that of the last charge, what was charged in its window of the clock counts at the last
 * charge, and what was charged in the one before at that one's last microsecond.
 */
final class SlidingCounterCount extends Count {

    /** Permits by a time in the window that they were charged in. */
    private Map<Long, Long> permitsAt = new HashMap<>();

    private long windowThen;

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
        // The weight only falls as time passes, up to the end of the next window, when all of it is gone.
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
        permitsAt = placed(limit);
        windowThen = micros(((SlidingCounter) limit).window());
        permitsAt.merge(atMicros - atMicros % windowThen, permits, Long::sum);
    }

    @Override
    long takeBack(Limit limit, long permits, long chargedMicros, long wholeMicros, long atMicros) {
        if (windowThen == 0) {
            return 0;
        }
        long windowMicros = micros(((SlidingCounter) limit).window());
        long begunMicros = lastMicros() - lastMicros() % windowThen;
        long before = begunMicros - windowThen;
        long live = (atMicros / windowMicros - 1) * windowMicros;
        long back = 0;
        boolean same = windowThen == windowMicros;
        boolean ofBefore = chargedMicros == 0 || (chargedMicros >= before && chargedMicros < begunMicros);
        if (ofBefore && (same ? before : begunMicros - 1) >= live) {
            back += takeFrom(before, permits);
        }
        boolean ofLast = chargedMicros == 0 || chargedMicros >= begunMicros;
        if (ofLast && (same ? begunMicros : lastMicros()) >= live) {
            back += takeFrom(begunMicros, permits - back);
        }
        return back;
    }

    private long takeFrom(long begunMicros, long permits) {
        long there = permitsAt.getOrDefault(begunMicros, 0L);
        long taken = Math.min(permits, there);
        permitsAt.put(begunMicros, there - taken);
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

    /** The permits of the present window of the clock, or of an earlier one. */
    private long counted(Limit limit, long atMicros, int windowsAgo) {
        long windowMicros = micros(((SlidingCounter) limit).window());
        long begin = (atMicros / windowMicros - windowsAgo) * windowMicros;
        return placed(limit).getOrDefault(begin, 0L);
    }

    /** What is counted, by the beginning of the window of this limit that it is in. */
    private Map<Long, Long> placed(Limit limit) {
        long windowMicros = micros(((SlidingCounter) limit).window());
        if (windowThen == 0 || windowThen == windowMicros) {
            return new HashMap<>(permitsAt);
        }
        Map<Long, Long> placed = new HashMap<>();
        long beganThen = lastMicros() - lastMicros() % windowThen;
        long now = permitsAt.getOrDefault(beganThen, 0L);
        long before = permitsAt.getOrDefault(beganThen - windowThen, 0L);
        placed.merge(lastMicros() / windowMicros * windowMicros, now, Long::sum);
        placed.merge((beganThen - 1) / windowMicros * windowMicros, before, Long::sum);
        return placed;
    }
}
