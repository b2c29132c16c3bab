package io.headgate.spring.operations;

import io.headgate.micrometer.QueueMetrics;
import io.headgate.queues.QueueEngine;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;

/** Binds the meters of an engine of queues when the application creates it, which it may do late or never. */
final class QueueMeterBinding implements BeanPostProcessor {

    private final ObjectProvider<MeterRegistry> registry;

    QueueMeterBinding(ObjectProvider<MeterRegistry> registry) {
        this.registry = registry;
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        if (bean instanceof QueueEngine engine) {
            registry.ifUnique(meters -> new QueueMetrics(engine).bindTo(meters));
        }
        return bean;
    }
}
