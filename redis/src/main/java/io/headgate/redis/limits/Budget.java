package io.headgate.redis.limits;

import io.headgate.redis.internal.Sweeper;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** How long a request of a limiter may take: that of its policy as it is now. */
final class Budget {

    private volatile long nanos;
    private volatile boolean isEndedBefore;

    /** As long as that, from now on; where something is answered instead, it ends before that, and else not before. */
    void is(Duration longest, boolean isAnswered) {
        nanos = longest.toNanos();
        isEndedBefore = isAnswered;
    }

    /** Whether a request is to be ended by who looks now, and then again at that time. */
    boolean isUp(PendingRequest pending, long nowNanos, long nextLookNanos) {
        return isEndedBefore
                ? Sweeper.isUp(pending.request().requestedNanos(), nanos, nowNanos, nextLookNanos)
                : nowNanos - pending.request().requestedNanos() >= nanos;
    }

    /** Whether a request ends sooner than by that time-out. */
    boolean endsBefore(Duration timeout) {
        return isEndedBefore || nanos < timeout.toNanos();
    }

    /** What is said of one that has ended. */
    String problem() {
        return "no answer within " + TimeUnit.NANOSECONDS.toMillis(nanos) + " ms";
    }
}
