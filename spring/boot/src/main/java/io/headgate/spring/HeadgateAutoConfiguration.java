package io.headgate.spring;

import io.headgate.config.PolicyRegistry;
import io.headgate.config.sources.PolicyReloader;
import io.headgate.limits.InFlightPolicy;
import io.headgate.limits.LimitEngine;
import io.headgate.limits.LimitListener;
import io.headgate.limits.Policy;
import io.headgate.queues.QueueEngine;
import io.headgate.spring.internal.ActivePolicies;
import io.headgate.spring.internal.ConfigurationCheck;
import io.headgate.spring.internal.EngineHealth;
import io.headgate.spring.internal.EngineInUse;
import io.headgate.spring.internal.QueueEngineInUse;
import io.headgate.spring.internal.RedisDetails;
import java.util.Arrays;
import java.util.Optional;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.io.ResourceLoader;

/** Configures the engines and the policies of an application. */
@AutoConfiguration(
        afterName = {
            "org.springframework.boot.autoconfigure.data.redis.RedisAutoConfiguration",
            "org.springframework.boot.autoconfigure.data.redis.RedisReactiveAutoConfiguration",
            "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration",
            "org.springframework.boot.data.redis.autoconfigure.DataRedisReactiveAutoConfiguration"
        })
@ConditionalOnProperty(name = "headgate.enabled", matchIfMissing = true)
@EnableConfigurationProperties(HeadgateProperties.class)
public class HeadgateAutoConfiguration {

    private static final Log LOG = LogFactory.getLog(HeadgateAutoConfiguration.class);

    /** Creates the configuration. */
    HeadgateAutoConfiguration() {}

    @Bean
    static HeadgateEnvironment headgateEnvironment(ConfigurableEnvironment environment) {
        return new HeadgateEnvironment(environment);
    }

    /** Checks the properties before any bean uses them. */
    @Bean
    static BeanFactoryPostProcessor headgatePropertyCheck(HeadgateEnvironment environment) {
        return beans -> PropertyRecords.check(environment, beans);
    }

    @Bean
    EngineHealth headgateEngineHealth(
            LimitEngine engine,
            ObjectProvider<EngineInUse> inUse,
            ObjectProvider<ActivePolicies> policies,
            ConfigurableListableBeanFactory beans) {
        return new EngineHealth(
                engine,
                Optional.ofNullable(inUse.getIfAvailable()),
                () -> Optional.ofNullable(policies.getIfAvailable()).flatMap(ActivePolicies::status),
                () -> Arrays.stream(beans.getBeanNamesForType(QueueEngine.class, true, false))
                        .filter(beans::containsSingleton)
                        .map(name -> beans.getBean(name, QueueEngine.class)));
    }

    /** Adds the listeners when all beans are created, so that a listener may depend on beans that need the engine. */
    @Bean
    static SmartInitializingSingleton headgateLimitListeners(
            ObjectProvider<LimitListener> listeners, ObjectProvider<LimitEngine> engine) {
        return () ->
                listeners.orderedStream().forEach(listener -> engine.getObject().addListener(listener));
    }

    /** Creates the policies, unless the application has its own registry. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnMissingBean(PolicyRegistry.class)
    static class PolicyConfiguration {

        @Bean
        EnvironmentChanges headgateEnvironmentChanges() {
            return new EnvironmentChanges();
        }

        @Bean
        LoadedPolicies headgateLoadedPolicies(
                HeadgateProperties properties,
                HeadgateEnvironment environment,
                ListableBeanFactory beans,
                ResourceLoader resources,
                EnvironmentChanges changes,
                ObjectProvider<Policy> policies,
                ObjectProvider<InFlightPolicy> inFlight) {
            EngineSelection engines = new EngineSelection(properties.engine(), environment, beans);
            return new PolicyLoader(properties, environment, engines, resources, changes)
                    .load(
                            policies.orderedStream().toList(),
                            inFlight.orderedStream().toList());
        }

        @Bean
        ActivePolicies headgateActivePolicies(
                LimitEngine engine, LoadedPolicies loaded, ObjectProvider<ConfigurationCheck> checks) {
            return loaded.watched()
                    .map(watched -> PolicyReloader.start(
                            engine,
                            watched.source(),
                            watched.first(),
                            loaded.fixed(),
                            new PolicyVersionListener(checks::orderedStream)))
                    .map(reloader -> new ActivePolicies(reloader.registry(), Optional.of(reloader)))
                    .orElseGet(
                            () -> new ActivePolicies(new PolicyRegistry(engine, loaded.policies()), Optional.empty()));
        }

        @Bean
        PolicyRegistry headgatePolicyRegistry(ActivePolicies active) {
            return active.registry();
        }
    }

    /** Creates the engine, unless the application has its own. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnMissingBean(LimitEngine.class)
    static class EngineConfiguration {

        @Bean
        EngineInUse headgateEngineInUse(
                HeadgateProperties properties,
                HeadgateEnvironment environment,
                ListableBeanFactory beans,
                ObjectProvider<LoadedPolicies> policies,
                ObjectProvider<ConfigurationCheck> checks) {
            // Before the connection, so that a wrong route fails the start without one.
            LoadedPolicies.check(policies, checks);
            EngineInUse engine = new EngineSelection(properties.engine(), environment, beans).engine();
            LOG.info("Limits are counted in " + engine.description());
            return engine;
        }

        /** {@link EngineInUse} closes the engine, and then the Redis client. So Spring must not close the engine itself. */
        @Bean(destroyMethod = "")
        LimitEngine headgateLimitEngine(EngineInUse inUse) {
            return inUse.engine();
        }
    }

    /** Creates the engine of queues when the application first uses it, unless the application has its own. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnMissingBean(QueueEngine.class)
    static class QueueEngineConfiguration {

        @Bean
        @Lazy
        QueueEngineInUse headgateQueueEngineInUse(
                HeadgateProperties properties, HeadgateEnvironment environment, ListableBeanFactory beans) {
            QueueEngineInUse engine = new EngineSelection(properties.engine(), environment, beans).queues();
            LOG.info("Queues are in " + engine.description());
            return engine;
        }

        /** {@link QueueEngineInUse} closes the engine, and then the Redis client. So Spring must not close the engine itself. */
        @Bean(destroyMethod = "")
        @Lazy
        QueueEngine headgateQueueEngine(QueueEngineInUse inUse) {
            return inUse.engine();
        }
    }

    /** Finds the Redis that the application uses through Spring Data. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(name = "org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory")
    static class SpringDataConfiguration {

        @Bean
        ApplicationRedis headgateApplicationRedis(
                ConfigurableListableBeanFactory beans, ObjectProvider<RedisDetails> details) {
            return new SpringDataRedis(beans, Optional.ofNullable(details.getIfAvailable()));
        }
    }
}
