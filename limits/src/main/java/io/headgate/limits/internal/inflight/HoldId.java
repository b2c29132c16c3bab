package io.headgate.limits.internal.inflight;

import java.security.SecureRandom;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Names a hold, so that nobody else's is ever renewed or released for it: a random number of its engine, and one that begins at
 * random and counts.
 */
public record HoldId(long engine, long number) {

    /** One that can't be guessed, by whomever has another one. */
    static HoldId random() {
        return new HoldId(Source.RANDOM.nextLong(), Source.RANDOM.nextLong());
    }

    /** Makes the ids of an engine. */
    public static final class Source {

        private static final SecureRandom RANDOM = new SecureRandom();

        private final long engine;
        private final AtomicLong last;

        /** Ids of a new engine. */
        public Source() {
            this.engine = RANDOM.nextLong();
            this.last = new AtomicLong(RANDOM.nextLong());
        }

        /** The random number of the engine. */
        public long engine() {
            return engine;
        }

        HoldId next() {
            return new HoldId(engine, last.incrementAndGet());
        }
    }
}
