package io.headgate.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The sizes of packages and files are bounded. The lists name all exceptions; a line that is no longer true must be removed. */
class SizesTest {

    private static final int MAX_FILES = 25;
    private static final int MAX_LINES = 300;
    private static final int MAX_LINES_OF_LUA = 500;

    @Test
    void these_tests_read_all_modules_except_those_without_main_code() {
        Set<String> top = Modules.NAMES.stream()
                .map(module -> module.replaceAll("^spring/.*", "spring"))
                .collect(Collectors.toSet());
        assertThat(Modules.read(Modules.HOME.resolve("pom.xml"))
                        .lines()
                        .map(String::strip)
                        .filter(line -> line.startsWith("<module>"))
                        .map(line -> line.replaceAll("</?module>", "")))
                .containsAll(top)
                .filteredOn(module -> !top.contains(module))
                .containsExactlyInAnyOrder("bom", "applications", "architecture");
    }

    @Test
    void a_package_has_at_most_25_files() {
        Map<String, Long> counts = new TreeMap<>();
        for (String module : Modules.NAMES) {
            Modules.mainJava(module).stream()
                    .collect(Collectors.groupingBy(
                            file -> Modules.relative(file.resolveSibling(""))
                                    .replace(module + "/src/main/java/", "")
                                    .replace('/', '.'),
                            Collectors.counting()))
                    .forEach((name, files) -> counts.merge(name, files, Long::sum));
        }
        assertThat(counts.entrySet().stream()
                        .filter(entry -> entry.getValue() > MAX_FILES)
                        .map(entry -> entry.getKey() + " " + entry.getValue()))
                .as("packages of more than " + MAX_FILES + " files; the counts in large-packages.txt may only fall")
                .containsExactlyInAnyOrderElementsOf(Modules.list("large-packages.txt"));
    }

    @Test
    void a_java_file_of_main_code_has_at_most_300_lines_and_a_script_500() {
        Stream<Path> java = Modules.NAMES.stream().flatMap(module -> Modules.mainJava(module).stream());
        assertThat(Stream.concat(
                                java.filter(file -> lines(file) > MAX_LINES),
                                Modules.lua().stream().filter(file -> lines(file) > MAX_LINES_OF_LUA))
                        .map(Modules::relative))
                .as("long files")
                .containsExactlyInAnyOrderElementsOf(Modules.list("long-files.txt"));
    }

    private static long lines(Path file) {
        return Modules.read(file).lines().count();
    }
}
