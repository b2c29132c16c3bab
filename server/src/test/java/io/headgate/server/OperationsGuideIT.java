package io.headgate.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.testkit.RedisServer;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

/** The plans and the output of the doctor in the guide are what these commands print. */
class OperationsGuideIT {

    private static final Path GUIDE = Path.of("../docs/operations.md");
    private static final Pattern WORD = Pattern.compile("'([^']*)'|(\\S+)");
    private static final Pattern PART = Pattern.compile("(?m)^## ");
    private static final Pattern OPTION = Pattern.compile("(?m)^\\| `(--[a-z-]+)[^`]*` \\|");

    @ParameterizedTest
    @ValueSource(strings = {"plan limits", "plan queue"})
    void a_plan_prints_what_the_guide_shows(String plan) throws IOException {
        List<GuideExample> examples = examples(plan);
        assertThat(examples).isNotEmpty();
        for (GuideExample example : examples) {
            String printed = run(example.command(), Map.of("examples/", "../examples/"));
            assertThat(GuideExample.elided(printed, example.output()))
                    .as(example.command())
                    .isEqualTo(example.output());
        }

        String part = part(plan);
        // Of the first example without a dollar sign, the guide quotes the last line of the output.
        String shortExample = part.lines()
                .filter(line -> line.startsWith("    ./headgate " + plan))
                .findFirst()
                .orElseThrow();
        List<String> printed = run(shortExample.strip(), Map.of()).lines().toList();
        assertThat(part).contains("\n> " + printed.get(printed.size() - 1) + "\n");
    }

    @Test
    void the_doctor_prints_what_the_guide_shows() throws IOException {
        GuideExample doctor = examples("doctor").get(0);
        try (RedisServer redis =
                RedisServer.startOwn("--save", "", "--maxmemory", "1gb", "--maxmemory-policy", "allkeys-lru")) {
            String printed = run(doctor.command(), Map.of("redis://127.0.0.1:6379", redis.url()));
            String shown = withoutNumbers(doctor.output());
            assertThat(GuideExample.elided(withoutNumbers(printed.replace(":" + redis.port(), ":6379")), shown))
                    .isEqualTo(shown);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"plan limits", "plan queue"})
    void every_option_of_a_plan_is_listed_and_no_other(String plan) throws IOException {
        List<String> options =
                Main.commandLine().parseArgs(plan.split(" ")).subcommand().subcommand().commandSpec().options().stream()
                        .filter(option -> !option.usageHelp() && !option.versionHelp())
                        .map(OptionSpec::longestName)
                        .toList();
        assertThat(OPTION.matcher(part(plan)).results().map(found -> found.group(1)))
                .containsExactlyInAnyOrderElementsOf(options);
    }

    /** The part of the guide that starts with an example of the command. */
    private static String part(String command) throws IOException {
        return PART.splitAsStream(Files.readString(GUIDE))
                .filter(part -> part.contains("    $ ./headgate " + command))
                .findFirst()
                .orElseThrow();
    }

    private static List<GuideExample> examples(String command) throws IOException {
        return GuideExample.in(GUIDE).stream()
                .filter(example -> example.command().startsWith("./headgate " + command))
                .toList();
    }

    private static String run(String command, Map<String, String> replaced) {
        String[] arguments = WORD.matcher(command)
                .results()
                .skip(1)
                .map(word -> word.group(1) == null ? word.group(2) : word.group(1))
                .map(word -> {
                    String changed = word;
                    for (Map.Entry<String, String> change : replaced.entrySet()) {
                        changed = changed.replace(change.getKey(), change.getValue());
                    }
                    return changed;
                })
                .toArray(String[]::new);
        StringWriter out = new StringWriter();
        CommandLine line = Main.commandLine();
        line.setOut(new PrintWriter(out));
        line.execute(arguments);
        return out.toString().strip();
    }

    /** The version, measured values, and their units differ between runs. */
    private static String withoutNumbers(String text) {
        return text.replaceAll("Redis \\d[\\d.]*", "Redis VERSION")
                .replaceAll("Valkey \\d[\\d.]*", "Redis VERSION")
                .replaceAll("\\d[\\d.]* (B|KiB|MiB|GiB)", "BYTES")
                .replaceAll("\\d+\\.\\d+", "NUMBER")
                .replaceAll("\\d+ scripts? in", "SCRIPTS in")
                .replaceAll("(behind|ahead of) this", "BESIDE this")
                .replaceAll("(?<=has all rights .{1,50})\\(.*\\)", "");
    }
}
