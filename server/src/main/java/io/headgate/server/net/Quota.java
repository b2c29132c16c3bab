package io.headgate.server.net;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A quota that all clients share, of which one client may use half. Callers check it before they add an amount, so threads that check at
 * the same time may exceed it by one amount each. Safe for use by all event loops.
 */
final class Quota {

    private final long most;
    private final Optional<Quota> ofAll;
    private final AtomicLong used = new AtomicLong();

    /** The quota of all clients. */
    Quota(long most) {
        this(most, Optional.empty());
    }

    private Quota(long most, Optional<Quota> ofAll) {
        this.most = most;
        this.ofAll = ofAll;
    }

    /** The share of one client. Additions to it also count for the quota of all clients. */
    Quota forOneClient() {
        return new Quota(Math.max(1, most / 2), Optional.of(this));
    }

    void add(long amount) {
        used.addAndGet(amount);
        ofAll.ifPresent(all -> all.add(amount));
    }

    void remove(long amount) {
        add(-amount);
    }

    /** Returns whether the quota of this client, or of all, is used up. */
    boolean isFull() {
        return used.get() >= most || ofAll.map(Quota::isFull).orElse(false);
    }

    /** The used amount. */
    long used() {
        return used.get();
    }
}
