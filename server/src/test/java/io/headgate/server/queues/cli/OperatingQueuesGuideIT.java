package io.headgate.server.queues.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.server.CliRun;
import io.headgate.server.GuideExample;
import io.headgate.server.Main;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/** The commands of {@code headgate queue} in the guide print the output in the guide. */
class OperatingQueuesGuideIT {

    private static final Path GUIDE = Path.of("../docs/operating-queues.md");
    private static final Pattern WORD = Pattern.compile("'([^']*)'|(\\S+)");
    private static final Pattern ID = Pattern.compile("(?<![0-9a-f])[0-9a-f]{30}(?![0-9a-f])");

    @TempDir
    @SuppressWarnings("NullAway.Init") // set by JUnit
    private Path folder;

    @Test
    void every_command_prints_what_the_guide_shows() throws IOException {
        Path users = Files.writeString(folder.resolve("users.txt"), "bob\ncarol\ndave\n");
        Map<String, String> real = new HashMap<>(Map.of("users.txt", users.toString()));
        List<GuideExample> examples = GuideExample.in(GUIDE);
        assertThat(examples).hasSizeGreaterThan(14);
        try (QueueCli cli = new QueueCli()) {
            for (GuideExample example : examples) {
                // From this command on, the guide shows a dead letter.
                if (example.command().contains(" show mails")
                        && cli.queue.counts().dead() == 0) {
                    cli.queue.claim(1, Duration.ofMinutes(1)).get(0).deadLetter("no such address");
                }
                CliRun run = cli.run(words(example.command(), real));
                String shown = stable(example.output());
                assertThat(GuideExample.elided(stable(run.out().strip()), shown))
                        .as(example.command() + "\n" + run.err() + run.out())
                        .isEqualTo(shown);
                mapIds(real, ids(example.output()), ids(run.out()));
            }
        }
    }

    @Test
    void every_command_and_every_option_is_in_the_guide() throws IOException {
        String guide = Files.readString(GUIDE);
        CommandLine queue =
                Objects.requireNonNull(Main.commandLine().getSubcommands().get("queue"));
        for (Map.Entry<String, CommandLine> command : queue.getSubcommands().entrySet()) {
            if (command.getKey().equals("help")) {
                continue;
            }
            assertThat(guide).contains("`" + command.getKey());
            CommandSpec spec = command.getValue().getCommandSpec();
            spec.options().stream()
                    .filter(option -> !option.usageHelp() && !option.versionHelp())
                    .forEach(option -> assertThat(guide)
                            .as(command.getKey() + " " + option.longestName())
                            .contains(option.longestName()));
        }
    }

    /** The words after {@code ./headgate queue}, with the ids of this run. */
    private static String[] words(String command, Map<String, String> real) {
        return WORD.matcher(command)
                .results()
                .skip(2)
                .map(word -> word.group(1) == null ? word.group(2) : word.group(1))
                .map(word -> real.getOrDefault(word, word))
                .toArray(String[]::new);
    }

    private static void mapIds(Map<String, String> real, Set<String> shown, Set<String> printed) {
        List<String> ids = List.copyOf(printed);
        List<String> names = List.copyOf(shown);
        for (int i = 0; i < Math.min(ids.size(), names.size()); i++) {
            real.putIfAbsent(names.get(i), ids.get(i));
        }
    }

    private static Set<String> ids(String text) {
        Stream<String> found = ID.matcher(text).results().map(MatchResult::group);
        return found.collect(Collectors.toCollection(LinkedHashSet::new));
    }

    /** Replaces the parts that differ between runs: the Redis, ids, times, and the width of columns with times. */
    private static String stable(String text) {
        return ID.matcher(text)
                .replaceAll("ID")
                .replaceAll(" --redis \\S+", "")
                .replaceAll("--from [0-9a-f]+", "--from CURSOR")
                .replaceAll("\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z", "TIME")
                .replaceAll("\\d[\\d.]* (ms|s)\\b", "SPAN")
                .replaceAll("(?m) +", " ");
    }
}
