package io.headgate.spring.web.reactive;

import io.headgate.config.ConfigException;
import io.headgate.config.PolicyRegistry;
import io.headgate.limits.LimitEngine;
import io.headgate.spring.HeadgateAutoConfiguration;
import io.headgate.spring.internal.ConfigurationCheck;
import io.headgate.spring.internal.DecisionObserver;
import io.headgate.spring.internal.expression.ReactiveResults;
import io.headgate.spring.web.WebProperties;
import io.headgate.spring.web.internal.DenialHandlers;
import io.headgate.spring.web.internal.Phase;
import io.headgate.spring.web.internal.RouteCompiler;
import io.headgate.spring.web.internal.RouteDecider;
import io.headgate.spring.web.internal.Routes;
import io.headgate.spring.web.internal.ServerForwarding;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.codec.ServerCodecConfigurer;
import org.springframework.security.core.Authentication;
import org.springframework.web.cors.reactive.CorsConfigurationSource;
import org.springframework.web.cors.reactive.CorsWebFilter;
import org.springframework.web.reactive.DispatcherHandler;
import org.springframework.web.reactive.handler.AbstractHandlerMapping;
import org.springframework.web.util.pattern.PathPatternParser;
import reactor.core.publisher.Mono;

/** Limits the requests of a WebFlux application by the routes of its properties. */
@AutoConfiguration(after = HeadgateAutoConfiguration.class)
@ConditionalOnBean(HeadgateAutoConfiguration.class)
@ConditionalOnClass({DispatcherHandler.class, Mono.class})
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
@EnableConfigurationProperties(WebProperties.class)
public class ReactiveWebAutoConfiguration {

    private static final String HANDLER_MAPPING = "requestMappingHandlerMapping";

    /** Creates the configuration. */
    ReactiveWebAutoConfiguration() {}

    @Bean
    Routes headgateRoutes(
            WebProperties properties, PolicyRegistry registry, BeanFactory beans, ApplicationContext context) {
        return routes(properties, registry, beans, context, paths(beans));
    }

    @Bean
    ConfigurationCheck headgateRouteCheck(WebProperties properties, BeanFactory beans, ApplicationContext context) {
        // The parser of WebFlux would need beans that may need the engine.
        return registry -> routes(properties, registry, beans, context, PathPatternParser.defaultInstance);
    }

    private static Routes routes(
            WebProperties properties,
            PolicyRegistry registry,
            BeanFactory beans,
            ApplicationContext context,
            PathPatternParser paths) {
        ServerForwarding.requireSafe(context, properties);
        requireStatuses(properties);
        return RouteCompiler.compile(properties, registry, beans, ReactiveResults.stages(), paths);
    }

    /** Returns the parser of WebFlux, by which an application may ignore the case of paths. */
    private static PathPatternParser paths(BeanFactory beans) {
        return beans.containsBean(HANDLER_MAPPING) && beans.isTypeMatch(HANDLER_MAPPING, AbstractHandlerMapping.class)
                ? beans.getBean(HANDLER_MAPPING, AbstractHandlerMapping.class).getPathPatternParser()
                : PathPatternParser.defaultInstance;
    }

    /** Spring Security reports an authentication on the thread of the request, which only servlet applications have. */
    private static void requireStatuses(WebProperties properties) {
        List<String> problems = IntStream.range(0, properties.routes().size())
                .filter(i -> properties.routes().get(i).refundOn().contains("authenticated"))
                .mapToObj(i -> "headgate.web.routes[" + i + "].refund-on: must have statuses only, such as 2xx, "
                        + "in a WebFlux application, but has authenticated")
                .toList();
        if (!problems.isEmpty()) {
            throw new ConfigException(problems);
        }
    }

    @Bean
    RouteDecider headgateRouteDecider(
            Routes routes,
            WebProperties properties,
            PolicyRegistry registry,
            LimitEngine engine,
            ObjectProvider<DecisionObserver> observer) {
        return new RouteDecider(
                routes, registry, engine, properties, observer.getIfAvailable(() -> DecisionObserver.NONE));
    }

    @Bean
    ExchangeLimits headgateExchangeLimits(
            WebProperties properties,
            PolicyRegistry registry,
            LimitEngine engine,
            BeanFactory beans,
            Principals principals,
            ObjectProvider<DecisionObserver> observer) {
        return new ExchangeLimits(
                properties,
                registry,
                engine,
                beans,
                paths(beans),
                principals,
                observer.getIfAvailable(() -> DecisionObserver.NONE));
    }

    @Bean
    ReceivedRequests headgateReceivedRequests() {
        return new ReceivedRequests();
    }

    @Bean
    DenialWriter.Mapping headgateDenialMapping() {
        return new DenialWriter.Mapping();
    }

    @Bean
    DenialWriter headgateDenialWriter(
            ApplicationContext context, ObjectProvider<DispatcherHandler> dispatchers, ServerCodecConfigurer codecs) {
        Optional<DispatcherHandler> dispatcher = Optional.ofNullable(dispatchers.getIfUnique());
        return new DenialWriter(
                new CorsFields(
                        context.getBeanProvider(CorsWebFilter.class),
                        context.getBeanProvider(CorsConfigurationSource.class),
                        () -> dispatcher
                                .map(DispatcherHandler::getHandlerMappings)
                                .orElse(List.of())),
                new DenialHandlers(context),
                dispatcher,
                codecs.getWriters());
    }

    @Bean
    DeniedCalls headgateDeniedCalls(ObjectProvider<DenialWriter> denials, ApplicationContext context) {
        return new DeniedCalls(denials::getObject, new DenialHandlers(context));
    }

    @Bean
    @Nullable
    RouteWebFilter headgateFilterBeforeAuthentication(
            Routes routes,
            RouteDecider decider,
            Principals principals,
            DenialWriter denials,
            ApplicationContext context) {
        return filter(Phase.BEFORE_AUTHENTICATION, routes, decider, principals, denials, context);
    }

    @Bean
    @Nullable
    RouteWebFilter headgateFilterAfterAuthentication(
            Routes routes,
            RouteDecider decider,
            Principals principals,
            DenialWriter denials,
            ApplicationContext context) {
        return filter(Phase.AFTER_AUTHENTICATION, routes, decider, principals, denials, context);
    }

    private static @Nullable RouteWebFilter filter(
            Phase phase,
            Routes routes,
            RouteDecider decider,
            Principals principals,
            DenialWriter denials,
            ApplicationContext context) {
        return routes.has(phase) ? new RouteWebFilter(phase, routes, decider, principals, denials, context) : null;
    }

    /** Principals without Spring Security. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnMissingClass("org.springframework.security.core.Authentication")
    static class PlainPrincipals {

        @Bean
        Principals headgatePrincipals() {
            return new Principals(principal -> true);
        }
    }

    /** Principals with Spring Security. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(Authentication.class)
    static class SecurityPrincipals {

        @Bean
        Principals headgatePrincipals() {
            return new Principals(new Principals.OfSpringSecurity());
        }
    }
}
