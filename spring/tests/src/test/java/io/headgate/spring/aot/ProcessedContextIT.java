package io.headgate.spring.aot;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.testkit.ChildJvm;
import io.headgate.testkit.RedisServer;
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
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplicationAotProcessor;

/**
 * Processes an application ahead of time, as a build for a native image does, and runs what was generated on the JVM. It shows that no bean
 * depends on what exists only in a context that is not processed; a native image itself is not built.
 */
class ProcessedContextIT {

    private static final HttpClient CLIENT = HttpClient.newHttpClient();
    private static final Duration LONG = Duration.ofMinutes(2);

    private static final String LINE = "aot true port ";

    /** With Redis, and so with listeners. */
    @Test
    void a_processed_servlet_application_limits_requests_and_calls_and_handles_jobs(@TempDir Path folder)
            throws Exception {
        RedisServer redis = RedisServer.shared();
        String[] arguments = arguments(
                "servlet",
                "--headgate.engine=memory",
                "--headgate.redis.url=" + redis.url(),
                "--headgate.redis.key-prefix=processed");
        processAndCompile(folder, arguments);
        assertThat(metadata(folder))
                .contains(
                        ProcessedApplication.Mail.class.getName() + '"', ProcessedApplication.Entry.class.getName() + '"');

        try (ChildJvm application = start(folder, arguments)) {
            String home = home(application);
            assertLimits(home);
            assertThat(get(home + "/mail/alice").body()).isEqualTo("enqueued");
            assertThat(get(home + "/mail/unknown").body()).isEqualTo("enqueued");
            awaitAll(application, "mail to alice", "entry of alice", "entry of unknown", "no mail to unknown");
        }
    }

    /** Without Redis. */
    @Test
    void a_processed_reactive_application_limits_requests_and_calls(@TempDir Path folder) throws Exception {
        String[] arguments = arguments("reactive");
        processAndCompile(folder, arguments);

        try (ChildJvm application = start(folder, arguments)) {
            assertLimits(home(application));
        }
    }

    private static String[] arguments(String type, String... more) {
        return Stream.concat(
                        Stream.of(
                                "--spring.config.location=classpath:aot.yaml",
                                "--spring.main.web-application-type=" + type),
                        Stream.of(more))
                .toArray(String[]::new);
    }

    private static void processAndCompile(Path folder, String... arguments) throws Exception {
        process(folder, arguments);
        compile(folder);
        assertThat(metadata(folder))
                .contains(
                        ProcessedApplication.Message.class.getName() + '"',
                        "io.headgate.spring.operations.HeadgateEndpoint\"");
    }

    private static ChildJvm start(Path folder, String... arguments) {
        return ChildJvm.of(ProcessedApplication.class)
                .shortLived()
                .jvmOptions("-Dspring.aot.enabled=true")
                .environment("CLASSPATH", folder.resolve("classes") + File.pathSeparator + classPath())
                .start(arguments);
    }

    private static String home(ChildJvm application) {
        String ready = application.awaitLine(line -> line.startsWith("aot "), LONG);
        assertThat(ready).startsWith(LINE);
        return "http://localhost:" + ready.substring(LINE.length());
    }

    private static void assertLimits(String home) throws IOException, InterruptedException {
        assertThat(get(home + "/api/page").headers().firstValue("X-RateLimit-Remaining"))
                .hasValue("1");
        assertThat(get(home + "/api/page").statusCode()).isEqualTo(200);
        HttpResponse<String> denied = get(home + "/api/page");
        assertThat(denied.statusCode()).isEqualTo(429);
        assertThat(denied.body()).contains("\"violated-policies\":[\"per-tenant\"]");

        assertThat(get(home + "/actuator/headgate").body())
                .as("Spring Boot's default of localhost is no configuration of Redis")
                .startsWith("{\"engine\":\"memory\",\"state\":\"healthy\",")
                .contains("{\"policy\":\"api\",\"allowed\":2,\"denied\":1,");

        assertThat(get(home + "/send/alice").body()).isEqualTo("sent to alice");
        assertThat(get(home + "/send/bob").statusCode()).isEqualTo(200);
        assertThat(get(home + "/send/alice").statusCode()).isEqualTo(429);
    }

    /** Waits for lines in any order. */
    private static void awaitAll(ChildJvm application, String... lines) {
        Set<String> missing = new HashSet<>(List.of(lines));
        while (!missing.isEmpty()) {
            missing.remove(application.awaitLine(missing::contains, LONG));
        }
    }

    private static HttpResponse<String> get(String uri) throws IOException, InterruptedException {
        String credentials = Base64.getEncoder().encodeToString("alice:secret".getBytes(StandardCharsets.UTF_8));
        return CLIENT.send(
                HttpRequest.newBuilder(URI.create(uri))
                        .header("Authorization", "Basic " + credentials)
                        .build(),
                BodyHandlers.ofString());
    }

    /** In this process, which has loaded many of the classes already. */
    private static void process(Path folder, String... arguments) throws Exception {
        Stream<String> own = Stream.of(
                ProcessedApplication.class.getName(),
                folder.resolve("sources").toString(),
                folder.resolve("classes").toString(),
                folder.resolve("classes").toString(),
                "com.example",
                "processed");
        SpringApplicationAotProcessor.main(
                Stream.concat(own, Stream.of(arguments)).toArray(String[]::new));
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
