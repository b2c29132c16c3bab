package io.headgate.redis.limits.internal.fallback;

import io.headgate.limits.Health;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Says when to stop asking what fails, and when to ask again, by what calls came to and when. It has no clock and no thread.
 *
 * <p>It opens after five failures in a row that span a tenth of a second: a pause that is shorter than that costs those who wait
 * in it, and nobody else. It closes after three probes in a row that were answered; after more of them, up to sixteen, each time that it
 * opens again within ten seconds. While nothing fails an answer costs one look.
 *
 * <p>Safe for use by several threads.
 */
final class Breaker {

    /** Receives the changes of health, in their order. */
    @FunctionalInterface
    interface Changes {

        /** The health changed, for that reason. */
        void changed(Health before, Health now, String reason);
    }

    private static final int FAILURES_IN_A_ROW = 5;
    private static final long LEAST_SPAN_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final int FAILURES_OF_SLOW = 3;
    private static final long CALM_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long RELAPSE_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final int LEAST_PROBES = 3;
    private static final int MOST_PROBES = 16;

    private final Changes changes;
    private final ReentrantLock changing = new ReentrantLock();
    private volatile Health health = Health.HEALTHY;

    /** Whether failures are to be remembered. */
    private volatile boolean troubled;

    private int failuresInARow;
    private long firstInARowNanos;
    private int recentFailures;
    private long lastFailureNanos;
    private int probesInARow;
    private int probesNeeded = LEAST_PROBES;
    private long closedNanos;
    private boolean everClosed;

    /** One that is closed. The changes are told under a lock, and must not wait. */
    Breaker(Changes changes) {
        this.changes = changes;
    }

    /** How it is. */
    Health health() {
        return health;
    }

    /** Whether decisions are to be asked. */
    boolean asks() {
        return health.asksRedis();
    }

    /** Whether it matters that a call was answered. */
    boolean isTroubled() {
        return troubled;
    }

    /** A call was answered. */
    void answered(long nowNanos) {
        if (troubled) {
            changing.lock();
            try {
                failuresInARow = 0;
                calmDown(nowNanos);
            } finally {
                changing.unlock();
            }
        }
    }

    /**
     * Becomes healthy if no call failed for a second and the last call was answered. If the last call failed, nothing shows that
     * Redis answers again, and a probe must find out.
     *
     * @return whether the outcome of a probe is needed
     */
    boolean tick(long nowNanos) {
        if (!troubled) {
            return false;
        }
        changing.lock();
        try {
            if (health == Health.SLOW && failuresInARow > 0) {
                return isCalm(nowNanos);
            }
            calmDown(nowNanos);
            return false;
        } finally {
            changing.unlock();
        }
    }

    private boolean isCalm(long nowNanos) {
        return nowNanos - lastFailureNanos >= CALM_NANOS;
    }

    private void calmDown(long nowNanos) {
        if (asks() && isCalm(nowNanos)) {
            // The failures in a row stay counted, however long ago they were, until a call is answered.
            troubled = failuresInARow > 0;
            recentFailures = 0;
            change(Health.HEALTHY, "no call failed for a second");
        }
    }

    /** A call failed, or took longer than it may. */
    void failed(long nowNanos, String problem) {
        changing.lock();
        try {
            if (!asks()) {
                return;
            }
            if (failuresInARow++ == 0) {
                firstInARowNanos = nowNanos;
            }
            recentFailures = troubled && nowNanos - lastFailureNanos < CALM_NANOS ? recentFailures + 1 : 1;
            lastFailureNanos = nowNanos;
            troubled = true;
            if (failuresInARow >= FAILURES_IN_A_ROW && nowNanos - firstInARowNanos >= LEAST_SPAN_NANOS) {
                open(nowNanos, problem);
            } else if (recentFailures >= FAILURES_OF_SLOW) {
                change(Health.SLOW, problem);
            }
        } finally {
            changing.unlock();
        }
    }

    /** It was not there from the beginning, so decisions are not to be asked. */
    void begin(String problem) {
        changing.lock();
        try {
            change(Health.DEGRADED, problem);
        } finally {
            changing.unlock();
        }
    }

    private void open(long nowNanos, String problem) {
        boolean again = everClosed && nowNanos - closedNanos < RELAPSE_NANOS;
        probesNeeded = again ? Math.min(MOST_PROBES, 2 * probesNeeded) : LEAST_PROBES;
        probesInARow = 0;
        change(Health.DEGRADED, failuresInARow + " calls in a row failed, the last with: " + problem);
    }

    /** A probe was answered in time; whether that is enough to go back, which {@link #close} does. */
    boolean probeAnswered() {
        changing.lock();
        try {
            if (asks()) {
                return false;
            }
            probesInARow++;
            change(Health.PROBING, "a probe was answered");
            return probesInARow >= probesNeeded;
        } finally {
            changing.unlock();
        }
    }

    /** A probe was not answered in time. */
    void probeFailed(String problem) {
        changing.lock();
        try {
            probesInARow = 0;
            if (!asks()) {
                change(Health.DEGRADED, "a probe failed: " + problem);
            }
        } finally {
            changing.unlock();
        }
    }

    /** Goes back to asking; does nothing unless the last probes were answered. */
    void close(long nowNanos) {
        changing.lock();
        try {
            if (health == Health.PROBING && probesInARow >= probesNeeded) {
                failuresInARow = 0;
                recentFailures = 0;
                troubled = false;
                closedNanos = nowNanos;
                everClosed = true;
                change(Health.HEALTHY, probesInARow + " probes in a row were answered");
            }
        } finally {
            changing.unlock();
        }
    }

    private void change(Health now, String reason) {
        Health before = health;
        if (before != now) {
            health = now;
            changes.changed(before, now, reason);
        }
    }
}
