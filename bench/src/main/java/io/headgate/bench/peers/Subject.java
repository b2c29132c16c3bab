package io.headgate.bench.peers;

import io.headgate.bench.run.RedisAccess;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** Something that is measured on Redis: a limiter of ours or of a peer, or a floor that no limiter can go below. */
public interface Subject {

    /** Its name in tables and in JSON. */
    String name();

    /** Whether it counts at all; a floor does not, and allows everything. */
    default boolean limits() {
        return true;
    }

    /**
     * Connects to Redis, and makes ready what is not part of a decision.
     *
     * @param quota what each key may do
     * @param keys all that it will be asked for
     */
    Gate open(RedisAccess access, Quota quota, List<String> keys);

    /** A subject that is connected and can be asked. */
    interface Gate extends AutoCloseable {

        /** Asks for one permit, without waiting; answers whether it may pass. */
        CompletionStage<Boolean> ask(String key);

        @Override
        void close();
    }

    /** How much each key may do, which every subject puts into the words of its own algorithm. */
    record Quota(long permits, Duration window) {

        long windowMicros() {
            return window.toNanos() / 1000;
        }
    }
}
