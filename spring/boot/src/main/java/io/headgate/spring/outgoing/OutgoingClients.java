package io.headgate.spring.outgoing;

import java.util.List;
import java.util.function.Supplier;
import org.springframework.http.client.ClientHttpRequestInterceptor;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestTemplate;
import org.springframework.web.reactive.function.client.ExchangeFilterFunction;
import org.springframework.web.reactive.function.client.WebClient;

/**
 * Limits the calls of clients that Spring Boot builds, if there are routes; without routes, the clients remain as they are. The limits are
 * found at the first call, so that beans they need may have clients themselves. A builder that is customized again has the limits once,
 * after the interceptors or filters that were added meanwhile.
 */
public final class OutgoingClients {

    private final boolean hasRoutes;
    private final ClientHttpRequestInterceptor interceptor;

    OutgoingClients(OutgoingProperties properties, Supplier<OutgoingLimits> limits) {
        this.hasRoutes = !properties.routes().isEmpty();
        Supplier<OutgoingLimits> found = SingletonSupplier.of(limits);
        this.interceptor = (request, body, execution) -> found.get().intercept(request, body, execution);
    }

    /** Adds one at the end, or moves it there. */
    private static <T> void putLast(T last, List<T> all) {
        all.removeIf(one -> one == last);
        all.add(last);
    }

    /** Limits the clients of a builder. */
    public void customize(RestClient.Builder client) {
        if (hasRoutes) {
            client.requestInterceptors(all -> putLast(interceptor, all));
        }
    }

    /** Limits a client. */
    public void customize(RestTemplate client) {
        if (hasRoutes) {
            putLast(interceptor, client.getInterceptors());
        }
    }

    /** The same for reactive clients, which an application may lack. */
    public static final class Reactive {

        private final boolean hasRoutes;
        private final ExchangeFilterFunction filter;

        Reactive(OutgoingProperties properties, Supplier<OutgoingFilter> filter) {
            this.hasRoutes = !properties.routes().isEmpty();
            Supplier<OutgoingFilter> found = SingletonSupplier.of(filter);
            this.filter = (request, next) -> found.get().filter(request, next);
        }

        /** Limits the clients of a builder. */
        public void customize(WebClient.Builder client) {
            if (hasRoutes) {
                client.filters(all -> putLast(filter, all));
            }
        }
    }
}
