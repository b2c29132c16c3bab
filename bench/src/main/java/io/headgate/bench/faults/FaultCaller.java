package io.headgate.bench.faults;

import io.headgate.bench.report.Readings.Recorder;
import io.headgate.limits.Decision;
import io.headgate.limits.Limiter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** A caller that sends one request after the other and records the answers. Read the results after its thread has ended. */
abstract class FaultCaller implements Runnable {

    private final Duration interval;
    private long answers;
    private long byShare;
    private long slowestNanos;
    private long exceptions;
    private volatile boolean ended;

    /**
     * Creates a caller.
     *
     * @param interval the pause between two requests
     */
    FaultCaller(Duration interval) {
        this.interval = interval;
    }

    /** The names of the recorded metrics. */
    record Columns(String answers, String byShare, String slowestMillis, String exceptions) {

        /** Records the metrics over all these callers. */
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

    /** Sends one request, and calls {@link #answered} when it has an answer. */
    abstract void sendRequest();

    /** Records an answer. */
    final void answered(long sentNanos, Decision.Basis basis) {
        slowestNanos = Math.max(slowestNanos, System.nanoTime() - sentNanos);
        answers++;
        byShare += basis == Decision.Basis.LOCAL_SHARE ? 1 : 0;
    }

    @Override
    @SuppressWarnings("CatchingUnchecked") // every exception counts
    public final void run() {
        while (!ended) {
            try {
                sendRequest();
            } catch (Throwable e) {
                exceptions++;
            }
            LockSupport.parkNanos(interval.toNanos());
        }
    }

    /** Stops the caller after its current request. */
    final void end() {
        ended = true;
    }

    /** Requests one permit at a time at one instance. */
    static final class PermitCaller extends FaultCaller {

        /** The key of all requests. */
        static final String ID = "everybody";

        private static final Duration INTERVAL = Duration.ofMillis(1);

        private final Limiter limiter;
        private final List<Admission> admissions = new ArrayList<>();

        PermitCaller(Limiter limiter) {
            super(INTERVAL);
            this.limiter = limiter;
        }

        /** An admission: it happened between these two times. */
        record Admission(long sentNanos, long answeredNanos) {}

        @Override
        void sendRequest() {
            long sent = System.nanoTime();
            Decision decision = limiter.tryAcquire(ID);
            long answered = System.nanoTime();
            answered(sent, decision.basis());
            if (decision.allowed()) {
                admissions.add(new Admission(sent, answered));
            }
        }

        /** The admissions; read them after the thread has ended. */
        List<Admission> admissions() {
            return admissions;
        }
    }

    /** The admissions of all instances. */
    static final class Admissions {

        private final List<PermitCaller.Admission> admissions;

        Admissions(List<PermitCaller> callers) {
            this.admissions = callers.stream()
                    .flatMap(caller -> caller.admissions().stream())
                    .sorted(Comparator.comparingLong(PermitCaller.Admission::sentNanos))
                    .toList();
        }

        /** The number of admissions that certainly happened in this interval. */
        long between(long fromNanos, long toNanos) {
            return admissions.stream()
                    .filter(one -> one.sentNanos() - fromNanos >= 0 && one.answeredNanos() - toNanos <= 0)
                    .count();
        }

        /** The largest number of requests that were certainly admitted within one window; a window may start at any time. */
        long mostWithin(Duration window) {
            long most = 0;
            for (int i = 0; i < admissions.size(); i++) {
                long from = admissions.get(i).sentNanos();
                long to = from + window.toNanos();
                long within = 0;
                for (int j = i; j < admissions.size() && admissions.get(j).sentNanos() - to < 0; j++) {
                    within += admissions.get(j).answeredNanos() - to < 0 ? 1 : 0;
                }
                most = Math.max(most, within);
            }
            return most;
        }
    }
}
