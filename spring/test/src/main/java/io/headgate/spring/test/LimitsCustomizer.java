package io.headgate.spring.test;

import io.headgate.limits.InMemoryLimitEngine;
import io.headgate.limits.LimitEngine;
import io.headgate.testkit.ManualClock;
import io.headgate.testkit.RedisServer;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.MapPropertySource;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.MergedContextConfiguration;

/**
 * Replaces the engine of a context, or sets the Redis. Contexts with equal customizers are shared by test classes.
 *
 * @param engine where limits are counted
 */
record LimitsCustomizer(AutoConfigureHeadgate.Engine engine) implements ContextCustomizer {

    @Override
    public void customizeContext(ConfigurableApplicationContext context, MergedContextConfiguration configuration) {
        boolean memory = engine == AutoConfigureHeadgate.Engine.MEMORY;
        if (memory) {
            addEngine(context);
        } else {
            setRedis(context);
        }
        add(
                context,
                "headgateTestLimits",
                new RootBeanDefinition(
                        TestLimits.class,
                        () -> new TestLimits(
                                context.getBean(LimitEngine.class),
                                memory ? Optional.of(context.getBean(ManualClock.class)) : Optional.empty())));
    }

    private static void addEngine(ConfigurableApplicationContext context) {
        add(context, "headgateTestClock", new RootBeanDefinition(ManualClock.class, TestLimits::clock));
        RootBeanDefinition engine =
                new RootBeanDefinition(InMemoryLimitEngine.class, () -> InMemoryLimitEngine.builder()
                        .time(context.getBean(ManualClock.class))
                        .build());
        engine.setPrimary(true);
        engine.setDestroyMethodName("close");
        add(context, "headgateTestEngine", engine);
    }

    private static void add(ConfigurableApplicationContext context, String name, RootBeanDefinition bean) {
        bean.setLazyInit(false);
        bean.setRole(BeanDefinition.ROLE_INFRASTRUCTURE);
        ((BeanDefinitionRegistry) context.getBeanFactory()).registerBeanDefinition(name, bean);
    }

    /** Each context has keys of its own, so that a context of an earlier test class does not count for a later one. */
    private static void setRedis(ConfigurableApplicationContext context) {
        String url = RedisServer.shared().url();
        Map<String, Object> properties = Map.of(
                "headgate.engine",
                "redis",
                "headgate.redis.url",
                url,
                "headgate.redis.key-prefix",
                "test-" + UUID.randomUUID(),
                "spring.data.redis.url",
                url);
        context.getEnvironment().getPropertySources().addFirst(new MapPropertySource("headgate test", properties));
    }
}
