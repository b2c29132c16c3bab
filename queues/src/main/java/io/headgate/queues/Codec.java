package io.headgate.queues;

import io.headgate.queues.internal.Utf8;
import java.nio.charset.StandardCharsets;
import java.util.function.Function;

/**
 * Turns payloads into bytes and back. Must be safe for use by several threads; what it throws reaches the caller of the
 * queue, and of a job that can't be decoded, whoever asks the {@link Lease} for it.
 *
 * @param <T> what a payload is
 */
public interface Codec<T> {

    /** The bytes that stand for the payload. */
    byte[] encode(T payload);

    /** The payload that the bytes stand for. */
    T decode(byte[] bytes);

    /** A codec of two functions. */
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

    /** Payloads that are bytes already. */
    static Codec<byte[]> bytes() {
        return of(bytes -> bytes, bytes -> bytes);
    }

    /**
     * Payloads that are text, as UTF-8. To encode half of a surrogate pair without its other half throws an {@link
     * IllegalArgumentException}, as UTF-8 cannot encode it.
     */
    static Codec<String> text() {
        return of(text -> Utf8.of("payload", text), bytes -> new String(bytes, StandardCharsets.UTF_8));
    }
}
