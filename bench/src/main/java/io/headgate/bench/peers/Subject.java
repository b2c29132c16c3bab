package io.headgate.bench.peers;

import io.headgate.bench.run.RedisAccess;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * A subject of the measurements on Redis: a limiter of Headgate or of a peer, or a floor, which no limiter with a call for each decision
 * can undercut.
 */
public interface Subject {

    /** Its name in tables and in JSON. */
    String name();

    /** Whether it limits requests; a floor allows everything. */
    default boolean limits() {
        return true;
    }

    /**
     * Connects to Redis, and prepares everything that is not part of a decision.
     *
     * @param quota the limit of each key
     * @param keys all keys of later requests
     */
    Gate open(RedisAccess access, Quota quota, List<String> keys);

    /** A connected subject. */
    interface Gate extends AutoCloseable {

        /** Requests one permit without blocking; the result is whether it is allowed. */
        CompletionStage<Boolean> tryAcquire(String key);

        @Override
        void close();
    }

    /** The limit of each key, which every subject translates to its own algorithm. */
    record Quota(long permits, Duration window) {

        long windowMicros() {
            return window.toNanos() / 1000;
        }
    }
}
