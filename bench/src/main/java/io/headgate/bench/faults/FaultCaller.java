package io.headgate.bench.faults;

import io.headgate.bench.report.Readings.Recorder;
import io.headgate.limits.Decision;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** Asks again and again, and writes down how it is answered. What came of it is asked when its thread has ended. */
abstract class FaultCaller implements Runnable {

    private final Duration apart;
    private long answers;
    private long byShare;
    private long slowestNanos;
    private long exceptions;
    private volatile boolean ended;

    /**
     * One that has not asked yet.
     *
     * @param apart is waited between two requests
     */
    FaultCaller(Duration apart) {
        this.apart = apart;
    }

    /** What is recorded of callers, by these names. */
    record Columns(String answers, String byShare, String slowestMillis, String exceptions) {

        /** Records it of those callers, all together. */
        void record(List<? extends FaultCaller> callers, Recorder into) {
            into.add(
                    answers,
                    callers.stream().mapToLong((FaultCaller one) -> one.answers).sum());
            into.add(
                    byShare,
                    callers.stream().mapToLong((FaultCaller one) -> one.byShare).sum());
            into.add(
                    slowestMillis,
                    callers.stream()
                                    .mapToLong((FaultCaller one) -> one.slowestNanos)
                                    .max()
                                    .orElse(0)
                            / 1e6);
            into.add(
                    exceptions,
                    callers.stream()
                            .mapToLong((FaultCaller one) -> one.exceptions)
                            .sum());
        }
    }

    /** Asks once, and says with {@link #answered} when there is an answer. */
    abstract void ask();

    /** There is an answer now. */
    final void answered(long askedNanos, Decision.Basis basis) {
        slowestNanos = Math.max(slowestNanos, System.nanoTime() - askedNanos);
        answers++;
        byShare += basis == Decision.Basis.LOCAL_SHARE ? 1 : 0;
    }

    @Override
    @SuppressWarnings("CatchingUnchecked") // whatever reaches a caller counts
    public final void run() {
        while (!ended) {
            try {
                ask();
            } catch (Throwable e) {
                exceptions++;
            }
            LockSupport.parkNanos(apart.toNanos());
        }
    }

    /** Has it end with what it is at. */
    final void end() {
        ended = true;
    }
}
