package io.headgate.spring.web.servlet;

import io.headgate.config.PolicyRegistry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Objects;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.io.ByteArrayResource;

/** An application on an embedded Tomcat, and a client of it. */
final class RunningApplication implements AutoCloseable {

    final ConfigurableApplicationContext context;
    private final HttpClient client = HttpClient.newHttpClient();
    private final String home;

    private RunningApplication(ConfigurableApplicationContext context) {
        this.context = context;
        this.home = "http://localhost:" + context.getEnvironment().getProperty("local.server.port")
                + context.getEnvironment().getProperty("server.servlet.context-path", "");
    }

    /** Starts an application, with these properties as YAML. */
    static RunningApplication start(Class<?> application, String yaml) {
        return new RunningApplication(new SpringApplicationBuilder(application)
                .web(WebApplicationType.SERVLET)
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
        return HttpRequest.newBuilder(URI.create(home + path));
    }

    HttpResponse<String> get(String path) {
        return send(to(path));
    }

    HttpResponse<String> send(HttpRequest.Builder request) {
        try {
            return client.send(request.build(), BodyHandlers.ofString());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    HttpClient client() {
        return client;
    }

    HttpRequest.Builder login(String user, String password) {
        return to("/login")
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(BodyPublishers.ofString("username=" + user + "&password=" + password));
    }

    static String basic(String user, String password) {
        return "Basic "
                + Base64.getEncoder().encodeToString((user + ":" + password).getBytes(StandardCharsets.UTF_8));
    }

    /** The remaining permits of an id under a policy with one dimension. */
    long remaining(String policy, String id) {
        return Objects.requireNonNull(context.getBean(PolicyRegistry.class))
                .limiter(policy)
                .peek(id)
                .remaining();
    }

    @Override
    public void close() {
        context.close();
    }
}
