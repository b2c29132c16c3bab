package io.headgate.testkit.model;

import io.headgate.limits.Limit;
import io.headgate.limits.SlidingWindow;
import java.util.ArrayList;
import java.util.List;

/**
 * The model of the exact sliding window: the list of admissions, oldest first, read in full each time.
 *
 * <p>What is held reaches back as far as the longest window and the most permits that the key was charged under, since
 * it last held nothing; but a window counts no longer when the key was not charged under it, or a longer one, for as
 * long as it is.
 */
final class SlidingWindowCount extends Count {

    private final List<Admission> held = new ArrayList<>();
    private long longestMicros;
    private long underLongestMicros;
    private long most;

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
        long stillThere = sum(live);
        int leaving = 0;
        while (stillThere + permits > limit.permits()) {
            stillThere -= live.get(leaving).permits;
            leaving++;
        }
        return new RuleResult(remaining, live.get(leaving - 1).micros + windowMicros - atMicros, resetMicros);
    }

    @Override
    long takeBack(Limit limit, long permits, long chargedMicros, long wholeMicros, long atMicros) {
        long leftMicros = atMicros - micros(((SlidingWindow) limit).window());
        long back = 0;
        for (int i = 0; i < held.size() && back < permits; i++) {
            Admission it = held.get(i);
            boolean meant = chargedMicros == 0 || chargedMicros == it.micros;
            if (meant && it.micros > leftMicros) {
                long taken = Math.min(permits - back, it.permits);
                held.set(i, new Admission(it.micros, it.permits - taken));
                back += taken;
            }
        }
        if (back > 0 && chargedMicros == 0) {
            held.removeIf(it -> it.micros <= leftMicros);
        }
        held.removeIf(it -> it.permits == 0);
        standAt(held.isEmpty() ? 0 : held.get(held.size() - 1).micros);
        return back;
    }

    /** Older ones are forgotten for them. */
    @Override
    long roomForAttempts(Limit limit, long atMicros) {
        return limit.permits();
    }

    @Override
    void add(Limit limit, long permits, long atMicros) {
        long windowMicros = micros(((SlidingWindow) limit).window());
        if (atMicros - underLongestMicros >= longestMicros) {
            longestMicros = windowMicros;
        }
        if (windowMicros >= longestMicros) {
            longestMicros = windowMicros;
            underLongestMicros = atMicros;
        }
        held.removeIf(it -> it.micros <= atMicros - longestMicros);
        if (held.isEmpty()) {
            longestMicros = windowMicros;
            underLongestMicros = atMicros;
            most = limit.permits();
        }
        most = Math.max(most, limit.permits());
        held.add(new Admission(atMicros, permits));
        forgetBeyondMost();
    }

    /** Takes the oldest permits away until no more than the most are held; of an admission perhaps only some. */
    private void forgetBeyondMost() {
        long surplus = sum(held) - most;
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
