package io.headgate.testkit.model;

import io.headgate.limits.FixedWindow;
import io.headgate.limits.FixedWindow.Alignment;
import io.headgate.limits.Limit;

/** The model of the fixed window: a count, and the times of its first and last charge. */
final class FixedWindowCount extends Count {

    private long firstMicros;
    private long count;

    @Override
    RuleResult resultAt(Limit limit, long permits, long atMicros) {
        FixedWindow window = (FixedWindow) limit;
        long counted = counted(window, atMicros);
        long remaining = Math.max(0, window.permits() - counted);
        long untilEndMicros = end(window, counted, atMicros) - atMicros;
        long retryMicros = permits <= remaining ? RuleResult.NOW : untilEndMicros;
        return new RuleResult(
                remaining,
                permits > window.permits() ? RuleResult.NEVER : retryMicros,
                counted > 0 ? untilEndMicros : 0);
    }

    @Override
    void add(Limit limit, long permits, long atMicros) {
        long counted = counted((FixedWindow) limit, atMicros);
        firstMicros = counted > 0 ? firstMicros : atMicros;
        count = counted + permits;
    }

    @Override
    long refundAt(Limit limit, long permits, long chargedMicros, long resetAtMicros, long atMicros) {
        FixedWindow window = (FixedWindow) limit;
        long windowMicros = micros(window.window());
        boolean charged = window.alignment() == Alignment.CLOCK
                ? chargedMicros / windowMicros >= atMicros / windowMicros
                : chargedMicros >= firstMicros;
        long back = chargedMicros == 0 || charged ? Math.min(permits, counted(window, atMicros)) : 0;
        count -= back;
        return back;
    }

    @Override
    long roomForAttempts(Limit limit, long atMicros) {
        return limit.permits() - counted((FixedWindow) limit, atMicros);
    }

    /** The count, or 0 if the window of this limit in which it was charged has ended. */
    private long counted(FixedWindow limit, long atMicros) {
        long windowMicros = micros(limit.window());
        boolean sameWindow = limit.alignment() == Alignment.CLOCK
                ? lastMicros() / windowMicros == atMicros / windowMicros
                : atMicros - firstMicros < windowMicros;
        return sameWindow ? count : 0;
    }

    private long end(FixedWindow limit, long counted, long atMicros) {
        long windowMicros = micros(limit.window());
        if (limit.alignment() == Alignment.CLOCK) {
            return (atMicros / windowMicros + 1) * windowMicros;
        }
        return (counted > 0 ? firstMicros : atMicros) + windowMicros;
    }
}
