package io.headgate.redis.inflight;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.redis.internal.Script;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class HoldScriptFilesTest {

    private static final List<String> COMMANDS = List.of("acquire", "peek", "renew", "release", "reset", "clock_given");
    private static final String INCLUDE = "-- @include ";

    @Test
    void every_file_is_a_command_or_part_of_one() throws Exception {
        Set<String> used = new TreeSet<>();
        for (String command : COMMANDS) {
            collect(command, used);
        }
        assertThat(files().map(HoldScriptFilesTest::name)).containsExactlyInAnyOrderElementsOf(used);
    }

    @ParameterizedTest
    @MethodSource("files")
    void every_file_begins_by_saying_what_it_is_for(Path file) throws IOException {
        assertThat(Files.readAllLines(file).get(0)).matches("-- [A-Za-z].{20,}").doesNotContain("@include");
    }

    @Test
    void scripts_are_whole_and_differ() {
        List<Script> all = Stream.of(true, false)
                .flatMap(given -> HoldScripts.of(given).all().stream())
                .toList();
        assertThat(all).hasSize(10).allSatisfy(script -> assertThat(script.source())
                .isNotEmpty()
                .doesNotContain("--")
                .doesNotContain("\n\n"));
        assertThat(all.stream().map(Script::sha1)).doesNotHaveDuplicates();
    }

    private static void collect(String name, Set<String> used) throws IOException, URISyntaxException {
        if (used.add(name)) {
            for (String line : Files.readAllLines(folder().resolve(name + ".lua"))) {
                if (line.strip().startsWith(INCLUDE)) {
                    collect(line.strip().substring(INCLUDE.length()), used);
                }
            }
        }
    }

    private static Stream<Path> files() throws IOException, URISyntaxException {
        try (Stream<Path> files = Files.list(folder())) {
            return Arrays.stream(files.filter(file -> file.toString().endsWith(".lua"))
                    .sorted()
                    .toArray(Path[]::new));
        }
    }

    private static Path folder() throws URISyntaxException {
        Path file = Path.of(Objects.requireNonNull(HoldScripts.class.getResource("acquire.lua"))
                .toURI());
        return Objects.requireNonNull(file.getParent());
    }

    private static String name(Path file) {
        return String.valueOf(file.getFileName()).replace(".lua", "");
    }
}
