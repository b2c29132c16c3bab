package io.headgate.redis.limits.internal.fallback;

import io.headgate.limits.Health;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A circuit breaker: decides from the outcomes of calls, and their times, when calls stop and start again. It has no clock and no thread.
 *
 * <p>It opens after five failures in a row that span at least a tenth of a second; a shorter pause of Redis affects only the calls in that
 * time. It closes after three successful probes in a row. If it opens again within ten seconds, it needs twice as many, up to sixteen.
 * After three failures, each within a second of the one before, Redis is {@link Health#SLOW}, and calls continue.
 * While no call fails, a reply costs one volatile read.
 *
 * <p>Safe for use by several threads.
 */
final class Breaker {

    /** Receives the changes of health, in their order. */
    @FunctionalInterface
    interface Changes {

        /** The health changed for this reason. */
        void changed(Health before, Health now, String reason);
    }

    private static final int FAILURES_IN_A_ROW = 5;
    private static final long LEAST_SPAN_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final int FAILURES_UNTIL_SLOW = 3;
    private static final long CALM_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long RELAPSE_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final int LEAST_PROBES = 3;
    private static final int MOST_PROBES = 16;

    private final Changes changes;
    private final ReentrantLock changing = new ReentrantLock();
    private volatile Health health = Health.HEALTHY;

    /** Whether any failures are counted, in a row or recent. While there are none, replies change nothing. */
    private volatile boolean troubled;

    private int failuresInARow;
    private long firstInARowNanos;
    private int recentFailures;
    private long lastFailureNanos;
    private int probesInARow;
    private int probesNeeded = LEAST_PROBES;
    private long closedNanos;
    private boolean everClosed;

    /** Creates a closed breaker. It passes changes under a lock, so they must not block. */
    Breaker(Changes changes) {
        this.changes = changes;
    }

    /** The current health. */
    Health health() {
        return health;
    }

    /** Whether decisions are sent to Redis. */
    boolean callsRedis() {
        return health.callsRedis();
    }

    /** Whether any failures are counted, so that {@link #answered} may change the state. */
    boolean isTroubled() {
        return troubled;
    }

    /** Records that a call received a reply. */
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
     * Becomes healthy if no call failed for a second and the last call received a reply. A slow Redis whose last call failed needs a probe
     * after that second, which shows whether it replies again.
     *
     * @return whether a slow Redis needs a probe now; false while the breaker is open, where the caller always probes
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
        if (callsRedis() && isCalm(nowNanos)) {
            // The failures in a row remain counted, even for a long time, until a call receives a reply.
            troubled = failuresInARow > 0;
            recentFailures = 0;
            change(Health.HEALTHY, "no call failed for a second");
        }
    }

    /** Records that a call failed or took too long. */
    void failed(long nowNanos, String problem) {
        changing.lock();
        try {
            if (!callsRedis()) {
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
            } else if (recentFailures >= FAILURES_UNTIL_SLOW) {
                change(Health.SLOW, problem);
            }
        } finally {
            changing.unlock();
        }
    }

    /** Opens the breaker from the start, because the first connection failed. */
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

    /** Records that a probe succeeded in time. Returns true if enough have succeeded in a row; then {@link #close} the breaker. */
    boolean probeAnswered() {
        changing.lock();
        try {
            if (callsRedis()) {
                return false;
            }
            probesInARow++;
            change(Health.PROBING, "a probe was answered");
            return probesInARow >= probesNeeded;
        } finally {
            changing.unlock();
        }
    }

    /** Records that a probe failed or took too long. */
    void probeFailed(String problem) {
        changing.lock();
        try {
            probesInARow = 0;
            if (!callsRedis()) {
                change(Health.DEGRADED, "a probe failed: " + problem);
            }
        } finally {
            changing.unlock();
        }
    }

    /** Closes the breaker, so that decisions are sent; does nothing unless the last probes succeeded. */
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
