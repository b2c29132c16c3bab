package io.headgate.spring.aot;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.testkit.ChildJvm;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringApplicationAotProcessor;

/**
 * Processes an application ahead of time, as a build for a native image does, and runs what was generated on the JVM. It shows that no bean
 * depends on what exists only in a context that is not processed; a native image itself is not built.
 */
class ProcessedContextTest {

    private static final Duration LONG = Duration.ofMinutes(2);

    @ParameterizedTest
    @ValueSource(strings = {"servlet", "reactive"})
    void a_processed_application_limits_requests_and_calls(String type, @TempDir Path folder)
            throws IOException, InterruptedException {
        String[] arguments = {
            "--spring.config.location=classpath:aot.yaml", "--spring.main.web-application-type=" + type
        };
        process(folder, arguments);
        compile(folder);
        assertThat(metadata(folder))
                .contains(
                        ProcessedApplication.Message.class.getName() + '"',
                        "io.headgate.spring.operations.HeadgateEndpoint\"");

        try (ChildJvm application = ChildJvm.of(ProcessedApplication.class)
                .shortLived()
                .jvmOptions("-Dspring.aot.enabled=true")
                .environment("CLASSPATH", folder.resolve("classes") + File.pathSeparator + classPath())
                .start(arguments)) {
            String ready = application.awaitLine(line -> line.startsWith("aot "), LONG);
            assertThat(ready).startsWith("aot true port ");
            String home = "http://localhost:" + ready.substring("aot true port ".length());
            HttpClient client = HttpClient.newHttpClient();

            assertThat(get(client, home + "/api/page").headers().firstValue("X-RateLimit-Remaining"))
                    .hasValue("1");
            assertThat(get(client, home + "/api/page").statusCode()).isEqualTo(200);
            HttpResponse<String> denied = get(client, home + "/api/page");
            assertThat(denied.statusCode()).isEqualTo(429);
            assertThat(denied.body()).contains("\"violated-policies\":[\"per-tenant\"]");

            assertThat(get(client, home + "/actuator/headgate").body())
                    .as("Spring Boot's default of localhost is no configuration of Redis")
                    .startsWith("{\"engine\":\"memory\",\"state\":\"healthy\",")
                    .contains("{\"policy\":\"api\",\"allowed\":2,\"denied\":1,");

            assertThat(get(client, home + "/send/alice").body()).isEqualTo("sent to alice");
            assertThat(get(client, home + "/send/bob").statusCode()).isEqualTo(200);
            assertThat(get(client, home + "/send/alice").statusCode()).isEqualTo(429);
        }
    }

    private static HttpResponse<String> get(HttpClient client, String uri) throws IOException, InterruptedException {
        String credentials = Base64.getEncoder().encodeToString("alice:secret".getBytes(StandardCharsets.UTF_8));
        return client.send(
                HttpRequest.newBuilder(URI.create(uri))
                        .header("Authorization", "Basic " + credentials)
                        .build(),
                BodyHandlers.ofString());
    }

    private static void process(Path folder, String... arguments) {
        List<String> all = new ArrayList<>(List.of(
                ProcessedApplication.class.getName(),
                folder.resolve("sources").toString(),
                folder.resolve("classes").toString(),
                folder.resolve("classes").toString(),
                "com.example",
                "processed"));
        all.addAll(List.of(arguments));
        try (ChildJvm processor = ChildJvm.of(SpringApplicationAotProcessor.class)
                .shortLived()
                .start(all.toArray(String[]::new))) {
            List<String> output = processor.awaitOutput(LONG);
            assertThat(processor.awaitExit(LONG)).as(String.join("\n", output)).isZero();
        }
    }

    private static void compile(Path folder) throws IOException {
        JavaCompiler compiler = Objects.requireNonNull(ToolProvider.getSystemJavaCompiler());
        List<String> options = new ArrayList<>(List.of(
                "-nowarn",
                "-proc:none",
                "-d",
                folder.resolve("classes").toString(),
                "-cp",
                folder.resolve("classes") + File.pathSeparator + classPath()));
        try (Stream<Path> sources = Files.walk(folder.resolve("sources"))) {
            sources.map(Path::toString).filter(file -> file.endsWith(".java")).forEach(options::add);
        }
        assertThat(compiler.run(null, null, null, options.toArray(String[]::new))).isZero();
    }

    /** The files for a native image, of which the two lines have different ones. */
    private static String metadata(Path folder) throws IOException {
        StringBuilder text = new StringBuilder();
        try (Stream<Path> files = Files.walk(folder.resolve("classes/META-INF/native-image"))) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                text.append(Files.readString(file));
            }
        }
        return text.toString();
    }

    private static String classPath() {
        return System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    }
}
