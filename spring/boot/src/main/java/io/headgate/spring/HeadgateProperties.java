package io.headgate.spring;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The settings directly under {@code headgate}. Those of {@code headgate.policies}, {@code headgate.redis}, {@code
 * headgate.web} and others are read elsewhere.
 *
 * @param enabled Whether Headgate is active. Otherwise, it limits nothing, and adds no beans.
 * @param engine Where limits are counted.
 * @param policiesFrom Where policies are added to those of headgate.policies: a policy file in YAML, such as classpath:limits.yaml; a
 *     file or directory that is watched, such as file:/etc/shop/limits.yaml; or redis for those that headgate policy apply has written.
 * @param observations the observations of decisions
 */
@ConfigurationProperties(HeadgateProperties.PREFIX)
public record HeadgateProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("auto") Engine engine,
        @Nullable String policiesFrom,
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
