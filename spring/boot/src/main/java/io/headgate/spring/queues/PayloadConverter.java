package io.headgate.spring.queues;

import java.lang.reflect.Type;

/**
 * Converts payloads to bytes and back. By default, payloads are JSON, by the Jackson of the application. Define a bean to convert them
 * otherwise. Payloads that are {@code byte[]} or {@code String} are not converted. Called by several threads at the same time.
 */
public interface PayloadConverter {

    /**
     * Converts a payload to bytes.
     *
     * @throws RuntimeException if the payload cannot be converted
     */
    byte[] toBytes(Object payload);

    /**
     * Converts bytes to a payload of the type.
     *
     * @throws RuntimeException if the bytes are no payload of the type; then the job becomes a dead letter
     */
    Object fromBytes(byte[] bytes, Type type);
}
