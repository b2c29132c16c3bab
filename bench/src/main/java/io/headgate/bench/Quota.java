package io.headgate.bench;

import java.time.Duration;

/** How much each key may do, which every subject puts into the words of its own algorithm. */
record Quota(long permits, Duration window) {

    long windowMicros() {
        return window.toNanos() / 1000;
    }
}
