package io.headgate.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.redis.internal.script.Script;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The Lua files of a folder, with assertions about their shape. */
public final class ScriptFolder {

    private static final Pattern MEANT_AS_DIRECTIVE = Pattern.compile("\\s*--+\\s*@.*");
    private static final Pattern DIRECTIVE = Pattern.compile(
            "\\s*-- @(?:charge|not_charged|attempt|reply_first|reply|batch_reply|write|(?:section|include) [a-z_]+)");

    /** A line of a header that defines variables. */
    private static final Pattern DEFINITION = Pattern.compile("(?m)^--   (\\w+(?:, \\w+)*)  +\\S");

    private final List<Path> files;

    private ScriptFolder(List<Path> files) {
        this.files = files;
    }

    /**
     * The files of a folder.
     *
     * @param name its name in {@code io/headgate/redis}
     */
    public static ScriptFolder of(String name) {
        Path folder = Path.of("src/main/resources/io/headgate/redis").resolve(name);
        try (Stream<Path> files = Files.list(folder)) {
            return new ScriptFolder(files.filter(path -> path.toString().endsWith(".lua"))
                    .sorted()
                    .toList());
        } catch (IOException e) {
            throw new UncheckedIOException("cannot list " + folder, e);
        }
    }

    /**
     * Asserts that each file begins with its purpose, that each line that looks like a directive is spelled correctly (otherwise it
     * would be a comment), and that each line of code is sent to Redis in one of the scripts, except lines with the placeholder RULE.
     */
    public void assertComplete(List<Script> scripts) {
        Set<String> sent =
                scripts.stream().flatMap(script -> script.source().lines()).collect(Collectors.toSet());
        assertThat(files).isNotEmpty().allSatisfy(file -> {
            List<String> lines = lines(file);
            assertThat(lines.get(0)).matches("-- [A-Za-z`].{20,}").doesNotContain("@include");
            assertThat(lines)
                    .filteredOn(line -> MEANT_AS_DIRECTIVE.matcher(line).matches())
                    .allMatch(line -> DIRECTIVE.matcher(line).matches());
            assertThat(lines.stream()
                            .map(String::strip)
                            .filter(line -> !line.isEmpty() && !line.startsWith("--") && !line.contains("RULE")))
                    .as("the lines of " + file.getFileName() + ", which are part of some script")
                    .isSubsetOf(sent);
        });
    }

    /**
     * Asserts that the header of each file (the part before its first section) names every variable that a section shares with
     * another section, after the word {@code Variables}, and defines no variable that the file does not use.
     */
    public void assertVariablesDocumented() {
        assertThat(files).isNotEmpty().allSatisfy(file -> {
            String[] sections = String.join("\n", lines(file)).split("(?m)^(?=-- @section )");
            String header = sections[0].substring(Math.max(0, sections[0].indexOf("Variables")));
            Set<String> documented = Arrays.stream(header.split("\\W+")).collect(Collectors.toSet());
            assertThat(Arrays.stream(sections).skip(1).flatMap(section -> LuaVariables.shared(section).stream()))
                    .as("the variables that cross sections of " + file + ", which its header must name")
                    .isSubsetOf(documented);
            Set<String> used = Arrays.stream(sections)
                    .skip(1)
                    .flatMap(section -> section.lines())
                    .filter(line -> !line.strip().startsWith("--"))
                    .flatMap(line -> Arrays.stream(line.split("\\W+")))
                    .collect(Collectors.toSet());
            assertThat(DEFINITION
                            .matcher(header)
                            .results()
                            .flatMap(names -> Arrays.stream(names.group(1).split(", "))))
                    .as("the variables that the header of " + file + " defines, which the file must use")
                    .isSubsetOf(used);
        });
    }

    /** Asserts that no script contains comments, empty lines or unreplaced placeholders. */
    public static void assertJoined(List<Script> scripts) {
        assertThat(scripts).isNotEmpty().allSatisfy(script -> assertThat(script.source())
                .isNotEmpty()
                .doesNotContain("--")
                .doesNotContain("RULE")
                .doesNotContain("\n\n"));
    }

    private static List<String> lines(Path file) {
        try {
            return Files.readAllLines(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
