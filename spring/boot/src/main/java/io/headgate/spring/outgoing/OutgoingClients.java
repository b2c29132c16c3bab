package io.headgate.spring.outgoing;

import java.util.function.Supplier;
import org.springframework.http.client.ClientHttpRequestInterceptor;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestTemplate;
import org.springframework.web.reactive.function.client.ExchangeFilterFunction;
import org.springframework.web.reactive.function.client.WebClient;

/**
 * Limits the calls of clients that Spring Boot builds, if there are routes; without routes, the clients remain as they are. The limits are
 * found at the first call, so that beans they need may have clients themselves.
 */
public final class OutgoingClients {

    private final boolean hasRoutes;
    private final Supplier<OutgoingLimits> limits;

    OutgoingClients(OutgoingProperties properties, Supplier<OutgoingLimits> limits) {
        this.hasRoutes = !properties.routes().isEmpty();
        this.limits = SingletonSupplier.of(limits);
    }

    private ClientHttpRequestInterceptor interceptor() {
        return (request, body, execution) -> limits.get().intercept(request, body, execution);
    }

    /** Limits the clients of a builder. */
    public void customize(RestClient.Builder client) {
        if (hasRoutes) {
            client.requestInterceptor(interceptor());
        }
    }

    /** Limits a client. */
    public void customize(RestTemplate client) {
        if (hasRoutes) {
            client.getInterceptors().add(interceptor());
        }
    }

    /** The same for reactive clients, which an application may lack. */
    public static final class Reactive {

        private final boolean hasRoutes;
        private final Supplier<OutgoingFilter> filter;

        Reactive(OutgoingProperties properties, Supplier<OutgoingFilter> filter) {
            this.hasRoutes = !properties.routes().isEmpty();
            this.filter = SingletonSupplier.of(filter);
        }

        /** Limits the clients of a builder. */
        public void customize(WebClient.Builder client) {
            if (hasRoutes) {
                ExchangeFilterFunction later = (request, next) -> filter.get().filter(request, next);
                client.filter(later);
            }
        }
    }
}
