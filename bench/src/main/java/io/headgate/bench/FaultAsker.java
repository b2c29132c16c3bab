package io.headgate.bench;

import io.headgate.limits.Decision;
import io.headgate.limits.Limiter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/** One instance's caller: asks again and again, and writes down what it is answered. */
final class FaultAsker implements Runnable {

    /** Who asks, all of them. */
    static final String ID = "everybody";

    private static final Duration APART = Duration.ofMillis(1);

    private final Limiter limiter;
    private final List<Admission> admissions = new ArrayList<>();
    private final Map<Decision.Basis, Long> answers = new EnumMap<>(Decision.Basis.class);
    private long slowestNanos;
    private long exceptions;
    private volatile boolean ended;

    FaultAsker(Limiter limiter) {
        this.limiter = limiter;
    }

    /** Somewhen between two readings of the clock. */
    record Admission(long askedNanos, long answeredNanos) {}

    @Override
    public void run() {
        while (!ended) {
            ask();
            LockSupport.parkNanos(APART.toNanos());
        }
    }

    @SuppressWarnings("CatchingUnchecked") // whatever reaches a caller counts
    private void ask() {
        long asked = System.nanoTime();
        try {
            Decision decision = limiter.tryAcquire(ID);
            long answered = System.nanoTime();
            slowestNanos = Math.max(slowestNanos, answered - asked);
            answers.merge(decision.basis(), 1L, Long::sum);
            if (decision.allowed()) {
                admissions.add(new Admission(asked, answered));
            }
        } catch (Throwable e) {
            exceptions++;
        }
    }

    /** Has it end with the request that it is at. */
    void end() {
        ended = true;
    }

    // What follows is asked when its thread has ended.

    List<Admission> admissions() {
        return admissions;
    }

    long answers() {
        return answers.values().stream().mapToLong(Long::longValue).sum();
    }

    long answers(Decision.Basis basis) {
        return answers.getOrDefault(basis, 0L);
    }

    double slowestMillis() {
        return slowestNanos / 1e6;
    }

    long exceptions() {
        return exceptions;
    }
}
