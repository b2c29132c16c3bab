package io.headgate.spring.queues.internal;

import io.headgate.queues.QueueEngine;
import io.headgate.queues.worker.WorkerListener;
import io.headgate.spring.HeadgateAutoConfiguration;
import io.headgate.spring.internal.ConfigurationCheck;
import io.headgate.spring.internal.QueueStates;
import io.headgate.spring.queues.PayloadConverter;
import io.headgate.spring.queues.QueueTemplate;
import io.headgate.spring.queues.QueuesProperties;
import io.headgate.spring.queues.internal.payloads.ConstraintCheck;
import io.headgate.spring.queues.internal.payloads.PayloadCheck;
import io.headgate.spring.queues.internal.payloads.Payloads;
import io.micrometer.observation.ObservationRegistry;
import jakarta.validation.Validator;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.convert.ApplicationConversionService;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

/** Configures the listeners of queues and streams, and the template. */
@AutoConfiguration(after = HeadgateAutoConfiguration.class)
@ConditionalOnBean(HeadgateAutoConfiguration.class)
@EnableConfigurationProperties(QueuesProperties.class)
public class QueuesAutoConfiguration {

    private static final Duration SHUTDOWN_TIMEOUT = Duration.ofSeconds(30);

    /** What a worker needs after the time for its handlers: at most a second for its last settlements, and some time for Redis. */
    private static final Duration LAST_SETTLEMENTS = Duration.ofSeconds(2);

    /** Creates the configuration. */
    QueuesAutoConfiguration() {}

    @Bean
    QueueDefinitions headgateQueueDefinitions(QueuesProperties properties) {
        return new QueueDefinitions(properties);
    }

    @Bean
    ConfigurationCheck headgateQueueCheck(QueuesProperties properties) {
        return registry -> new QueueDefinitions(properties);
    }

    @Bean
    ApplicationQueues headgateApplicationQueues(ObjectProvider<QueueEngine> engine, QueueDefinitions definitions) {
        return new ApplicationQueues(engine::getObject, definitions);
    }

    @Bean
    Payloads headgatePayloads(ObjectProvider<PayloadConverter> converter) {
        return new Payloads(Optional.ofNullable(converter.getIfAvailable()));
    }

    @Bean
    JobObservations headgateJobObservations(ObjectProvider<ObservationRegistry> registry) {
        return new JobObservations(registry.getIfUnique(() -> ObservationRegistry.NOOP));
    }

    @Bean
    ListenerRegistry headgateQueueListeners(
            ConfigurableListableBeanFactory beans,
            ApplicationQueues queues,
            QueueDefinitions definitions,
            Payloads payloads,
            ObjectProvider<PayloadCheck> check,
            JobObservations observations,
            ObjectProvider<WorkerListener> workerListeners,
            Environment environment) {
        ArgumentCompiler arguments = new ArgumentCompiler(
                payloads,
                Optional.ofNullable(check.getIfAvailable()),
                ApplicationConversionService.getSharedInstance());
        return new ListenerRegistry(
                () -> {
                    List<ListenerSpec> listeners = new ListenerDiscovery(beans, definitions, arguments).listeners();
                    if (!listeners.isEmpty()) {
                        queues.requireEngine();
                    }
                    List<WorkerListener> events =
                            workerListeners.orderedStream().toList();
                    return listeners.stream()
                            .map(listener -> new ListenerContainer(
                                    listener,
                                    queues,
                                    new ListenerCall(listener, observations),
                                    new ListenerEvents(listener, events)))
                            .toList();
                },
                drain(environment));
    }

    @Bean
    QueueStates headgateQueueStates(ApplicationQueues queues, ListenerRegistry listeners) {
        return new QueueReport(queues, listeners);
    }

    /** The part of the shutdown timeout of Spring Boot in which handlers may end. */
    private static Duration drain(Environment environment) {
        Duration timeout = Binder.get(environment)
                .bind("spring.lifecycle.timeout-per-shutdown-phase", Duration.class)
                .orElse(SHUTDOWN_TIMEOUT);
        Duration half = timeout.dividedBy(2);
        Duration most = timeout.minus(LAST_SETTLEMENTS);
        return most.compareTo(half) > 0 ? most : half;
    }

    /** Lazy, as it creates the engine, which an application without queues does not need. */
    @Bean
    @Lazy
    @ConditionalOnMissingBean
    QueueTemplate headgateQueueTemplate(ApplicationQueues queues, Payloads payloads, JobObservations observations) {
        queues.requireEngine();
        boolean transactions = ClassUtils.isPresent(
                "org.springframework.transaction.support.TransactionSynchronizationManager",
                getClass().getClassLoader());
        Consumer<Runnable> afterCommit = transactions ? TransactionalSends::afterCommit : Runnable::run;
        return new SendingTemplate(queues, payloads, observations, afterCommit);
    }

    /** Validates payloads if the API is on the class path. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(name = "jakarta.validation.Validator")
    static class ValidationConfiguration {

        @Bean
        PayloadCheck headgatePayloadCheck(ObjectProvider<Validator> validator) {
            return new ConstraintCheck(() -> Optional.ofNullable(validator.getIfUnique()));
        }
    }
}
