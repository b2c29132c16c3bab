package io.headgate.spring.boot3;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.headgate.spring.queues.PayloadConverter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Type;

/** Converts payloads by Jackson 2. */
final class Boot3JsonConverter implements PayloadConverter {

    private final ObjectMapper mapper;

    Boot3JsonConverter(ObjectMapper mapper) {
        this.mapper = mapper;
    }

    @Override
    public byte[] toBytes(Object payload) {
        try {
            return mapper.writeValueAsBytes(payload);
        } catch (JsonProcessingException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public Object fromBytes(byte[] bytes, Type type) {
        try {
            return mapper.readValue(bytes, mapper.constructType(type));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
