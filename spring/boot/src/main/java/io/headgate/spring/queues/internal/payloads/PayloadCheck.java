package io.headgate.spring.queues.internal.payloads;

import io.headgate.spring.queues.InvalidPayloadException;

/** Checks the constraints of payloads. */
public interface PayloadCheck {

    /** Whether the application has a validator. */
    boolean isAvailable();

    /**
     * Checks a payload.
     *
     * @throws InvalidPayloadException if it violates a constraint
     */
    void check(Object payload);
}
