package io.headgate.spring.gateway;

import io.headgate.spring.internal.ConfigurationCheck;
import io.headgate.spring.internal.Problems;
import io.headgate.spring.web.WebProperties;
import io.headgate.spring.web.internal.RouteCompiler;
import io.headgate.spring.web.servlet.RequestLimits;
import io.headgate.spring.web.servlet.ServletWebAutoConfiguration;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.UnaryOperator;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.cloud.gateway.server.mvc.config.FilterProperties;
import org.springframework.cloud.gateway.server.mvc.config.GatewayMvcProperties;
import org.springframework.cloud.gateway.server.mvc.config.RouteProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.web.util.pattern.PathPatternParser;

/** Checks the limits of the routes of Spring Cloud Gateway on WebMVC. */
@AutoConfiguration(
        after = ServletWebAutoConfiguration.class,
        afterName = "org.springframework.cloud.gateway.server.mvc.GatewayServerMvcAutoConfiguration")
@ConditionalOnClass(GatewayMvcProperties.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnBean({RequestLimits.class, GatewayMvcProperties.class})
public class MvcGatewayAutoConfiguration {

    /** Creates the configuration. */
    MvcGatewayAutoConfiguration() {}

    /** Checks the filters before the engine connects to Redis, if the application has no policies of its own. */
    @Bean
    ConfigurationCheck headgateGatewayRouteCheck(
            GatewayMvcProperties properties, WebProperties web, BeanFactory beans) {
        return registry -> check(
                properties,
                (name, route) -> RouteCompiler.compileOne(
                        name,
                        route,
                        web,
                        registry,
                        beans,
                        UnaryOperator.identity(),
                        PathPatternParser.defaultInstance));
    }

    @Bean
    SmartInitializingSingleton headgateGatewayRouteChecks(
            GatewayMvcProperties properties, RequestLimits limits, WebProperties web) {
        return () -> {
            check(properties, limits::compile);
            RouteWarnings warnings = new RouteWarnings(web);
            visit(properties, warnings::warnOfSecondCharge);
        };
    }

    private static void check(GatewayMvcProperties properties, BiConsumer<String, WebProperties.Route> compile) {
        Problems problems = new Problems();
        visit(
                properties,
                (name, arguments, paths) ->
                        problems.collect(() -> compile.accept(name, FilterArguments.read(name, arguments))));
        problems.failIfAny();
    }

    /** Visits the filters of all routes. */
    private static void visit(GatewayMvcProperties properties, FilterArguments.Visitor visitor) {
        properties.getRoutes().forEach(route -> visit(String.valueOf(route.getId()), route, visitor));
        properties.getRoutesMap().forEach((id, route) -> visit(id, route, visitor));
    }

    private static void visit(String id, RouteProperties route, FilterArguments.Visitor visitor) {
        List<String> paths = route.getPredicates().stream()
                .flatMap(predicate -> RouteWarnings.patterns(predicate.getName(), predicate.getArgs()))
                .toList();
        for (FilterProperties filter : route.getFilters()) {
            if (FilterArguments.FILTER.equals(filter.getName())) {
                visitor.visit(FilterArguments.nameIn(id), filter.getArgs(), paths);
            }
        }
    }
}
