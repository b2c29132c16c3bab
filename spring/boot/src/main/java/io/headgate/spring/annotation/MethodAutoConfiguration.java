package io.headgate.spring.annotation;

import io.headgate.config.PolicyRegistry;
import io.headgate.spring.HeadgateAutoConfiguration;
import io.headgate.spring.internal.DecisionObserver;
import io.headgate.spring.internal.expression.ReactiveResults;
import io.headgate.spring.web.WebProperties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.UnaryOperator;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.http.HttpStatus;
import org.springframework.util.ClassUtils;

/** Limits the calls of methods by their annotations. */
@AutoConfiguration(after = HeadgateAutoConfiguration.class)
@ConditionalOnBean(HeadgateAutoConfiguration.class)
@Import(MethodAutoConfiguration.Proxies.class)
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
public class MethodAutoConfiguration {

    private static final String EXECUTOR = "applicationTaskExecutor";

    /** Creates the configuration. */
    MethodAutoConfiguration() {}

    /** Creates proxies for beans also if Spring Boot does not. */
    static class Proxies implements ImportBeanDefinitionRegistrar {

        @Override
        public void registerBeanDefinitions(AnnotationMetadata importing, BeanDefinitionRegistry registry) {
            AopConfigUtils.registerAutoProxyCreatorIfNecessary(registry);
        }
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static LimitAnnotations headgateLimitAnnotations() {
        return new LimitAnnotations();
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static LimitAdvisor headgateLimitAdvisor(
            LimitAnnotations annotations,
            ObjectProvider<LimitedMethods> methods,
            ObjectProvider<LimitDecider> decider,
            ConfigurableListableBeanFactory beans) {
        return new LimitAdvisor(
                annotations, new LimitInterceptor(methods::getObject, decider::getObject, () -> executor(beans)));
    }

    private static Executor executor(ConfigurableListableBeanFactory beans) {
        return beans.containsBean(EXECUTOR) && beans.isTypeMatch(EXECUTOR, Executor.class)
                ? beans.getBean(EXECUTOR, Executor.class)
                : new CompletableFuture<Object>().defaultExecutor();
    }

    @Bean
    LimitedMethods headgateLimitedMethods(
            LimitAnnotations annotations, PolicyRegistry registry, ConfigurableListableBeanFactory beans) {
        return methods(annotations, registry, beans);
    }

    private static LimitedMethods methods(
            LimitAnnotations annotations, PolicyRegistry registry, ConfigurableListableBeanFactory beans) {
        boolean reactor = ClassUtils.isPresent("reactor.core.publisher.Mono", beans.getBeanClassLoader());
        return new LimitedMethods(
                annotations, registry, beans, reactor ? ReactiveResults.stages() : UnaryOperator.identity());
    }

    @Bean
    LimitDecider headgateLimitDecider(
            PolicyRegistry registry, Environment environment, ObjectProvider<DecisionObserver> observer) {
        // Bound one by one, as an application without web routes has no properties of them.
        Binder settings = Binder.get(environment);
        return new LimitDecider(
                registry,
                settings.bind("headgate.web.reset", WebProperties.Reset.class).orElse(WebProperties.Reset.SECONDS),
                settings.bind("headgate.web.ban-status", Integer.class).orElse(HttpStatus.FORBIDDEN.value()),
                observer.getIfAvailable(() -> DecisionObserver.NONE));
    }

    @Bean
    StartupCheck headgateStartupCheck(
            LimitAnnotations annotations,
            ObjectProvider<LimitedMethods> methods,
            ConfigurableListableBeanFactory beans) {
        return new StartupCheck(
                annotations, registry -> methods(annotations, registry, beans), methods::getObject, beans);
    }
}
