package io.headgate.spring.operations;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.server.SecurityWebFilterChain;

/** An application without users whose Actuator exposes the endpoint, and a client of it. */
final class Operated implements AutoCloseable {

    final ConfigurableApplicationContext context;
    private final HttpClient client = HttpClient.newHttpClient();
    private final String home;

    private Operated(ConfigurableApplicationContext context) {
        this.context = context;
        this.home = "http://localhost:" + context.getEnvironment().getProperty("local.server.port");
    }

    static Operated servlet(String property, String yaml, Class<?>... more) {
        return start(WebApplicationType.SERVLET, property, yaml, more);
    }

    static Operated reactive(String property, String yaml, Class<?>... more) {
        return start(WebApplicationType.REACTIVE, property, yaml, more);
    }

    private static Operated start(WebApplicationType type, String property, String yaml, Class<?>... more) {
        return new Operated(new SpringApplicationBuilder(Application.class)
                .sources(more)
                .web(type)
                .properties(
                        "server.port=0",
                        "spring.main.banner-mode=off",
                        "management.endpoints.web.exposure.include=headgate",
                        property)
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

    HttpResponse<String> get(String path) {
        return send(HttpRequest.newBuilder(URI.create(home + path)));
    }

    HttpResponse<String> post(String path, String json) {
        return send(HttpRequest.newBuilder(URI.create(home + path))
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(json)));
    }

    private HttpResponse<String> send(HttpRequest.Builder request) {
        try {
            return client.send(request.version(HttpClient.Version.HTTP_1_1).build(), BodyHandlers.ofString());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        context.close();
    }

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {

        @Configuration(proxyBeanMethods = false)
        @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
        static class Servlet {

            @Bean
            SecurityFilterChain all(HttpSecurity http) throws Exception {
                return http.csrf(csrf -> csrf.disable())
                        .authorizeHttpRequests(requests -> requests.anyRequest().permitAll())
                        .build();
            }
        }

        @Configuration(proxyBeanMethods = false)
        @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
        static class Reactive {

            @Bean
            SecurityWebFilterChain all(ServerHttpSecurity http) {
                return http.csrf(csrf -> csrf.disable())
                        .authorizeExchange(exchanges -> exchanges.anyExchange().permitAll())
                        .build();
            }
        }
    }
}
