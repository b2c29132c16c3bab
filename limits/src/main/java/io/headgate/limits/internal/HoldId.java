package io.headgate.limits.internal;

import java.security.SecureRandom;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Names a hold, so that nobody else's is ever renewed or released for it: a random number of its engine, and one that begins at
 * random and counts.
 */
public record HoldId(long engine, long number) {

    /** Makes the ids of an engine. */
    public static final class Source {

        private final long engine;
        private final AtomicLong last;

        /** Ids of a new engine. */
        public Source() {
            SecureRandom random = new SecureRandom();
            this.engine = random.nextLong();
            this.last = new AtomicLong(random.nextLong());
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
