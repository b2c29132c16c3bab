package io.headgate.spring.gateway;

import io.headgate.spring.internal.Problems;
import io.headgate.spring.web.servlet.RequestLimits;
import io.headgate.spring.web.servlet.ServletWebAutoConfiguration;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.cloud.gateway.server.mvc.config.FilterProperties;
import org.springframework.cloud.gateway.server.mvc.config.GatewayMvcProperties;
import org.springframework.cloud.gateway.server.mvc.config.RouteProperties;
import org.springframework.context.annotation.Bean;

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

    @Bean
    SmartInitializingSingleton headgateGatewayRouteChecks(GatewayMvcProperties properties, RequestLimits limits) {
        return () -> {
            Problems problems = new Problems();
            properties.getRoutes().forEach(route -> check(problems, limits, String.valueOf(route.getId()), route));
            properties.getRoutesMap().forEach((id, route) -> check(problems, limits, id, route));
            problems.failIfAny();
        };
    }

    private static void check(Problems problems, RequestLimits limits, String id, RouteProperties route) {
        for (FilterProperties filter : route.getFilters()) {
            if (FilterArguments.FILTER.equals(filter.getName())) {
                String name = FilterArguments.nameIn(id);
                problems.collect(() -> limits.compile(name, FilterArguments.read(name, filter.getArgs())));
            }
        }
    }
}
