package io.headgate.server.net;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A bound on what all clients together may have, of which one client may have half. It is checked before something is added, so
 * threads that check at the same time may exceed it by what each of them adds. Safe for use by all event loops.
 */
final class Quota {

    private final long most;
    private final Optional<Quota> ofAll;
    private final AtomicLong used = new AtomicLong();

    /** The bound for all clients. */
    Quota(long most) {
        this(most, Optional.empty());
    }

    private Quota(long most, Optional<Quota> ofAll) {
        this.most = most;
        this.ofAll = ofAll;
    }

    /** The share of one client. What is added to it is added to the bound for all clients, too. */
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

    /** Whether this client, or all together, have as much as they may. */
    boolean isFull() {
        return used.get() >= most || ofAll.map(Quota::isFull).orElse(false);
    }

    /** How much there is. */
    long used() {
        return used.get();
    }
}
