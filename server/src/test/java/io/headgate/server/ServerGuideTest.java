package io.headgate.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

/** The command lines of serve, demo, policy, ban, audit and help in the server's guides are valid, and every option of serve is listed and no other. */
class ServerGuideTest {

    private static final Path HOME = Path.of("..");
    private static final Pattern COMMAND = Pattern.compile(
            "(?m)^ {4,8}(?:\\$ )?\\./headgate ((?:serve|demo|help|policy|ban|audit|operator)\\b[^#>\\n]*)");

    private static final Pattern WORD = Pattern.compile("\"[^\"]*\"|\\S+");
    private static final Pattern OPTION = Pattern.compile("(?m)^\\| `(--[a-z0-9-]+) [A-Z]+` \\|");

    @ParameterizedTest
    @ValueSource(
            strings = {
                "README.md",
                "docs/server.md",
                "docs/configuration.md",
                "docs/policies.md",
                "docs/audit-log.md",
                "docs/bans.md",
                "docs/http-api.md",
                "docs/proxies.md",
                "docs/server-options.md"
            })
    void every_command_line_is_valid_and_its_policies_exist(String guide) throws IOException {
        List<String> commands = found(COMMAND, guide);
        assertThat(commands).isNotEmpty();
        for (String command : commands) {
            String[] words =
                    WORD.matcher(command).results().map(MatchResult::group).toArray(String[]::new);
            CommandLine.ParseResult parsed = Main.commandLine().parseArgs(words).subcommand();
            String policies = parsed.matchedOptionValue("--policies", "README.md");
            if (!List.of("redis", "etcd", "consul").contains(policies)) {
                assertThat(HOME.resolve(policies)).as(command).isRegularFile();
            }
        }
    }

    @Test
    void every_option_of_serve_is_listed_and_no_other() throws IOException {
        List<String> options =
                Main.commandLine()
                        .parseArgs("serve", "--policies", "FILE")
                        .subcommand()
                        .commandSpec()
                        .options()
                        .stream()
                        .filter(option -> !option.usageHelp() && !option.versionHelp())
                        .map(OptionSpec::longestName)
                        .toList();
        assertThat(found(OPTION, "docs/server-options.md")).containsExactlyInAnyOrderElementsOf(options);
    }

    private static List<String> found(Pattern pattern, String guide) throws IOException {
        return pattern.matcher(Files.readString(HOME.resolve(guide)))
                .results()
                .map(found -> found.group(1))
                .toList();
    }
}
