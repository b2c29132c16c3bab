package io.headgate.bench.peers;

import java.time.Duration;

/** How much each key may do, which every subject puts into the words of its own algorithm. */
public record Quota(long permits, Duration window) {

    long windowMicros() {
        return window.toNanos() / 1000;
    }
}
