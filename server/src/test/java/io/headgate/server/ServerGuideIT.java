package io.headgate.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.headgate.server.text.Json;
import io.headgate.testkit.Leftovers;
import io.headgate.testkit.RedisServer;
import io.headgate.testkit.conditions.Requirement;
import io.headgate.testkit.conditions.Requires;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs the curl commands after a dollar sign in the server's guides, and the first one of the README. Compares the log and the responses
 * with what the guides show.
 */
@Requires(Requirement.CURL)
class ServerGuideIT {

    private static final Path GUIDE = Path.of("../docs/server.md");
    private static final Path API = Path.of("../docs/http-api.md");
    private static final Path README = Path.of("../README.md");
    private static final String SHOWN = "http://127.0.0.1:8080";
    private static final Pattern LOG_LINE = Pattern.compile("(?m)^ {4}(\\S+ INFO {2}.*)$");

    private static final Pattern RECEIPT = Pattern.compile("\"receipt\": ?\"[^\"]+\"");
    private static final Pattern TICKET = Pattern.compile("\"hold\": ?\"[^\"]+\"");

    /** Values of a response that later commands send, in place of those in the guide. */
    private static final List<Pattern> SENT_AGAIN = List.of(RECEIPT, TICKET);

    /** The parts that differ between runs, and their replacements; everything else must be as shown. */
    private static final Map<Pattern, String> VOLATILE = Map.ofEntries(
            Map.entry(Pattern.compile("\\d{4}-\\d\\d-\\d\\dT[\\d:.]+(Z|[+-]\\d\\d:\\d\\d)"), "TIME"),
            Map.entry(Pattern.compile("(?m)^Date: .*$"), "Date: TIME"),
            Map.entry(Pattern.compile("(?m)^(X-RateLimit-Reset|Retry-After): [1-9]\\d*$"), "$1: SECONDS"),
            Map.entry(Pattern.compile(";t=[1-9]\\d*"), ";t=SECONDS"),
            Map.entry(Pattern.compile("Try again in \\d+ seconds"), "Try again in SECONDS"),
            Map.entry(Pattern.compile("(?<!lease)Seconds\":[\\d.]*[1-9][\\d.]*"), "Seconds\":SECONDS"),
            Map.entry(Pattern.compile("\"uptimeSeconds\":[^,]+"), "\"uptimeSeconds\":SECONDS"), // also 0
            Map.entry(RECEIPT, "\"receipt\":\"RECEIPT\""),
            Map.entry(TICKET, "\"hold\":\"TICKET\""),
            Map.entry(Pattern.compile("headgate \\S+ started"), "headgate VERSION started"),
            Map.entry(Pattern.compile("\"version\":\"[^\"]*\""), "\"version\":VERSION"),
            Map.entry(Pattern.compile("\"[0-9a-f]{30}\""), "\"ID\""));

    @TempDir
    @SuppressWarnings("NullAway.Init") // set by JUnit
    private Path folder;

    @Test
    void the_server_logs_and_responds_as_its_guide_shows() throws Exception {
        List<GuideExample> examples = GuideExample.in(GUIDE);
        assertThat(examples).hasSize(2);
        assertThat(Files.readString(GUIDE))
                .doesNotContain("\n    curl ")
                .contains("```yaml\n" + Files.readString(Path.of("../examples/api.yaml")));
        try (RedisServer redis = RedisServer.startOwn();
                ServerProcess server = serve("../examples/api.yaml", redis, Map.of())) {
            String address = server.awaitLine("listening on (http://\\S+)");
            server.awaitLine("try: ");
            // A newer JVM logs warnings about libraries before the server logs anything.
            String logged = server.output().stream()
                    .filter(line -> line.contains(" INFO "))
                    .collect(Collectors.joining("\n"))
                    .replace(address, SHOWN)
                    .replace(redis.url(), "redis://127.0.0.1:6379")
                    .replace("../examples/", "examples/");
            assertThat(stable(logged)).isEqualTo(stable(String.join("\n", logLines())));

            tryAll(examples, address, redis.url());
            Leftovers.in(redis.url(), "hg:*").requireNone();
        }
    }

