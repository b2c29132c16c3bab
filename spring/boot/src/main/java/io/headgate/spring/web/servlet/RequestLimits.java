package io.headgate.spring.web.servlet;

import io.headgate.config.ConfigException;
import io.headgate.config.PolicyRegistry;
import io.headgate.limits.LimitEngine;
import io.headgate.spring.internal.DecisionObserver;
import io.headgate.spring.web.WebProperties;
import io.headgate.spring.web.internal.RouteCompiler;
import io.headgate.spring.web.internal.RouteDecider;
import java.util.function.UnaryOperator;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.web.util.pattern.PathPatternParser;

/** Compiles the limits of filters that select requests themselves, such as those of a gateway. Safe for use by any number of threads. */
public final class RequestLimits {

    private final WebProperties properties;
    private final PolicyRegistry registry;
    private final LimitEngine engine;
    private final BeanFactory beans;
    private final PathPatternParser paths;
    private final DecisionObserver observer;

    RequestLimits(
            WebProperties properties,
            PolicyRegistry registry,
            LimitEngine engine,
            BeanFactory beans,
            PathPatternParser paths,
            DecisionObserver observer) {
        this.properties = properties;
        this.registry = registry;
        this.engine = engine;
        this.beans = beans;
        this.paths = paths;
        this.observer = observer;
    }

    /**
     * Compiles the limit of a filter.
     *
     * @param name the name of the filter in problems and in the log
     * @param route the settings; its conditions are ignored
     * @throws ConfigException if a setting is wrong
     */
    public RequestLimit compile(String name, WebProperties.Route route) {
        return new RequestLimit(new RouteDecider(
                RouteCompiler.compileOne(name, route, properties, registry, beans, UnaryOperator.identity(), paths),
                registry,
                engine,
                properties,
                observer));
    }
}
