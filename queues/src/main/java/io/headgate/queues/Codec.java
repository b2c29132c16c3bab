package io.headgate.queues;

import io.headgate.queues.internal.Utf8;
import java.nio.charset.StandardCharsets;
import java.util.function.Function;

/**
 * Converts payloads to bytes and back. An exception of {@link #encode} is thrown to the caller that enqueues the job, and an exception
 * of {@link #decode} to the caller that reads it. A worker makes a job that it cannot decode a dead letter. Implementations must be safe
 * for use by several threads.
 *
 * @param <T> the type of the payload
 */
public interface Codec<T> {

    /** Converts a payload to bytes. */
    byte[] encode(T payload);

    /** Converts bytes to a payload. */
    T decode(byte[] bytes);

    /** Returns a codec of two functions. */
    static <T> Codec<T> of(Function<? super T, byte[]> encoder, Function<byte[], ? extends T> decoder) {
        return new Codec<>() {
            @Override
            public byte[] encode(T payload) {
                return encoder.apply(payload);
            }

            @Override
            public T decode(byte[] bytes) {
                return decoder.apply(bytes);
            }
        };
    }

    /** Returns a codec for payloads that are bytes. */
    static Codec<byte[]> bytes() {
        return of(bytes -> bytes, bytes -> bytes);
    }

    /**
     * Returns a codec for text, as UTF-8. The codec throws an {@link IllegalArgumentException} for text with an unpaired surrogate,
     * which UTF-8 can't encode.
     */
    static Codec<String> text() {
        return of(text -> Utf8.of("payload", text), bytes -> new String(bytes, StandardCharsets.UTF_8));
    }
}
