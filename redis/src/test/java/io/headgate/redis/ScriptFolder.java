package io.headgate.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.redis.internal.script.Script;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The Lua files of a folder, and what must be true of them whatever they are called and however they are cut. */
public final class ScriptFolder {

    private static final Pattern MEANT_AS_DIRECTIVE = Pattern.compile("\\s*--+\\s*@.*");
    private static final Pattern DIRECTIVE = Pattern.compile(
            "\\s*-- @(?:charge|not_charged|attempt|reply_first|reply|batch_reply|write|(?:section|include) [a-z_]+)");

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
     * Each file begins with its purpose, each line that is meant as a directive is one (another spelling would be taken for a
     * comment), and each line of code is sent to Redis with one of the scripts.
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

    /** No script has comments, empty lines or what should have been replaced. */
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
