package io.headgate.spring.internal;

import java.util.Optional;
import org.springframework.boot.ssl.SslBundle;

/** What Headgate needs of the connection details for Redis, whose type differs between Spring Boot 3 and 4. */
public interface RedisDetails {

    /** Whether these are connection details of the application, for example of Testcontainers, and not the properties of Spring Boot. */
    boolean areOfApplication();

    /** Returns the keys and certificates for TLS, if the details have some. */
    Optional<SslBundle> sslBundle();
}
