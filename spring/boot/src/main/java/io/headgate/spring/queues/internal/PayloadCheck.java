package io.headgate.spring.queues.internal;

import io.headgate.spring.queues.InvalidPayloadException;

/** Checks the constraints of payloads. */
interface PayloadCheck {

    /** Whether the application has a validator. */
    boolean isAvailable();

    /**
     * Checks a payload.
     *
     * @throws InvalidPayloadException if it violates a constraint
     */
    void check(Object payload);
}
