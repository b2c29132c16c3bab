package io.headgate.spring.internal;

import io.headgate.config.ConfigException;
import io.headgate.config.PolicyRegistry;

/** Checks a part of the configuration before the engine connects to Redis. */
public interface ConfigurationCheck {

    /**
     * Checks the part.
     *
     * @param registry the policies of the application, in memory: only for checks
     * @throws ConfigException if the part has problems
     */
    void check(PolicyRegistry registry);
}
