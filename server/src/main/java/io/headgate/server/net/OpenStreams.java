package io.headgate.server.net;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/** Counts open streams of HTTP/2 against a bound: those of one client address, and through it those of all. */
final class OpenStreams {

    private final int most;
    private final Optional<OpenStreams> ofAll;
    private final AtomicInteger open = new AtomicInteger();

    OpenStreams(int most) {
        this(most, Optional.empty());
    }

    private OpenStreams(int most, Optional<OpenStreams> ofAll) {
        this.most = most;
        this.ofAll = ofAll;
    }

    /** The count of one client, which may have half of the bound. */
    OpenStreams forOneClient() {
        return new OpenStreams(Math.max(1, most / 2), Optional.of(this));
    }

    void opened() {
        open.incrementAndGet();
        ofAll.ifPresent(OpenStreams::opened);
    }

    void closed() {
        open.decrementAndGet();
        ofAll.ifPresent(OpenStreams::closed);
    }

    /** Whether this client, or all together, have as many as they may. */
    boolean full() {
        return open.get() >= most || ofAll.map(OpenStreams::full).orElse(false);
    }
}
