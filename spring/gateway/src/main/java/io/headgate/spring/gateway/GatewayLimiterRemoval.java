package io.headgate.spring.gateway;

import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.BeanDefinitionRegistryPostProcessor;

/**
 * Removes the limiter that the gateway configures itself, and gives its name to that of Headgate. If it remained, it would reject the
 * arguments of routes that only Headgate allows.
 */
final class GatewayLimiterRemoval implements BeanDefinitionRegistryPostProcessor {

    private static final String NAME = "redisRateLimiter";
    private static final String SOURCE = "org.springframework.cloud.gateway.config.GatewayRedisAutoConfiguration";

    private final String replacement;

    /** Creates an instance; the replacement is the name of a bean. */
    GatewayLimiterRemoval(String replacement) {
        this.replacement = replacement;
    }

    @Override
    public void postProcessBeanDefinitionRegistry(BeanDefinitionRegistry registry) {
        if (registry.containsBeanDefinition(NAME)) {
            BeanDefinition definition = registry.getBeanDefinition(NAME);
            if (SOURCE.equals(definition.getFactoryBeanName()) && NAME.equals(definition.getFactoryMethodName())) {
                registry.removeBeanDefinition(NAME);
                registry.registerAlias(replacement, NAME);
            }
        }
    }
}
