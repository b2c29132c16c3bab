package io.headgate.spring;

import io.lettuce.core.AbstractRedisClient;
import java.util.Optional;

/** The Redis that the application uses by Spring Data. */
interface ApplicationRedis {

    /** Whether the application has a connection factory of its own, and not only that of Spring Boot. */
    boolean hasFactoryOfApplication();

    /**
     * Returns a Lettuce client for the Redis; empty if the application has no connection factory.
     *
     * @throws HeadgateConfigurationException if it has several factories, none of them primary, or a kind of factory that is not known
     */
    Optional<Client> client();

    /**
     * A Lettuce client.
     *
     * @param description describes the Redis for logs, without a password
     * @param closing shuts the client down
     */
    record Client(AbstractRedisClient client, String description, Runnable closing) {}
}
