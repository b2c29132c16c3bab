package io.headgate.spring.gateway;

import io.headgate.limits.LimitEngine;
import io.headgate.spring.internal.ConfigurationCheck;
import io.headgate.spring.internal.Problems;
import io.headgate.spring.internal.expression.ReactiveResults;
import io.headgate.spring.web.WebProperties;
import io.headgate.spring.web.internal.RouteCompiler;
import io.headgate.spring.web.reactive.ExchangeLimits;
import io.headgate.spring.web.reactive.ReactiveWebAutoConfiguration;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.cloud.gateway.config.GatewayProperties;
import org.springframework.cloud.gateway.config.conditional.ConditionalOnEnabledFilter;
import org.springframework.cloud.gateway.filter.FilterDefinition;
import org.springframework.cloud.gateway.filter.factory.GatewayFilterFactory;
import org.springframework.cloud.gateway.filter.factory.RequestRateLimiterGatewayFilterFactory;
import org.springframework.cloud.gateway.filter.ratelimit.RateLimiter;
import org.springframework.cloud.gateway.support.ConfigurationService;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.util.pattern.PathPatternParser;

/** Limits the routes of Spring Cloud Gateway on WebFlux. */
@AutoConfiguration(
        after = ReactiveWebAutoConfiguration.class,
        beforeName = {
            "org.springframework.cloud.gateway.config.GatewayRedisAutoConfiguration",
            "org.springframework.cloud.gateway.config.GatewayAutoConfiguration"
        })
@ConditionalOnClass(GatewayFilterFactory.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
@ConditionalOnProperty(name = GatewayProperties.PREFIX + ".enabled", matchIfMissing = true)
public class ReactiveGatewayAutoConfiguration {

    /** Creates the configuration. */
    ReactiveGatewayAutoConfiguration() {}

    @Bean
    static UnevaluatedArguments.Replacement headgateUnevaluatedArguments(BeanFactory beans) {
        return new UnevaluatedArguments.Replacement(beans);
    }

    @Bean
    @ConditionalOnEnabledFilter
    HeadgateRateLimitGatewayFilterFactory headgateRateLimitGatewayFilterFactory(ObjectProvider<ExchangeLimits> limits) {
        return new HeadgateRateLimitGatewayFilterFactory(Optional.ofNullable(limits.getIfAvailable()));
    }

    /** Checks the filters before the engine connects to Redis, if the application has no policies of its own. */
    @Bean
    @ConditionalOnBean({HeadgateRateLimitGatewayFilterFactory.class, ExchangeLimits.class})
    ConfigurationCheck headgateGatewayRouteCheck(GatewayProperties properties, WebProperties web, BeanFactory beans) {
        return registry -> check(
                properties,
                (name, route) -> RouteCompiler.compileOne(
                        name,
                        route,
                        web,
                        registry,
                        beans,
                        ReactiveResults.stages(),
                        PathPatternParser.defaultInstance));
    }

    /** A gateway reads its routes after the start, and only logs their problems. */
    @Bean
    @ConditionalOnBean({HeadgateRateLimitGatewayFilterFactory.class, ExchangeLimits.class})
    SmartInitializingSingleton headgateGatewayRouteChecks(
            GatewayProperties properties, ExchangeLimits limits, WebProperties web) {
        return () -> {
            check(properties, limits::compile);
            RouteWarnings warnings = new RouteWarnings(web);
            visit(properties, warnings::warnOfSecondCharge);
        };
    }

    /** Another limiter ignores the argument, also if Headgate is switched off. */
    @Bean
    SmartInitializingSingleton headgateReplenishPeriodCheck(
            GatewayProperties properties, ObjectProvider<HeadgateRateLimiter> limiter) {
        return () -> {
            if (limiter.stream().findAny().isEmpty()) {
                RouteWarnings.warnOfPeriods("default-filters", properties.getDefaultFilters());
                properties
                        .getRoutes()
                        .forEach(route -> RouteWarnings.warnOfPeriods("route " + route.getId(), route.getFilters()));
            }
        };
    }

    private static void check(GatewayProperties properties, BiConsumer<String, WebProperties.Route> compile) {
        Problems problems = new Problems();
        visit(
                properties,
                (name, arguments, paths) ->
                        problems.collect(() -> compile.accept(name, FilterArguments.read(name, arguments))));
        problems.failIfAny();
    }

    /** Visits the default filters, and the filters of all routes. */
    private static void visit(GatewayProperties properties, FilterArguments.Visitor visitor) {
        visit("of default-filters", properties.getDefaultFilters(), List.of(), visitor);
        properties
                .getRoutes()
                .forEach(route -> visit(
                        String.valueOf(route.getId()),
                        route.getFilters(),
                        route.getPredicates().stream()
                                .flatMap(predicate -> RouteWarnings.patterns(predicate.getName(), predicate.getArgs()))
                                .toList(),
                        visitor));
    }

    private static void visit(
            String route, List<FilterDefinition> filters, List<String> paths, FilterArguments.Visitor visitor) {
        for (FilterDefinition filter : filters) {
            if (FilterArguments.FILTER.equals(filter.getName())) {
                visitor.visit(FilterArguments.nameIn(route), filter.getArgs(), paths);
            }
        }
    }

    /** Takes the place of the gateway's own limiter, unless the application has one. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnBean(ExchangeLimits.class)
    @ConditionalOnMissingBean(
            value = RateLimiter.class,
            type = "io.github.bucket4j.distributed.proxy.AsyncProxyManager")
    @ConditionalOnEnabledFilter(RequestRateLimiterGatewayFilterFactory.class)
    static class RateLimiterConfiguration {

        private static final String LIMITER = "headgateRateLimiter";

        @Bean
        static GatewayLimiterRemoval headgateGatewayLimiterRemoval() {
            return new GatewayLimiterRemoval(LIMITER);
        }

        @Bean
        ConfigurationCheck headgateRateLimiterCheck(GatewayProperties properties) {
            return registry -> check(properties);
        }

        @Bean
        SmartInitializingSingleton headgateRateLimiterChecks(GatewayProperties properties) {
            return () -> check(properties);
        }

        private static void check(GatewayProperties properties) {
            Problems problems = new Problems();
            properties.getRoutes().forEach(route -> route.getFilters().stream()
                    .filter(filter -> HeadgateRateLimiter.FILTER.equals(filter.getName()))
                    .forEach(filter -> problems.collect(
                            () -> HeadgateRateLimiter.check(String.valueOf(route.getId()), filter.getArgs()))));
            problems.failIfAny();
        }

        @Bean(LIMITER)
        @ConfigurationProperties(GatewayProperties.PREFIX + ".redis-rate-limiter")
        HeadgateRateLimiter headgateRateLimiter(LimitEngine engine, ConfigurationService service) {
            return new HeadgateRateLimiter(engine, service);
        }
    }
}
