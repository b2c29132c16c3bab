package io.headgate.redis.limits;

import java.util.concurrent.atomic.AtomicLong;

/** Bytes that several maps of one engine may take together. Safe for use by any number of threads. */
final class ByteBudget {

    private final AtomicLong left;

    ByteBudget(long bytes) {
        this.left = new AtomicLong(bytes);
    }

    /** Takes that many bytes; false when fewer are left, and then none are taken. */
    boolean take(long bytes) {
        if (left.addAndGet(-bytes) >= 0) {
            return true;
        }
        left.addAndGet(bytes);
        return false;
    }

    void giveBack(long bytes) {
        left.addAndGet(bytes);
    }

    long left() {
        return left.get();
    }
}
