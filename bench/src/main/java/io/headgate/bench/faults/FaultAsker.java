package io.headgate.bench.faults;

import io.headgate.limits.Decision;
import io.headgate.limits.Limiter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** One instance's caller, who asks for one permit at a time. */
final class FaultAsker extends FaultCaller {

    /** Who asks, all of them. */
    static final String ID = "everybody";

    private static final Duration APART = Duration.ofMillis(1);

    private final Limiter limiter;
    private final List<Admission> admissions = new ArrayList<>();

    FaultAsker(Limiter limiter) {
        super(APART);
        this.limiter = limiter;
    }

    /** Somewhen between two readings of the clock. */
    record Admission(long askedNanos, long answeredNanos) {}

    @Override
    void ask() {
        long asked = System.nanoTime();
        Decision decision = limiter.tryAcquire(ID);
        long answered = System.nanoTime();
        answered(asked, decision.basis());
        if (decision.allowed()) {
            admissions.add(new Admission(asked, answered));
        }
    }

    /** What it was admitted; asked when its thread has ended. */
    List<Admission> admissions() {
        return admissions;
    }
}
