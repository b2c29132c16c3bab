package io.headgate.spring.web.reactive;

import io.headgate.config.PolicyRegistry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.WebSocket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.concurrent.CompletableFuture;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.io.ByteArrayResource;

/** A WebFlux application on Netty, and a client of it. */
final class RunningApplication implements AutoCloseable {

    final ConfigurableApplicationContext context;
    private final HttpClient client = HttpClient.newHttpClient();
    private final String home;

    private RunningApplication(ConfigurableApplicationContext context) {
        this.context = context;
        this.home = "://localhost:" + context.getEnvironment().getProperty("local.server.port")
                + context.getEnvironment().getProperty("spring.webflux.base-path", "");
    }

    /** Starts an application, with these properties as YAML. */
    static RunningApplication start(Class<?> application, String yaml) {
        return new RunningApplication(new SpringApplicationBuilder(application)
                .web(WebApplicationType.REACTIVE)
                .properties("server.port=0", "headgate.engine=memory", "spring.main.banner-mode=off")
                .initializers(context -> {
                    try {
                        new YamlPropertySourceLoader()
                                .load("test", new ByteArrayResource(yaml.getBytes(StandardCharsets.UTF_8)))
                                .forEach(context.getEnvironment().getPropertySources()::addFirst);
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                })
                .run());
    }

    /** Returns a request to a path within the application. */
    HttpRequest.Builder to(String path) {
        return HttpRequest.newBuilder(URI.create("http" + home + path)).version(HttpClient.Version.HTTP_1_1).timeout(Duration.ofSeconds(30));
    }

    /** Opens a connection on which each read has a timeout. */
    Socket connect() throws IOException {
        Socket socket = new Socket("localhost", URI.create("http" + home).getPort());
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(30_000);
        return socket;
    }

    HttpResponse<String> get(String path) {
        return send(to(path));
    }

    HttpResponse<String> send(HttpRequest.Builder request) {
        return sendAsync(request).join();
    }

    CompletableFuture<HttpResponse<String>> sendAsync(HttpRequest.Builder request) {
        return client.sendAsync(request.build(), BodyHandlers.ofString());
    }

    CompletableFuture<WebSocket> openSocket(String path) {
        return client.newWebSocketBuilder().buildAsync(URI.create("ws" + home + path), new WebSocket.Listener() {});
    }

    static String basic(String user, String password) {
        return "Basic "
                + Base64.getEncoder().encodeToString((user + ":" + password).getBytes(StandardCharsets.UTF_8));
    }

    /** The remaining permits of an id under the policy {@code two}. */
    long remaining(String id) {
        return context.getBean(PolicyRegistry.class).limiter("two").peek(id).remaining();
    }

    @Override
    public void close() {
        context.close();
    }
}
