package io.headgate.spring.samples;

import com.nimbusds.jose.util.JSONObjectUtils;
import io.headgate.testkit.ChildJvm;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.text.ParseException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** A process that runs the application of this module from its executable jar, as users do. */
final class SampleInstance implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final Pattern STARTED = Pattern.compile("started on port (\\d+)");

    private final ChildJvm process;
    private final HttpClient client = HttpClient.newHttpClient();
    private final int port;

    private SampleInstance(ChildJvm process, int port) {
        this.process = process;
        this.port = port;
    }

    /** Starts instances at the same time, each on a port of its own and with these properties in addition to those of the application. */
    static List<SampleInstance> start(int instances, List<String> properties) {
        List<String> arguments = new ArrayList<>(properties);
        arguments.add("--server.port=0");
        arguments.add("--management.endpoint.health.show-details=always");
        List<ChildJvm> processes = new ArrayList<>();
        for (int i = 0; i < instances; i++) {
            processes.add(ChildJvm.ofJar(jar()).shortLived().start(arguments.toArray(String[]::new)));
        }
        return processes.stream().map(SampleInstance::awaited).toList();
    }

    private static SampleInstance awaited(ChildJvm process) {
        String line = process.awaitLine(text -> STARTED.matcher(text).find(), PATIENCE);
        Matcher port = STARTED.matcher(line);
        if (!port.find()) {
            throw new AssertionError(line);
        }
        return new SampleInstance(process, Integer.parseInt(port.group(1)));
    }

    private static Path jar() {
        Path folder = Path.of("target");
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.toString().endsWith("-application.jar"))
                    .findAny()
                    .orElseThrow(() -> new IllegalStateException("no executable jar in " + folder.toAbsolutePath()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    int port() {
        return port;
    }

    /** Sends a request without a body, and returns the response. */
    HttpResponse<String> send(String method, String path, Map<String, String> fields) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .method(method, BodyPublishers.noBody());
        fields.forEach(request::header);
        try {
            return client.send(request.build(), BodyHandlers.ofString());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** The state of the engine of limits, such as {@code healthy}. */
    String state() {
        Map<String, Object> health =
                json(send("GET", "/actuator/health", Map.of()).body());
        Map<?, ?> components = (Map<?, ?>) Objects.requireNonNull(health.get("components"));
        Map<?, ?> headgate = (Map<?, ?>) Objects.requireNonNull(components.get("headgate"));
        Map<?, ?> details = (Map<?, ?>) Objects.requireNonNull(headgate.get("details"));
        return String.valueOf(details.get("state"));
    }

    static Map<String, Object> json(String text) {
        try {
            return JSONObjectUtils.parse(text);
        } catch (ParseException e) {
            throw new AssertionError("no object of JSON: " + text, e);
        }
    }

    @Override
    public void close() {
        process.close();
    }
}
