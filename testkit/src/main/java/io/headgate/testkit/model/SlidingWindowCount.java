package io.headgate.testkit.model;

import io.headgate.limits.Limit;
import io.headgate.limits.SlidingWindow;
import java.util.ArrayList;
import java.util.List;

/**
 * The model of the exact sliding window: the list of admissions, oldest first, read in full each time.
 *
 * <p>The limit of a key may change. The list therefore keeps admissions for the longest window, and as many permits as the largest limit.
 * Longest and largest are those of all charges since the list was last empty. The longest window is forgotten once the key was not charged
 * under it, or under a longer one, for the length of that window.
 */
final class SlidingWindowCount extends Count {

    private final List<Admission> held = new ArrayList<>();
    private long longestWindowMicros;
    private long lastChargeUnderLongestMicros;
    private long largestLimit;

    private record Admission(long micros, long permits) {}

    @Override
    RuleResult resultAt(Limit limit, long permits, long atMicros) {
        long windowMicros = micros(((SlidingWindow) limit).window());
        List<Admission> live =
                held.stream().filter(it -> it.micros > atMicros - windowMicros).toList();
        long remaining = Math.max(0, limit.permits() - sum(live));
        long resetMicros = live.isEmpty() ? 0 : lastMicros() + windowMicros - atMicros;
        if (permits > limit.permits()) {
            return new RuleResult(remaining, RuleResult.NEVER, resetMicros);
        }
        if (permits <= remaining) {
            return new RuleResult(remaining, RuleResult.NOW, resetMicros);
        }
        long counted = sum(live);
        int leaving = 0;
        while (counted + permits > limit.permits()) {
            counted -= live.get(leaving).permits;
            leaving++;
        }
        return new RuleResult(remaining, live.get(leaving - 1).micros + windowMicros - atMicros, resetMicros);
    }

    @Override
    long refundAt(Limit limit, long permits, long chargedMicros, long resetAtMicros, long atMicros) {
        long windowStartMicros = atMicros - micros(((SlidingWindow) limit).window());
        long back = 0;
        for (int i = 0; i < held.size() && back < permits; i++) {
            Admission it = held.get(i);
            boolean meant = chargedMicros == 0 || chargedMicros == it.micros;
            if (meant && it.micros > windowStartMicros) {
                long taken = Math.min(permits - back, it.permits);
                held.set(i, new Admission(it.micros, it.permits - taken));
                back += taken;
            }
        }
        // As in the engines: this refund also forgets older permits, which a longer window would otherwise count again.
        if (back > 0 && chargedMicros == 0) {
            held.removeIf(it -> it.micros <= windowStartMicros);
        }
        held.removeIf(it -> it.permits == 0);
        setLastMicros(held.isEmpty() ? 0 : held.get(held.size() - 1).micros);
        return back;
    }

    /** An attempt may charge as many permits as the limit, because older permits are removed for them. */
    @Override
    long roomForAttempts(Limit limit, long atMicros) {
        return limit.permits();
    }

    @Override
    void add(Limit limit, long permits, long atMicros) {
        long windowMicros = micros(((SlidingWindow) limit).window());
        if (atMicros - lastChargeUnderLongestMicros >= longestWindowMicros) {
            longestWindowMicros = windowMicros;
        }
        if (windowMicros >= longestWindowMicros) {
            longestWindowMicros = windowMicros;
            lastChargeUnderLongestMicros = atMicros;
        }
        held.removeIf(it -> it.micros <= atMicros - longestWindowMicros);
        if (held.isEmpty()) {
            longestWindowMicros = windowMicros;
            lastChargeUnderLongestMicros = atMicros;
            largestLimit = limit.permits();
        }
        largestLimit = Math.max(largestLimit, limit.permits());
        held.add(new Admission(atMicros, permits));
        removeAboveLargestLimit();
    }

    /** Removes the oldest permits above the largest limit, perhaps only a part of an admission. */
    private void removeAboveLargestLimit() {
        long surplus = sum(held) - largestLimit;
        while (surplus > 0) {
            Admission oldest = held.remove(0);
            if (oldest.permits > surplus) {
                held.add(0, new Admission(oldest.micros, oldest.permits - surplus));
            }
            surplus -= oldest.permits;
        }
    }

    private static long sum(List<Admission> admissions) {
        return admissions.stream().mapToLong(Admission::permits).sum();
    }
}
