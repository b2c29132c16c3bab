package io.headgate.spring.boot4;

import io.headgate.spring.internal.RedisDetails;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.ssl.SslBundle;

/** The connection details for Redis of Spring Boot 4. */
record Boot4RedisDetails(Supplier<@Nullable DataRedisConnectionDetails> details) implements RedisDetails {

    /** Those that Spring Boot creates from its properties are in the package of the interface. */
    @Override
    public boolean areOfApplication() {
        return Optional.ofNullable(details.get())
                .filter(given ->
                        !given.getClass().getPackageName().equals(DataRedisConnectionDetails.class.getPackageName()))
                .isPresent();
    }

    @Override
    public Optional<SslBundle> sslBundle() {
        return Optional.ofNullable(details.get()).map(DataRedisConnectionDetails::getSslBundle);
    }
}
