package io.headgate.spring.boot4;

import io.headgate.spring.queues.PayloadConverter;
import java.lang.reflect.Type;
import tools.jackson.databind.json.JsonMapper;

/** Converts payloads by Jackson 3. */
final class Boot4JsonConverter implements PayloadConverter {

    private final JsonMapper mapper;

    Boot4JsonConverter(JsonMapper mapper) {
        this.mapper = mapper;
    }

    @Override
    public byte[] toBytes(Object payload) {
        return mapper.writeValueAsBytes(payload);
    }

    @Override
    public Object fromBytes(byte[] bytes, Type type) {
        return mapper.readValue(bytes, mapper.constructType(type));
    }
}
