package io.headgate.spring.outgoing;

import io.headgate.config.PolicyRegistry;
import io.headgate.limits.Attributes;
import io.headgate.limits.Limiter;
import io.headgate.limits.PermitRequest;
import io.headgate.spring.web.LimitExceededException;
import io.headgate.testkit.ChildJvm;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Objects;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.client.RestClient;
import org.springframework.web.reactive.function.client.WebClient;
import reactor.core.publisher.Mono;

/**
 * An application in a process of its own, which calls a partner. Each line of its input is a command with a URL: {@code rest} and {@code
 * web} call it by a client of that kind; {@code peek} reads the limit of a call, and {@code resume} ends the pause of its host. The result
 * is a line of its output.
 */
final class CallingProcess implements AutoCloseable {

    private static final String RESULT = "result: ";
    private static final Duration WITHIN = Duration.ofMinutes(2);

    private final ChildJvm process;

    private CallingProcess(ChildJvm process) {
        this.process = process;
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}

    /** Starts a process with these properties, and does not wait until it is ready. */
    static CallingProcess start(String... properties) {
        return new CallingProcess(ChildJvm.of(CallingProcess.class).shortLived().start(properties));
    }

    /** Sends a command, and returns its result. */
    String run(String command, String url) {
        process.send(command + " " + url);
        return process.awaitLine(line -> line.startsWith(RESULT), WITHIN).substring(RESULT.length());
    }

    @Override
    public void close() {
        process.close();
    }

    /** Runs the application with these properties, each of which is {@code --name=value}. */
    public static void main(String[] properties) throws IOException {
        try (ConfigurableApplicationContext application =
                new SpringApplicationBuilder(Application.class).web(WebApplicationType.NONE).run(properties)) {
            BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                String[] words = line.split(" ", 2);
                System.out.println(RESULT + result(application, words[0], URI.create(words[1])));
            }
        }
    }

    private static String result(ConfigurableApplicationContext application, String command, URI url) {
        try {
            return switch (command) {
                case "rest" -> Integer.toString(rest(application, url));
                case "web" -> Integer.toString(web(application, url));
                case "peek" -> limiter(application)
                        .peek(PermitRequest.of(
                                Attributes.of("host", url.getHost()).with("path", url.getPath())))
                        .basis()
                        .name();
                case "resume" -> "resumed " + limiter(application).resume(Attributes.of("host", url.getHost()));
                default -> throw new IllegalArgumentException("no command: " + command);
            };
        } catch (LimitExceededException e) {
            return "denied, Retry-After " + e.getHeaders().getFirst("Retry-After");
        }
    }

    private static Limiter limiter(ConfigurableApplicationContext application) {
        return application.getBean(PolicyRegistry.class).limiter("partners");
    }

    private static int rest(ConfigurableApplicationContext application, URI url) {
        RestClient client = application.getBean(RestClient.Builder.class).build();
        return Objects.requireNonNull(client.get()
                .uri(url)
                .exchange((request, response) -> response.getStatusCode().value()));
    }

    private static int web(ConfigurableApplicationContext application, URI url) {
        WebClient client = application.getBean(WebClient.Builder.class).build();
        return Objects.requireNonNull(client.get()
                .uri(url)
                .exchangeToMono(response -> Mono.just(response.statusCode().value()))
                .block(WITHIN));
    }
}
