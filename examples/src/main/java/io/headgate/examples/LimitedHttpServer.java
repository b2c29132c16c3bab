package io.headgate.examples;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.headgate.http.Problem;
import io.headgate.http.RateLimitFields;
import io.headgate.http.attributes.AttributeResolver;
import io.headgate.http.attributes.ClientAddress;
import io.headgate.http.attributes.RequestView;
import io.headgate.http.attributes.ResolvedAttributes;
import io.headgate.http.attributes.ValueResolver;
import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.InMemoryLimitEngine;
import io.headgate.limits.Limit;
import io.headgate.limits.LimitEngine;
import io.headgate.limits.Limiter;
import io.headgate.limits.PermitRequest;
import io.headgate.limits.Policy;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Limits in the HTTP server of the JDK. For another server, implement {@link RequestView} in the same way. */
public final class LimitedHttpServer {

    private static final Policy POLICY = Policy.named("orders")
            .rule("per-client", Limit.slidingWindow(2, Duration.ofMinutes(1)), Attributes.IP)
            .build();

    private static final AttributeResolver RESOLVER = AttributeResolver.builder()
            .attribute(Attributes.IP, ValueResolver.clientAddress(ClientAddress.trusting("10.0.7.0/28")))
            .attribute(Attributes.ENDPOINT, ValueResolver.pathPattern("/orders/{id}", "/**"))
            .build();

    private LimitedHttpServer() {}

    /** Sends three requests, of which two are admitted. */
    public static void main(String[] args) throws IOException, InterruptedException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        try (LimitEngine limits = InMemoryLimitEngine.builder().build()) {
            Limiter limiter = limits.limiter(POLICY);
            server.createContext("/", exchange -> handle(exchange, limiter));
            server.start();
            URI orders = URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/orders/17");
            HttpRequest request = HttpRequest.newBuilder(orders).build();
            for (int i = 0; i < 3; i++) {
                System.out.println(HttpClient.newHttpClient()
                        .send(request, HttpResponse.BodyHandlers.discarding())
                        .statusCode());
            }
        } finally {
            server.stop(0);
        }
    }

    /** Answers with a status and fields only; {@link Problem#members} would be the JSON body of a denial. */
    private static void handle(HttpExchange exchange, Limiter limiter) throws IOException {
        ResolvedAttributes resolved = RESOLVER.resolve(new ExchangeView(exchange));
        int status = 400;
        if (resolved.hasAll(POLICY.dimensions())) {
            Decision decision = limiter.tryAcquire(PermitRequest.of(resolved.attributes()));
            RateLimitFields.of(decision).forEach(exchange.getResponseHeaders()::set);
            status = decision.allowed()
                    ? 200
                    : Problem.denied(POLICY, decision, 429).status();
        }
        exchange.sendResponseHeaders(status, -1);
        exchange.close();
    }

    /** A request of the JDK's server. */
    private record ExchangeView(HttpExchange exchange) implements RequestView {

        @Override
        public String method() {
            return exchange.getRequestMethod();
        }

        @Override
        public String path() {
            return exchange.getRequestURI().getRawPath();
        }

        @Override
        public Optional<String> query() {
            return Optional.ofNullable(exchange.getRequestURI().getRawQuery());
        }

        @Override
        public List<String> headers(String name) {
            return exchange.getRequestHeaders().getOrDefault(name, List.of());
        }

        @Override
        public Optional<InetAddress> peerAddress() {
            return Optional.of(exchange.getRemoteAddress().getAddress());
        }
    }
}
