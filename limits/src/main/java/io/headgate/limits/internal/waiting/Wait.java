package io.headgate.limits.internal.waiting;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;

/** A request that waits for permits until a deadline. */
final class Wait extends TimedWait<Decision> {

    final Attributes attributes;
    final long permits;

    Wait(Attributes attributes, long permits, long deadlineNanos) {
        super(deadlineNanos);
        this.attributes = attributes;
        this.permits = permits;
    }
}
