package io.headgate.spring.gateway;

import io.headgate.spring.web.WebProperties;
import java.util.Map;
import java.util.function.Consumer;
import org.springframework.cloud.gateway.server.mvc.common.Configurable;
import org.springframework.cloud.gateway.server.mvc.filter.SimpleFilterSupplier;
import org.springframework.web.servlet.function.HandlerFilterFunction;
import org.springframework.web.servlet.function.ServerResponse;

/** The filter {@code HeadgateRateLimit} of gateways on WebMVC. */
public final class HeadgateFilterFunctions {

    private HeadgateFilterFunctions() {}

    /**
     * Returns a filter.
     *
     * <pre>{@code
     * route("orders").GET("/orders/**", http()).filter(rateLimit(it -> it.policy("api").by("user", "header(X-User)"))).build()
     * }</pre>
     *
     * <p>Its settings are checked at the first request. If they are wrong, the problem is logged, and all requests are rejected.
     */
    public static HandlerFilterFunction<ServerResponse, ServerResponse> rateLimit(
            Consumer<RateLimitSettings> settings) {
        RateLimitSettings given = new RateLimitSettings();
        settings.accept(given);
        WebProperties.Route route = given.route();
        return new RateLimitFilter(name -> route);
    }

    /** The filter in YAML. */
    static final class OfArguments {

        private OfArguments() {}

        /** Returns a filter with these arguments. */
        @Configurable
        public static HandlerFilterFunction<ServerResponse, ServerResponse> headgateRateLimit(
                Map<String, Object> arguments) {
            return new RateLimitFilter(name -> FilterArguments.readNested(name, arguments));
        }
    }

    /** Lists the filter for YAML. */
    static final class Supplier extends SimpleFilterSupplier {

        Supplier() {
            super(OfArguments.class);
        }
    }
}
