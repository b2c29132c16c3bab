package io.headgate.limits.internal.inflight;

import java.security.SecureRandom;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The unique id of a hold: a random number of its engine, and a counter with a random start. So no call can renew or release a wrong
 * hold by accident.
 */
public record HoldId(long engine, long number) {

    /** Creates a completely random id, which can't be guessed from other ids; for tickets. */
    static HoldId random() {
        return new HoldId(Source.RANDOM.nextLong(), Source.RANDOM.nextLong());
    }

    /** Creates the ids for the holds of one engine. */
    public static final class Source {

        private static final SecureRandom RANDOM = new SecureRandom();

        private final long engine;
        private final AtomicLong last;

        /** Creates the source of a new engine. */
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
