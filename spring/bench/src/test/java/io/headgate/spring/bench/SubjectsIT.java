package io.headgate.spring.bench;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.headgate.testkit.RedisServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Arrays;
import java.util.Objects;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

/** Starts each subject of this module's benchmark: one that does not start, or limits nothing, would be missed only when somebody measures. */
class SubjectsIT {

    private static final int OK = 200;
    private static final int TOO_MANY_REQUESTS = 429;

    /** Every limit admits 250 at once, and 250 a second, which this client does not reach on a slow machine. */
    private static final int BATCH = 100;

    private static final int MOST_BATCHES = 100;

    private static RedisServer redis;
    private static HttpServer backend;

    private final HttpClient client = HttpClient.newHttpClient();

    @BeforeAll
    static void start() throws IOException {
        redis = RedisServer.startOwn();
        backend = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        backend.createContext("/", exchange -> {
            exchange.sendResponseHeaders(OK, -1);
            exchange.close();
        });
        backend.start();
    }

    @AfterAll
    static void stop() {
        backend.stop(0);
        redis.close();
    }

    static Stream<String> limited() {
        return Arrays.stream(property("bench.subjects").split(","));
    }

    private static String property(String name) {
        return Objects.requireNonNull(System.getProperty(name), name);
    }

    @ParameterizedTest
    @MethodSource("limited")
    void a_subject_with_a_limit_denies_requests(String subject) throws ClassNotFoundException {
        try (ConfigurableApplicationContext application = run(subject)) {
            assertThat(IntStream.range(0, MOST_BATCHES).anyMatch(batch -> isDenied(application)))
                    .as("whether %s denies a request", subject)
                    .isTrue();
        }
    }

    @Test
    void the_subject_without_a_limit_denies_nothing() throws ClassNotFoundException {
        try (ConfigurableApplicationContext application = run("none")) {
            assertThat(IntStream.range(0, 4).anyMatch(batch -> isDenied(application)))
                    .isFalse();
        }
    }

    private static ConfigurableApplicationContext run(String subject) throws ClassNotFoundException {
        return SpringApplication.run(
                Class.forName(property("bench.application")),
                "--spring.profiles.active=" + subject,
                "--bench.redis=" + redis.url(),
                "--bench.backend=" + backend.getAddress().getPort());
    }

    /** Sends a batch of requests of one user at the same time, and returns whether one is denied. All others are admitted. */
    private boolean isDenied(ConfigurableApplicationContext application) {
        String port = application.getEnvironment().getProperty("local.server.port");
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/hello"))
                .header("X-User", "greedy")
                .build();
        return IntStream.range(0, BATCH)
                .mapToObj(i -> client.sendAsync(request, BodyHandlers.discarding()))
                .toList()
                .stream()
                .map(response -> response.join().statusCode())
                .toList()
                .stream()
                .anyMatch(status -> {
                    assertThat(status).isIn(OK, TOO_MANY_REQUESTS);
                    return status == TOO_MANY_REQUESTS;
                });
    }
}
