package io.headgate.spring.boot3;

import io.headgate.spring.internal.RedisDetails;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.autoconfigure.data.redis.RedisConnectionDetails;
import org.springframework.boot.ssl.SslBundle;

/** The connection details for Redis of Spring Boot 3. */
record Boot3RedisDetails(Supplier<@Nullable RedisConnectionDetails> details) implements RedisDetails {

    /** Those that Spring Boot creates from its properties are in the package of the interface. */
    @Override
    public boolean areOfApplication() {
        return Optional.ofNullable(details.get())
                .filter(given ->
                        !given.getClass().getPackageName().equals(RedisConnectionDetails.class.getPackageName()))
                .isPresent();
    }

    /** The bundle of the kind of Redis that is configured; Spring Boot checks the kinds in the same order. */
    @Override
    public Optional<SslBundle> sslBundle() {
        RedisConnectionDetails given = details.get();
        if (given == null) {
            return Optional.empty();
        }
        if (given.getSentinel() != null) {
            return Optional.ofNullable(given.getSentinel().getSslBundle());
        }
        if (given.getCluster() != null) {
            return Optional.ofNullable(given.getCluster().getSslBundle());
        }
        return Optional.ofNullable(given.getStandalone()).map(RedisConnectionDetails.Standalone::getSslBundle);
    }
}
