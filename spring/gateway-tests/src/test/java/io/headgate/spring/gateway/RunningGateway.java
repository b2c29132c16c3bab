package io.headgate.spring.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.cloud.gateway.event.RefreshRoutesEvent;
import org.springframework.cloud.gateway.event.RefreshRoutesResultEvent;
import org.springframework.cloud.gateway.filter.FilterDefinition;
import org.springframework.cloud.gateway.handler.predicate.PredicateDefinition;
import org.springframework.cloud.gateway.route.RouteDefinition;
import org.springframework.cloud.gateway.route.RouteDefinitionWriter;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.io.ByteArrayResource;
import reactor.core.publisher.Mono;

/** A gateway on a random port, and a client of it. */
final class RunningGateway implements AutoCloseable {

    final ConfigurableApplicationContext context;
    private final HttpClient client = HttpClient.newHttpClient();
    private final String home;

    private RunningGateway(ConfigurableApplicationContext context) {
        this.context = context;
        this.home = "http://localhost:" + context.getEnvironment().getProperty("local.server.port");
    }

    /** Starts a gateway, with the properties of these YAML documents. */
    static RunningGateway start(Class<?> application, WebApplicationType type, String... documents) {
        boolean reactive = type == WebApplicationType.REACTIVE;
        return new RunningGateway(new SpringApplicationBuilder(application)
                .web(type)
                .properties(
                        "server.port=0",
                        "spring.main.banner-mode=off",
                        "spring.cloud.gateway.server.webflux.enabled=" + reactive,
                        "spring.cloud.gateway.server.webflux.redis.enabled=" + reactive,
                        "spring.cloud.gateway.server.webmvc.enabled=" + !reactive,
                        // If WebMVC is disabled, this fails in Gateway 5.
                        "spring.autoconfigure.exclude="
                                + (reactive ? "org.springframework.cloud.gateway.server.mvc.filter.FilterAutoConfiguration" : ""))
                .initializers(context -> {
                    for (int i = 0; i < documents.length; i++) {
                        load("document" + i, documents[i], context);
                    }
                })
                .run());
    }

    private static void load(String name, String yaml, ConfigurableApplicationContext context) {
        try {
            new YamlPropertySourceLoader()
                    .load(name, new ByteArrayResource(yaml.getBytes(StandardCharsets.UTF_8)))
                    .forEach(context.getEnvironment().getPropertySources()::addFirst);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Reads a YAML file, with this upstream in place of each host in it. */
    static String read(String resource, Upstream upstream) {
        try (InputStream in = RunningGateway.class.getClassLoader().getResourceAsStream(resource)) {
            return new String(Objects.requireNonNull(in, resource).readAllBytes(), StandardCharsets.UTF_8)
                    .replaceAll("http://[a-z]+\\.internal", upstream.uri());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the values of a field of a response. */
    static List<String> values(HttpResponse<?> response, String name) {
        return response.headers().allValues(name);
    }

    int port() {
        return URI.create(home).getPort();
    }

    HttpResponse<String> get(String path, String... headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(home + path))
                .version(HttpClient.Version.HTTP_1_1)
                .timeout(Duration.ofSeconds(30));
        if (headers.length > 0) {
            request.headers(headers);
        }
        return send(request);
    }

    /** Sends the preflight request of a browser. */
    HttpResponse<String> preflight(String path) {
        return send(HttpRequest.newBuilder(URI.create(home + path))
                .version(HttpClient.Version.HTTP_1_1)
                .timeout(Duration.ofSeconds(30))
                .headers("Origin", "https://shop.example", "Access-Control-Request-Method", "GET")
                .method("OPTIONS", HttpRequest.BodyPublishers.noBody()));
    }

    private HttpResponse<String> send(HttpRequest.Builder request) {
        return client.sendAsync(request.build(), BodyHandlers.ofString()).join();
    }

    /** Adds a route of {@code /later/} and its id to a reactive gateway, and waits until it is in use. */
    void addLater(String id, Upstream upstream, FilterDefinition filter) throws InterruptedException {
        RouteDefinition route = new RouteDefinition();
        route.setId(id);
        route.setUri(URI.create(upstream.uri()));
        route.setPredicates(List.of(new PredicateDefinition("Path=/later/" + id)));
        route.setFilters(List.of(filter));
        context.getBean(RouteDefinitionWriter.class).save(Mono.just(route)).block();
        CountDownLatch refreshed = new CountDownLatch(1);
        ApplicationListener<RefreshRoutesResultEvent> listener = event -> refreshed.countDown();
        context.addApplicationListener(listener);
        context.publishEvent(new RefreshRoutesEvent(this));
        assertThat(refreshed.await(30, TimeUnit.SECONDS)).isTrue();
        context.removeApplicationListener(listener);
    }

    @Override
    public void close() {
        context.close();
    }
}
