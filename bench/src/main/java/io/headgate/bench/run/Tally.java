package io.headgate.bench.run;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** Counts answers and records their latencies. Safe for use by several threads. */
public final class Tally {

    private static final long LONGEST_NANOS = 60_000_000_000L;
    private static final int DIGITS = 3;

    private final LongAdder allowed = new LongAdder();
    private final LongAdder denied = new LongAdder();
    private final LongAdder failed = new LongAdder();
    private final AtomicReference<@Nullable Throwable> firstProblem = new AtomicReference<>();
    private final Histogram latencies = new ConcurrentHistogram(LONGEST_NANOS, DIGITS);
    private volatile long nanos;

    public void add(long tookNanos, @Nullable Boolean answer, @Nullable Throwable problem) {
        latencies.recordValue(Math.min(tookNanos, LONGEST_NANOS));
        if (answer == null) {
            failed.increment();
            firstProblem.compareAndSet(null, problem);
        } else if (answer) {
            allowed.increment();
        } else {
            denied.increment();
        }
    }

    /** Adds immediate answers that took this time in total; each is recorded with their average. */
    public void addImmediate(long tookNanos, int yes, int no) {
        if (yes + no > 0) {
            latencies.recordValueWithCount(Math.min(tookNanos / (yes + no), LONGEST_NANOS), yes + no);
            allowed.add(yes);
            denied.add(no);
        }
    }

    /** Sets the duration of the run. */
    public void took(long allNanos) {
        nanos = allNanos;
    }

    public long allowed() {
        return allowed.sum();
    }

    public long denied() {
        return denied.sum();
    }

    public long decisions() {
        return allowed() + denied();
    }

    public double seconds() {
        return nanos / 1e9;
    }

    public double perSecond() {
        return decisions() / seconds();
    }

    /** The latency that this percentage of all requests did not exceed. */
    public double percentileMicros(double percent) {
        return latencies.getValueAtPercentile(percent) / 1e3;
    }

    /** How many requests failed and why, if any did. */
    public Optional<String> failures() {
        long count = failed.sum();
        return count == 0
                ? Optional.empty()
                : Optional.of(count + " of " + (decisions() + count) + " failed, the first with " + firstProblem.get());
    }
}
