package io.headgate.spring.gateway;

import io.headgate.spring.gateway.HeadgateRateLimitGatewayFilterFactory.Config;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.cloud.gateway.support.Configurable;
import org.springframework.cloud.gateway.support.ConfigurationService;
import org.springframework.cloud.gateway.support.ShortcutConfigurable;
import org.springframework.core.convert.ConversionService;
import org.springframework.validation.Validator;

/**
 * The gateway's service that binds the arguments of filters, except that it leaves those of {@code HeadgateRateLimit} as they are. The
 * gateway evaluates arguments such as <code>#{principal.name}</code> when it reads a route; here they are expressions for each request.
 */
final class UnevaluatedArguments extends ConfigurationService {

    private final ConfigurationService gateway;

    private UnevaluatedArguments(ConfigurationService gateway, BeanFactory beans) {
        super(beans, (Supplier<ConversionService>) UnevaluatedArguments::conversion, UnevaluatedArguments::validator);
        this.gateway = gateway;
        setApplicationEventPublisher(gateway.getPublisher());
    }

    private static ConversionService conversion() {
        throw new IllegalStateException("the gateway's own service converts");
    }

    private static Validator validator() {
        throw new IllegalStateException("the gateway's own service validates");
    }

    @Override
    public <T, C extends Configurable<T> & ShortcutConfigurable> ConfigurableBuilder<T, C> with(C configurable) {
        return configurable instanceof HeadgateRateLimitGatewayFilterFactory
                ? new Arguments<>(this, configurable)
                : gateway.with(configurable);
    }

    @Override
    public <T> InstanceBuilder<T> with(T instance) {
        return gateway.with(instance);
    }

    private static final class Arguments<T, C extends Configurable<T> & ShortcutConfigurable>
            extends ConfigurableBuilder<T, C> {

        private final Class<T> type;

        Arguments(ConfigurationService service, C factory) {
            super(service, factory);
            this.type = factory.getConfigClass();
        }

        @Override
        protected Map<String, Object> normalizeProperties() {
            return new HashMap<>(arguments());
        }

        @Override
        protected T doBind() {
            return type.cast(new Config(arguments()));
        }

        private Map<String, String> arguments() {
            Map<String, String> given = properties;
            return given == null ? Map.of() : given;
        }
    }

    /** Replaces the gateway's service. */
    static final class Replacement implements BeanPostProcessor {

        private final BeanFactory beans;

        Replacement(BeanFactory beans) {
            this.beans = beans;
        }

        @Override
        public @Nullable Object postProcessAfterInitialization(Object bean, String name) {
            return bean instanceof ConfigurationService service ? new UnevaluatedArguments(service, beans) : bean;
        }
    }
}
