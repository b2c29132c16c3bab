package io.headgate.spring.operations;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.config.ConfigException;
import io.headgate.testkit.Await;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.json.JsonParserFactory;

/** Tests policies in a directory, and what the endpoint and health show of their versions. */
@Timeout(120)
class PolicyDirectoryIT {

    private static final Duration LONG = Duration.ofSeconds(30);

    private static final String YAML =
            """
            management:
              endpoints.web.exposure.include: [headgate, health]
              endpoint.health.show-details: always
            headgate:
              policies-from: "file:%s"
              outgoing.routes: [{ host: partner.example, policy: partner }]
            """;

    @TempDir
    @SuppressWarnings("NullAway.Init") // set by JUnit
    private Path folder;

    private static String policy(String name, String permits) {
        return "policies:\n  " + name + ": { rules: { all: { sliding-window: { permits: " + permits
                + ", window: 1h } } } }\n";
    }

    /** Writes a file beside the others, and renames it. */
    private static void write(Path directory, String file, String text) throws IOException {
        Path next = Files.writeString(directory.resolve("next"), text);
        Files.move(next, directory.resolve(file), StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
    }

    private static Map<String, Object> endpoint(Operated application) {
        HttpResponse<String> response = application.get("/actuator/headgate");
        assertThat(response.statusCode()).isEqualTo(200);
        return JsonParserFactory.getJsonParser().parseMap(response.body());
    }

    private static Map<?, ?> health(Operated application) {
        HttpResponse<String> response = application.get("/actuator/health/headgate");
        assertThat(response.statusCode()).isEqualTo(200);
        Map<String, Object> health = JsonParserFactory.getJsonParser().parseMap(response.body());
        assertThat(health).containsEntry("status", "UP");
        return (Map<?, ?>) health.getOrDefault("details", Map.of());
    }

    private static List<?> names(Operated application) {
        List<?> policies = (List<?>) endpoint(application).getOrDefault("policies", List.of());
        return policies.stream().map(policy -> ((Map<?, ?>) policy).get("policy")).toList();
    }

    private static Object version(Operated application) {
        return endpoint(application).getOrDefault("policyVersion", "none");
    }

    /** Awaits a version in force, and returns it. */
    private static Object awaitVersionOtherThan(Object before, Operated application) {
        Await.until("another version", LONG, () -> !before.equals(version(application)));
        Object version = version(application);
        assertThat(health(application).get("policyVersion")).isEqualTo(version);
        return version;
    }

    /** Awaits a rejection in the endpoint, which health has, too, and the version before it stays in force. */
    private static void awaitRejection(Operated application, Object version, String pattern) {
        Await.until("rejection", LONG, () -> String.valueOf(endpoint(application).get("rejectedPolicyVersion"))
                .matches("version [0-9a-f]{12} rejected at 2[-0-9T:.]+Z: " + pattern));
        Map<String, Object> shown = endpoint(application);
        assertThat(shown).containsEntry("policyVersion", version);
        assertThat(health(application).get("policyVersion")).isEqualTo(version);
        assertThat(health(application).get("rejectedPolicyVersion")).isEqualTo(shown.get("rejectedPolicyVersion"));
    }

    @Test
    void all_files_of_a_directory_are_one_version_that_the_endpoint_and_health_show() throws IOException {
        write(folder, "partner.yaml", policy("partner", "5"));
        write(folder, "api.yml", policy("api", "2"));
        write(folder, "notes.txt", "not read");
        try (Operated application = Operated.servlet("", YAML.formatted(folder))) {
            assertThat(names(application)).hasToString("[api, partner]");
            Object first = version(application);
            assertThat(String.valueOf(first)).matches("[0-9a-f]{12}");
            assertThat(endpoint(application)).doesNotContainKey("rejectedPolicyVersion");

            write(folder, "logins.yaml", policy("logins", "3"));
            Object second = awaitVersionOtherThan(first, application);
            assertThat(names(application)).hasToString("[api, logins, partner]");

            write(folder, "api.yml", policy("api", "many").replace("window: 1h", "window: soon"));
            awaitRejection(
                    application,
                    second,
                    "\\Q" + folder.resolve("api.yml") + "\\E:2:[0-9]+: policies.api.*was many \\(and 1 more\\)");
            write(folder, "api.yml", policy("partner", "5"));
            awaitRejection(
                    application,
                    second,
                    "\\Q" + folder.resolve("partner.yaml") + ": policies.partner: is also in "
                            + folder.resolve("api.yml") + "\\E; .*");
            write(folder, "api.yml", policy("api", "2"));
            Await.until("no rejection", LONG, () -> !endpoint(application).containsKey("rejectedPolicyVersion"));
            assertThat(endpoint(application)).containsEntry("policyVersion", second);
            assertThat(health(application).containsKey("rejectedPolicyVersion")).isFalse();

            write(folder, "partner.yaml", policy("other", "5"));
            awaitRejection(
                    application,
                    second,
                    "\\Qheadgate.outgoing.routes[0].policy: is partner, but there is no such policy; there are [\\E.*");
            assertThat(names(application)).hasToString("[api, logins, partner]");

            Files.delete(folder.resolve("api.yml"));
            write(folder, "partner.yaml", policy("partner", "6"));
            awaitVersionOtherThan(second, application);
            assertThat(names(application)).as("without the deleted file").hasToString("[logins, partner]");
        }
    }

    @Test
    void a_directory_is_replaced_by_its_link_as_kubernetes_does() throws IOException {
        Path mount = Files.createDirectory(folder.resolve("mount"));
        for (String release : List.of("1", "2")) {
            Path data = Files.createDirectory(mount.resolve(".." + release));
            write(data, "partner.yaml", policy("partner", release));
            write(data, "only" + release + ".yaml", policy("only" + release, "9"));
        }
        Files.createSymbolicLink(mount.resolve("..data"), Path.of("..1"));
        Path linked = Files.createSymbolicLink(folder.resolve("linked"), mount.resolve("..data"));
        try (Operated application = Operated.reactive("", YAML.formatted(linked))) {
            assertThat(names(application)).hasToString("[only1, partner]");
            Object first = version(application);

            Files.createSymbolicLink(mount.resolve("..next"), Path.of("..2"));
            Files.move(mount.resolve("..next"), mount.resolve("..data"), StandardCopyOption.ATOMIC_MOVE);
            awaitVersionOtherThan(first, application);
            assertThat(names(application)).hasToString("[only2, partner]");
        }
    }

    @Test
    void a_directory_without_policies_fails_the_start() throws IOException {
        write(folder, "notes.txt", "not read");

        assertThatThrownBy(() -> Operated.servlet("", YAML.formatted(folder)))
                .hasStackTraceContaining(ConfigException.class.getName())
                .hasStackTraceContaining(folder + ": has no .yaml or .yml file");
    }
}
