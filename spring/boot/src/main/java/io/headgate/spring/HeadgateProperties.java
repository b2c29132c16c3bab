package io.headgate.spring;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.core.io.Resource;

/**
 * The settings directly under {@code headgate}. Those of {@code headgate.policies}, {@code headgate.redis}, {@code
 * headgate.web} and others are read elsewhere.
 *
 * @param enabled Whether Headgate is active. Otherwise, it limits nothing, and adds no beans.
 * @param engine Where limits are counted.
 * @param policiesFrom The location of a policy file in YAML, for example classpath:limits.yaml. Its policies are added to those of
 *     headgate.policies.
 * @param observations the observations of decisions
 */
@ConfigurationProperties(HeadgateProperties.PREFIX)
public record HeadgateProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("auto") Engine engine,
        @Nullable Resource policiesFrom,
        @DefaultValue Observations observations) {

    static final String PREFIX = "headgate";

    /** The prefix of the properties of the endpoint. */
    static final String ENDPOINT = "management.endpoint.headgate";

    /**
     * The observations of decisions.
     *
     * @param enabled Whether decisions that call Redis or wait for permits are observed, which costs a few microseconds each.
     */
    public record Observations(@DefaultValue("false") boolean enabled) {}

    /** Where limits are counted. */
    public enum Engine {

        /** In Redis if the application configures one, otherwise in memory. */
        AUTO,

        /** In Redis; the application does not start if it configures none. */
        REDIS,

        /** In memory, even if the application configures a Redis: each instance counts alone. */
        MEMORY
    }
}
