package io.headgate.limits.internal.inflight;

import java.security.SecureRandom;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The unique id of a hold: a random number of its engine, and a counter that starts at random. So no call renews or releases the hold of
 * another holder.
 */
public record HoldId(long engine, long number) {

    /** Creates a random id, which can't be guessed from others. */
    static HoldId random() {
        return new HoldId(Source.RANDOM.nextLong(), Source.RANDOM.nextLong());
    }

    /** Creates the ids of an engine. */
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
