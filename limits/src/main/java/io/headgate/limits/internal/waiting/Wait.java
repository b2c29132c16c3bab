package io.headgate.limits.internal.waiting;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.PermitRequest;

/** A request that waits for permits until a deadline. */
final class Wait extends TimedWait<Decision> {

    final Attributes attributes;
    final PermitRequest request;

    Wait(Attributes attributes, long permits, long deadlineNanos) {
        super(deadlineNanos);
        this.attributes = attributes;
        this.request = PermitRequest.of(attributes).withPermits(permits);
    }
}
