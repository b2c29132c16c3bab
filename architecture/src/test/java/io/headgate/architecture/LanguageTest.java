package io.headgate.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Names and prose use the words of the field instead of private ones, which only this project uses. */
class LanguageTest {

    /** The texts of all files, each in lower case and in one line, without comment markers. */
    private static final List<String> TEXTS = Stream.of(Modules.java(), Modules.lua(), Modules.guides())
            .flatMap(List::stream)
            .map(Modules::read)
            .map(text -> text.toLowerCase(Locale.ROOT).replaceAll("\\s+[*/-]*\\s*", " "))
            .toList();

    /**
     * A line of {@code names.txt} has a name, its replacement, and a third part only if a type still has the name. Nested types are not
     * checked.
     */
    @Test
    void top_level_types_have_no_private_names() {
        Set<String> types = Modules.java().stream()
                .map(Path::getFileName)
                .map(file -> file.toString().replace(".java", ""))
                .collect(Collectors.toSet());
        List<String[]> names = Modules.list("names.txt").stream()
                .map(line -> line.split(" *\\| *", -1))
                .toList();
        assertThat(names).isNotEmpty().allSatisfy(line -> assertThat(line).hasSizeBetween(2, 3));
        assertThat(names.stream().map(line -> line[0]).filter(types::contains))
                .as(
                        "private names that are types; names.txt has a better word for each, and a third part for those left")
                .containsExactlyInAnyOrderElementsOf(names.stream()
                        .filter(line -> line.length == 3)
                        .map(line -> line[0])
                        .toList());
    }

    /** A line of {@code words.txt} has a pattern, its replacement, and the number of uses that are still allowed. */
    @ParameterizedTest
    @MethodSource
    void prose_has_no_private_words(String line) {
        String[] parts = line.split(" *\\| *", -1);
        assertThat(parts).as("pattern | what to write instead | uses left").hasSize(3);
        Pattern word = Pattern.compile("\\b(" + parts[0].replace("/", "|") + ")\\b");
        long uses = TEXTS.stream()
                .mapToLong(text -> word.matcher(text).results().count())
                .sum();
        assertThat(uses)
                .as("uses of \"" + parts[0] + "\" (write \"" + parts[1] + "\"); words.txt allows the rest")
                .isLessThanOrEqualTo(Long.parseLong(parts[2]));
    }

    static Stream<String> prose_has_no_private_words() {
        return Modules.list("words.txt").stream();
    }
}
