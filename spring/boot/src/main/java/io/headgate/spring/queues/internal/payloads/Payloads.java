package io.headgate.spring.queues.internal.payloads;

import io.headgate.queues.NewJob;
import io.headgate.queues.streams.NewEntry;
import io.headgate.spring.queues.InvalidPayloadException;
import io.headgate.spring.queues.PayloadConverter;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Converts payloads: arrays of bytes are passed unchanged, text is UTF-8, and a {@link PayloadConverter} converts other types. */
public final class Payloads {

    private final Optional<PayloadConverter> converter;

    /**
     * Creates a conversion.
     *
     * @param converter converts what is neither bytes nor text
     */
    public Payloads(Optional<PayloadConverter> converter) {
        this.converter = converter;
    }

    /**
     * Converts a payload to bytes.
     *
     * @throws IllegalArgumentException if that is not possible
     */
    public byte[] toBytes(Object payload) {
        if (payload instanceof byte[] bytes) {
            return bytes;
        }
        if (payload instanceof String text) {
            return text.getBytes(StandardCharsets.UTF_8);
        }
        if (payload instanceof NewJob || payload instanceof NewEntry) {
            throw new IllegalArgumentException("the payload is a "
                    + payload.getClass().getSimpleName() + "; pass it as that type, and not as an Object");
        }
        PayloadConverter found = converter.orElseThrow(() -> new IllegalArgumentException(missing(payload.getClass())));
        try {
            return found.toBytes(payload);
        } catch (Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalArgumentException(
                    "the payload of the type " + payload.getClass().getName() + " cannot be converted: "
                            + e.getMessage(),
                    e);
        }
    }

    /**
     * Returns a conversion from bytes to a type, which throws an {@link InvalidPayloadException} if it fails.
     *
     * @throws IllegalArgumentException if there is no converter for the type
     */
    public Function<byte[], Object> reader(Type type) {
        if (type == byte[].class) {
            return bytes -> bytes;
        }
        if (type == String.class) {
            return bytes -> new String(bytes, StandardCharsets.UTF_8);
        }
        PayloadConverter found = converter.orElseThrow(() -> new IllegalArgumentException(missing(type)));
        return bytes -> read(found, bytes, type);
    }

    private static Object read(PayloadConverter converter, byte[] bytes, Type type) {
        @Nullable Object payload;
        try {
            payload = converter.fromBytes(bytes, type);
        } catch (Error e) {
            throw e;
        } catch (Throwable e) {
            // Also a checked exception, which a converter in Kotlin throws without declaring it.
            throw new InvalidPayloadException("the payload cannot be converted to " + type.getTypeName(), e);
        }
        if (payload == null) {
            throw new InvalidPayloadException("the payload is null");
        }
        return payload;
    }

    private static String missing(Type type) {
        return "a payload of the type " + type.getTypeName()
                + " needs Jackson, for example of spring-boot-starter-json, or a bean of the type PayloadConverter";
    }
}
