package io.headgate.bench.peers;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.stream.IntStream;

/** Payloads that all differ: each has its number and random bytes, which are the same in every run. */
public final class Payloads {

    private Payloads() {}

    public static List<byte[]> of(int count) {
        SplittableRandom random = new SplittableRandom(count);
        return IntStream.range(0, count)
                .mapToObj(number -> {
                    byte[] payload = new byte[PeerQueue.PAYLOAD_BYTES];
                    random.nextBytes(payload);
                    ByteBuffer.wrap(payload).putInt(number);
                    return payload;
                })
                .toList();
    }

    /** The number of a payload; -1 if the payload is too short to have one. */
    static int number(byte[] payload) {
        return payload.length < Integer.BYTES ? -1 : ByteBuffer.wrap(payload).getInt();
    }

    /** Checks that a queue delivers each job once, with its payload. Safe for use by several threads. */
    public static final class Handled {

        private final List<byte[]> payloads;
        private final AtomicIntegerArray times;
        private final AtomicInteger jobs = new AtomicInteger();

        /** Expects jobs with these payloads. */
        public Handled(List<byte[]> payloads) {
            this.payloads = payloads;
            this.times = new AtomicIntegerArray(payloads.size());
        }

        /** Records a delivered job. */
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

        /** Throws an exception unless all jobs were delivered. */
        public void requireComplete() {
            if (!isComplete()) {
                throw new IllegalStateException(
                        (payloads.size() - jobs.get()) + " of " + payloads.size() + " jobs did not come out");
            }
        }
    }
}
