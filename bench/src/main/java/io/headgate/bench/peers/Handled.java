package io.headgate.bench.peers;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;

/** The jobs that came out of a queue: each once, and as it went in. Safe for use by several threads. */
public final class Handled {

    private final List<byte[]> payloads;
    private final AtomicIntegerArray times;
    private final AtomicInteger jobs = new AtomicInteger();

    /** Expects these. */
    public Handled(List<byte[]> payloads) {
        this.payloads = payloads;
        this.times = new AtomicIntegerArray(payloads.size());
    }

    /** One came out. */
    public void add(byte[] payload) {
        int number = Payloads.number(payload);
        if (number < 0 || number >= payloads.size() || !Arrays.equals(payload, payloads.get(number))) {
            throw new IllegalStateException("a job came out that did not go in, number " + number);
        }
        if (times.getAndIncrement(number) > 0) {
            throw new IllegalStateException("job " + number + " came out twice");
        }
        jobs.incrementAndGet();
    }

    boolean isComplete() {
        return jobs.get() == payloads.size();
    }

    public void requireComplete() {
        if (!isComplete()) {
            throw new IllegalStateException(
                    (payloads.size() - jobs.get()) + " of " + payloads.size() + " jobs did not come out");
        }
    }
}
