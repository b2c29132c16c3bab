package io.headgate.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The Java and YAML code of most guides is part of an example, and all links lead to existing files and headings. */
class GuidesTest {

    private static final Path HOME = Path.of("..");
    private static final Pattern BLOCK = Pattern.compile("```(java|yaml)\n(.*?)```", Pattern.DOTALL);
    private static final Pattern LINK = Pattern.compile("\\]\\(([^)#:\\s]*)(#[^)]*)?\\)");
    private static final Pattern HEADING = Pattern.compile("(?m)^#+ (.*)$");

    @ParameterizedTest
    @ValueSource(
            strings = {
                "README.md",
                "docs/limits.md",
                "docs/policies.md",
                "docs/configuration.md",
                "docs/bans.md",
                "docs/metrics.md",
                "docs/choosing.md",
                "docs/fewer-calls.md",
                "docs/in-flight.md",
                "docs/attributes.md",
                "docs/when-redis-fails.md",
                "docs/connecting.md",
                "docs/spring.md",
                "docs/spring-gateway.md",
                "docs/spring-migration.md",
                "docs/spring-queues.md",
                "docs/spring-operations.md",
                "docs/queues.md",
                "docs/streams.md",
                "docs/handling-failures.md"
            })
    void every_snippet_is_part_of_an_example(String guide) {
        List<String> examples = examples();
        List<MatchResult> snippets =
                BLOCK.matcher(read(HOME.resolve(guide))).results().toList();
        assertThat(snippets).isNotEmpty();
        for (MatchResult snippet : snippets) {
            List<String> paragraphs = Stream.of(snippet.group(2).split("\n{2,}"))
                    .map(GuidesTest::lines)
                    .toList();
            assertThat(examples.stream().anyMatch(example -> paragraphs.stream().allMatch(example::contains)))
                    .as("each paragraph is part of the same example:\n" + snippet.group(2))
                    .isTrue();
        }
    }

    @Test
    void every_link_has_an_existing_file_and_heading() {
        List<String> dead = new ArrayList<>();
        for (Path guide : files(HOME.resolve("docs"), ".md")) {
            dead.addAll(deadLinks(guide));
        }
        for (String guide : List.of("README.md", "CONTRIBUTING.md", "CHANGELOG.md")) {
            dead.addAll(deadLinks(HOME.resolve(guide)));
        }
        assertThat(dead).isEmpty();
    }

    private static List<String> deadLinks(Path guide) {
        return LINK.matcher(read(guide))
                .results()
                .filter(link -> isDead(guide, link.group(1), Optional.ofNullable(link.group(2))))
                .map(link -> guide + " " + link.group())
                .toList();
    }

    private static boolean isDead(Path guide, String target, Optional<String> heading) {
        Path file = target.isEmpty() ? guide : guide.resolveSibling(target);
        if (!Files.exists(file)) {
            return true;
        }
        return heading.isPresent() && !anchors(file).contains(heading.get());
    }

    /** The names that GitHub gives to headings. */
    private static List<String> anchors(Path file) {
        return HEADING.matcher(read(file))
                .results()
                .map(heading -> heading.group(1).toLowerCase(Locale.ROOT))
                .map(heading -> "#" + heading.replaceAll("[^a-z0-9 _-]", "").replace(' ', '-'))
                .toList();
    }

    private static List<String> examples() {
        List<String> texts = new ArrayList<>();
        files(Path.of(""), ".yaml").stream()
                .filter(file -> !file.startsWith("target"))
                .forEach(file -> texts.add(lines(read(file))));
        List<Path> folders = List.of(
                Path.of("src/main/java"),
                Path.of("spring-mvc"),
                Path.of("spring-webflux"),
                Path.of("spring-gateway"),
                Path.of("spring-gateway-mvc"),
                // Applications that the tests of both lines of Spring Boot, or of the second one, start.
                HOME.resolve("spring/tests/src/test"),
                HOME.resolve("spring/boot4-tests/src/test"),
                HOME.resolve("spring/gateway-tests/src/test"));
        for (Path folder : folders) {
            files(folder, ".java").forEach(file -> texts.add(lines(read(file))));
        }
        for (String tests : List.of("spring/tests", "spring/gateway-tests")) {
            files(HOME.resolve(tests).resolve("src/test/resources"), ".yaml")
                    .forEach(file -> texts.add(lines(read(file))));
        }
        return texts;
    }

    /** The text without indentation, starting and ending with a newline. */
    private static String lines(String text) {
        return text.lines().map(String::strip).collect(Collectors.joining("\n", "\n", "\n"));
    }

    private static List<Path> files(Path folder, String ending) {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(file -> file.toString().endsWith(ending)).toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
