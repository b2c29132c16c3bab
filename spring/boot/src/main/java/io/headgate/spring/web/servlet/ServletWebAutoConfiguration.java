package io.headgate.spring.web.servlet;

import io.headgate.config.ConfigException;
import io.headgate.config.PolicyRegistry;
import io.headgate.limits.LimitEngine;
import io.headgate.spring.HeadgateAutoConfiguration;
import io.headgate.spring.internal.ConfigurationCheck;
import io.headgate.spring.internal.DecisionObserver;
import io.headgate.spring.web.WebProperties;
import io.headgate.spring.web.internal.Phase;
import io.headgate.spring.web.internal.RouteCompiler;
import io.headgate.spring.web.internal.RouteDecider;
import io.headgate.spring.web.internal.Routes;
import io.headgate.spring.web.internal.ServerForwarding;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.security.authentication.event.AbstractAuthenticationEvent;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.cors.CorsConfigurationSource;
import org.springframework.web.filter.CorsFilter;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.HandlerMapping;
import org.springframework.web.util.pattern.PathPatternParser;

/** Limits the requests of a servlet application by the routes of its properties. */
@AutoConfiguration(after = HeadgateAutoConfiguration.class)
@ConditionalOnBean(HeadgateAutoConfiguration.class)
@ConditionalOnClass({Filter.class, CorsFilter.class})
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@EnableConfigurationProperties(WebProperties.class)
public class ServletWebAutoConfiguration {

    private static final String AUTHENTICATION_LISTENER = "headgateAuthenticationListener";
    private static final String SPRING_MVC = "org.springframework.web.servlet.";
    private static final String MVC_PATTERN_PARSER = "mvcPatternParser";
    private static final String SECURITY_ORDER = "spring.security.filter.order";
    private static final int DEFAULT_SECURITY_ORDER = -100;

    @Bean
    Routes headgateRoutes(
            WebProperties properties, PolicyRegistry registry, BeanFactory beans, ApplicationContext context) {
        return routes(properties, registry, beans, context, paths(beans));
    }

    @Bean
    ConfigurationCheck headgateRouteCheck(WebProperties properties, BeanFactory beans, ApplicationContext context) {
        // The parser of Spring MVC would need beans that may need the engine.
        return registry -> routes(properties, registry, beans, context, PathPatternParser.defaultInstance);
    }

    private static Routes routes(
            WebProperties properties,
            PolicyRegistry registry,
            BeanFactory beans,
            ApplicationContext context,
            PathPatternParser paths) {
        ServerForwarding.requireSafe(context, properties);
        Routes routes = RouteCompiler.compile(properties, registry, beans, UnaryOperator.identity(), paths);
        if (routes.refundAuthenticated() && !beans.containsBean(AUTHENTICATION_LISTENER)) {
            String problem = "headgate.web.routes: refund-on has authenticated, which needs Spring Security";
            throw new ConfigException(List.of(problem));
        }
        return routes;
    }

