package io.headgate.spring.web;

import io.headgate.config.PolicyRegistry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
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

/** A servlet application on an embedded Tomcat or a WebFlux application on Netty, and a client of it. */
public final class RunningApplication implements AutoCloseable {

    public final ConfigurableApplicationContext context;
    private final HttpClient client;
    private final String home;

    private RunningApplication(ConfigurableApplicationContext context, HttpClient.Version version, String basePath) {
        this.context = context;
        this.client = HttpClient.newBuilder().version(version).build();
        this.home = "://localhost:" + context.getEnvironment().getProperty("local.server.port")
                + context.getEnvironment().getProperty(basePath, "");
    }

    /** Starts a servlet application, with these properties as YAML. */
    public static RunningApplication servlet(Class<?> application, String yaml) {
        return new RunningApplication(
                run(WebApplicationType.SERVLET, application, yaml),
                HttpClient.Version.HTTP_2,
                "server.servlet.context-path");
    }

    /** Starts a WebFlux application, with these properties as YAML. */
    public static RunningApplication reactive(Class<?> application, String yaml) {
        return new RunningApplication(
                run(WebApplicationType.REACTIVE, application, yaml),
                HttpClient.Version.HTTP_1_1,
                "spring.webflux.base-path");
    }

    private static ConfigurableApplicationContext run(WebApplicationType type, Class<?> application, String yaml) {
        return new SpringApplicationBuilder(application)
                .web(type)
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
                .run();
    }

    /** Returns a request to a path within the application. */
    public HttpRequest.Builder to(String path) {
        return HttpRequest.newBuilder(URI.create("http" + home + path)).timeout(Duration.ofSeconds(30));
    }

    /** Returns a login by a form. */
    public HttpRequest.Builder login(String user, String password) {
        return to("/login")
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(BodyPublishers.ofString("username=" + user + "&password=" + password));
    }

    public static String basic(String user, String password) {
        return "Basic "
                + Base64.getEncoder().encodeToString((user + ":" + password).getBytes(StandardCharsets.UTF_8));
    }

    /** Opens a connection on which each read has a timeout. */
    public Socket connect() throws IOException {
        Socket socket = new Socket("localhost", URI.create("http" + home).getPort());
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(30_000);
        return socket;
    }

    public HttpClient client() {
        return client;
    }

    public HttpResponse<String> get(String path) {
        return send(to(path));
    }

    public HttpResponse<String> send(HttpRequest.Builder request) {
        return sendAsync(request).join();
    }

    public CompletableFuture<HttpResponse<String>> sendAsync(HttpRequest.Builder request) {
        return client.sendAsync(request.build(), BodyHandlers.ofString());
    }

    public CompletableFuture<WebSocket> openSocket(String path) {
        return client.newWebSocketBuilder().buildAsync(URI.create("ws" + home + path), new WebSocket.Listener() {});
    }

    /** The remaining permits of an id under the policy {@code two}. */
    public long remaining(String id) {
        return remaining("two", id);
    }

    /** The remaining permits of an id under a policy with one dimension. */
    public long remaining(String policy, String id) {
        return context.getBean(PolicyRegistry.class).limiter(policy).peek(id).remaining();
    }

    @Override
    public void close() {
        context.close();
    }
}