    @Test
    void the_api_responds_as_its_guide_shows() throws Exception {
        List<GuideExample> examples = GuideExample.in(API).stream()
                .filter(ServerGuideIT::isNotAboutHolds)
                .toList();
        assertThat(examples).hasSizeGreaterThan(12);
        Map<String, String> tokens = Map.of(
                "HEADGATE_REFUND_TOKEN",
                "sixteen-or-more-characters",
                "HEADGATE_OPERATOR_TOKEN",
                "an-operators-own-secret");
        String guide = Files.readString(API);
        assertThat(tokens).allSatisfy((name, token) -> assertThat(guide).contains(name + "=" + token));
        try (RedisServer redis = RedisServer.startOwn();
                ServerProcess server = serve("../examples/api.yaml", redis, tokens)) {
            tryAll(examples, server.awaitLine("listening on (http://\\S+)"), redis.url());
            // Keys of queues have no expiry.
            Leftovers.in(redis.url(), "hg:[^q]*").requireNone();
        }
    }

    @Test
    void holds_are_taken_renewed_and_released_as_the_guide_shows() throws Exception {
        List<GuideExample> examples = GuideExample.in(API).stream()
                .filter(example -> !isNotAboutHolds(example))
                .toList();
        assertThat(examples).hasSize(6);
        assertThat(Files.readString(API))
                .doesNotContain("\ncurl ")
                .contains("```yaml\n" + Files.readString(Path.of("../examples/exports.yaml")));
        try (RedisServer redis = RedisServer.startOwn();
                ServerProcess server = serve("../examples/exports.yaml", redis, Map.of())) {
            tryAll(examples, server.awaitLine("listening on (http://\\S+)"), redis.url());
            Leftovers.in(redis.url(), "hg:*").requireNone();
        }
    }

    private static boolean isNotAboutHolds(GuideExample example) {
        return !example.command().contains("/v1/holds");
    }

    /** Runs the examples in their order. A command sends the values of an earlier response. */
    private void tryAll(List<GuideExample> examples, String address, String redis) throws Exception {
        Map<Pattern, String> last = new HashMap<>();
        for (GuideExample example : examples) {
            String command = example.command().replace(SHOWN, address);
            for (Map.Entry<Pattern, String> given : last.entrySet()) {
                command = given.getKey().matcher(command).replaceAll(given.getValue());
            }
            String response = run(command).replace(redis, "redis://127.0.0.1:6379");
            for (Pattern given : SENT_AGAIN) {
                given.matcher(response).results().forEach(found -> last.put(given, found.group()));
            }
            String shown = stable(example.output());
            assertThat(GuideExample.elided(stable(response), shown))
                    .as(example.command())
                    .isEqualTo(shown);
        }
    }

    @Test
    void the_sixth_request_of_the_readme_is_denied() throws Exception {
        String command = Files.readString(README)
                .lines()
                .map(String::strip)
                .filter(line -> line.startsWith("curl "))
                .findFirst()
                .orElseThrow();
        try (ServerProcess server =
                ServerProcess.start("serve", "--policies", "../examples/policies.yaml", "--port", "0")) {
            String address = server.awaitLine("listening on (http://\\S+)");
            for (int i = 0; i < 5; i++) {
                assertThat(run(command.replace(SHOWN, address))).startsWith("HTTP/1.1 200 OK\n");
            }
            assertThat(run(command.replace(SHOWN, address)))
                    .startsWith("HTTP/1.1 429 Too Many Requests\n")
                    .contains("\nRetry-After: ");
        }
    }

    private static ServerProcess serve(String policies, RedisServer redis, Map<String, String> environment)
            throws IOException {
        return ServerProcess.start(
                List.of(),
                environment,
                "serve",
                "--policies",
                policies,
                "--port",
                "0",
                "--redis",
                redis.url(),
                "--redis-timeout",
                "4s",
                "--fallback",
                "none");
    }

    private static List<String> logLines() throws IOException {
        return LOG_LINE.matcher(Files.readString(GUIDE))
                .results()
                .map(found -> found.group(1))
                .toList();
    }

    /** Runs the command in a shell, without the curl configuration of this user or machine. */
    private String run(String command) throws IOException, InterruptedException {
        ProcessBuilder shell = new ProcessBuilder("/bin/sh", "-c", command)
                .redirectError(folder.resolve("stderr").toFile());
        shell.environment().put("HOME", folder.toString());
        shell.environment().put("CURL_HOME", folder.toString());
        shell.environment().put("NO_PROXY", "*");
        Process process = shell.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(command).isZero();
        return output.replace("\r\n", "\n").strip();
    }

    private static String stable(String text) throws JsonProcessingException {
        String stable = text.startsWith("{") ? Json.MAPPER.readTree(text).toString() : text;
        for (Map.Entry<Pattern, String> changing : VOLATILE.entrySet()) {
            stable = changing.getKey().matcher(stable).replaceAll(changing.getValue());
        }
        return stable;
    }
}