    /** Returns the parser of Spring MVC, by which an application may ignore the case of paths. */
    private static PathPatternParser paths(BeanFactory beans) {
        return beans.containsBean(MVC_PATTERN_PARSER)
                ? beans.getBean(MVC_PATTERN_PARSER, PathPatternParser.class)
                : PathPatternParser.defaultInstance;
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
    RequestLimits headgateRequestLimits(
            WebProperties properties,
            PolicyRegistry registry,
            LimitEngine engine,
            BeanFactory beans,
            ObjectProvider<DecisionObserver> observer) {
        return new RequestLimits(
                properties,
                registry,
                engine,
                beans,
                paths(beans),
                observer.getIfAvailable(() -> DecisionObserver.NONE));
    }

    @Bean
    CurrentRequest headgateCurrentRequest() {
        return new CurrentRequest();
    }

    @Bean
    FilterRegistrationBean<RouteFilter> headgateFilterBeforeAuthentication(
            Routes routes, RouteDecider decider, DenialWriter denials, CurrentRequest current, Environment properties) {
        return registration(
                new RouteFilter(Phase.BEFORE_AUTHENTICATION, decider, denials, current),
                "headgateBeforeAuthentication",
                securityOrder(properties) - 1,
                routes.has(Phase.BEFORE_AUTHENTICATION) || routes.refund());
    }

    @Bean
    FilterRegistrationBean<RouteFilter> headgateFilterAfterAuthentication(
            Routes routes, RouteDecider decider, DenialWriter denials, CurrentRequest current, Environment properties) {
        return registration(
                new RouteFilter(Phase.AFTER_AUTHENTICATION, decider, denials, current),
                "headgateAfterAuthentication",
                securityOrder(properties) + 1,
                routes.has(Phase.AFTER_AUTHENTICATION));
    }

    private static int securityOrder(Environment properties) {
        return properties.getProperty(SECURITY_ORDER, Integer.class, DEFAULT_SECURITY_ORDER);
    }

    private static FilterRegistrationBean<RouteFilter> registration(
            RouteFilter filter, String name, int order, boolean enabled) {
        FilterRegistrationBean<RouteFilter> registration = new FilterRegistrationBean<>(filter);
        registration.setName(name);
        registration.setOrder(order);
        registration.setEnabled(enabled);
        registration.setAsyncSupported(true);
        registration.setDispatcherTypes(DispatcherType.REQUEST);
        return registration;
    }

    /** Returns the filters for CORS, which are beans or registered by a bean. They are looked up once, at the first call. */
    private static Supplier<List<CorsFilter>> corsFilters(ApplicationContext context) {
        return SingletonSupplier.of(() -> {
            List<CorsFilter> filters = new ArrayList<>(
                    context.getBeanProvider(CorsFilter.class).orderedStream().toList());
            context.getBeanProvider(FilterRegistrationBean.class)
                    .orderedStream()
                    .forEach(registration -> {
                        if (registration.getFilter() instanceof CorsFilter filter && !filters.contains(filter)) {
                            filters.add(filter);
                        }
                    });
            return List.copyOf(filters);
        });
    }

    /** Denied requests without Spring MVC. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnMissingClass("org.springframework.web.servlet.DispatcherServlet")
    static class PlainDenials {

        @Bean
        DenialWriter headgateDenialWriter(ApplicationContext context) {
            ObjectProvider<CorsConfigurationSource> sources = context.getBeanProvider(CorsConfigurationSource.class);
            return new DenialWriter(
                    new CorsFields(corsFilters(context), SingletonSupplier.of(() -> sources.orderedStream()
                            .toList())));
        }
    }

    /** Denied requests and calls of methods with Spring MVC. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(DispatcherServlet.class)
    static class MvcDenials {

        @Bean
        MvcDenialWriter headgateDenialWriter(ApplicationContext context) {
            ObjectProvider<CorsConfigurationSource> sources = context.getBeanProvider(CorsConfigurationSource.class);
            MvcCors mvc =
                    new MvcCors(SingletonSupplier.of(() -> MvcDenialWriter.ordered(context, HandlerMapping.class)));
            // Spring MVC also has a bean with its configuration, which will be removed.
            Supplier<List<CorsConfigurationSource>> all = SingletonSupplier.of(() -> Stream.concat(
                            sources.orderedStream()
                                    .filter(source ->
                                            !source.getClass().getName().startsWith(SPRING_MVC)),
                            Stream.of(mvc))
                    .toList());
            return new MvcDenialWriter(new CorsFields(corsFilters(context), all), context);
        }

        @Bean
        DeniedCallResolver headgateDeniedCallResolver(MvcDenialWriter writer) {
            return new DeniedCallResolver(writer);
        }
    }

    /** Notes the users that Spring Security authenticates. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(AbstractAuthenticationEvent.class)
    static class Authentications {

        @Bean(AUTHENTICATION_LISTENER)
        AuthenticationListener headgateAuthenticationListener(CurrentRequest current) {
            return new AuthenticationListener(current);
        }
    }
}
