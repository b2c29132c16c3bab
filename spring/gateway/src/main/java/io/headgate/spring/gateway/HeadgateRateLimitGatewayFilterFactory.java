package io.headgate.spring.gateway;

import io.headgate.config.ConfigException;
import io.headgate.spring.gateway.HeadgateRateLimitGatewayFilterFactory.Config;
import io.headgate.spring.web.MatchedPath;
import io.headgate.spring.web.reactive.ExchangeLimit;
import io.headgate.spring.web.reactive.ExchangeLimits;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.cloud.gateway.filter.GatewayFilter;
import org.springframework.cloud.gateway.filter.factory.AbstractGatewayFilterFactory;
import org.springframework.cloud.gateway.support.HasRouteId;
import org.springframework.cloud.gateway.support.ServerWebExchangeUtils;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * The filter {@code HeadgateRateLimit} of gateways on WebFlux.
 *
 * <pre>{@code
 * route.path("/orders/**").filters(f -> f.filter(limit.limit(it -> it.policy("api").by("user", "header(X-User)"))))
 * }</pre>
 */
public final class HeadgateRateLimitGatewayFilterFactory extends AbstractGatewayFilterFactory<Config> {

    private static final Log LOG = LogFactory.getLog(HeadgateRateLimitGatewayFilterFactory.class);

    private final Optional<ExchangeLimits> limits;

    /**
     * Creates a factory.
     *
     * @param limits the limits; empty if Headgate is switched off, and filters pass all requests
     */
    HeadgateRateLimitGatewayFilterFactory(Optional<ExchangeLimits> limits) {
        super(Config.class);
        this.limits = limits;
    }

    /** The settings of a filter. */
    public static final class Config extends RateLimitSettings implements HasRouteId {

        private @Nullable String routeId;
        private @Nullable Map<String, String> arguments;

        /** Creates settings without a policy. */
        public Config() {}

        /** Creates the settings of arguments, which are read when the route is known. */
        Config(Map<String, String> arguments) {
            this.arguments = arguments;
        }

        @Override
        public @Nullable String getRouteId() {
            return routeId;
        }

        @Override
        public void setRouteId(String id) {
            routeId = id;
        }

        private String name() {
            return FilterArguments.nameIn(routeId == null ? "in Java" : routeId);
        }
    }

    /**
     * Returns a filter.
     *
     * @param settings sets the settings
     * @throws ConfigException if a setting is wrong
     */
    public GatewayFilter limit(Consumer<RateLimitSettings> settings) {
        Config config = new Config();
        settings.accept(config);
        return apply(config);
    }

    /**
     * Returns the filter of a route. If the settings of a route definition are wrong, the problem is logged, and the filter rejects all
     * requests of this route, so that the other routes of a refresh remain in use.
     *
     * @throws ConfigException if settings in Java are wrong
     */
    @Override
    public GatewayFilter apply(Config config) {
        if (limits.isEmpty()) {
            return (exchange, chain) -> chain.filter(exchange);
        }
        Map<String, String> arguments = config.arguments;
        if (arguments == null) {
            return filter(limits.get().compile(config.name(), config.route()));
        }
        try {
            return filter(limits.get().compile(config.name(), FilterArguments.read(config.name(), arguments)));
        } catch (ConfigException e) {
            LOG.error("The requests of a route are rejected, because its filter is wrong. " + e.getMessage());
            // Not on the event loop, for the reason that HeadgateRateLimiter has.
            return (exchange, chain) ->
                    Mono.<Void>error(RejectedRoute::exception).subscribeOn(Schedulers.parallel());
        }
    }

    private static GatewayFilter filter(ExchangeLimit limit) {
        return (exchange, chain) -> limit.filter(exchange, matchedPath(exchange), () -> chain.filter(exchange));
    }

    private static MatchedPath matchedPath(ServerWebExchange exchange) {
        return new MatchedPath(
                exchange.getAttributeOrDefault(ServerWebExchangeUtils.GATEWAY_PREDICATE_MATCHED_PATH_ATTR, ""),
                ServerWebExchangeUtils.getUriTemplateVariables(exchange));
    }
}
