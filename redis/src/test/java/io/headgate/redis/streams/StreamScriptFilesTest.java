package io.headgate.redis.streams;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class StreamScriptFilesTest {

    private static final Pattern INCLUDE = Pattern.compile("\\s*-- @include ([a-z_]+)");
    private static final List<String> COMMANDS =
            List.of("produce", "claim", "settle", "ack", "done", "are_done", "declare_group", "remove_group", "state");

    /** What the engine of queues has, and its parts name. */
    private static final Set<String> OF_QUEUES =
            Set.of("calls", "clock", "header_read", "header_write", "put_back", "signal");

    @Test
    void every_file_is_a_command_or_part_of_one() throws Exception {
        Set<String> used = new TreeSet<>(Set.of("own_keys"));
        for (String command : COMMANDS) {
            collect(command, used);
        }
        assertThat(files().map(file -> String.valueOf(file.getFileName()).replace(".lua", "")))
                .containsExactlyInAnyOrderElementsOf(used);
    }

    @ParameterizedTest
    @MethodSource("files")
    void every_file_begins_by_saying_what_it_is_for_and_is_short(Path file) throws IOException {
        List<String> lines = Files.readAllLines(file);
        assertThat(lines.get(0)).matches("-- [A-Z].{20,}").doesNotContain("@include");
        assertThat(lines).hasSizeLessThan(60);
    }

    private static void collect(String name, Set<String> used) throws IOException, URISyntaxException {
        if (OF_QUEUES.contains(name) || !used.add(name)) {
            return;
        }
        for (String line : Files.readAllLines(folder().resolve(name + ".lua"))) {
            Matcher include = INCLUDE.matcher(line);
            if (include.matches()) {
                collect(include.group(1), used);
            }
        }
    }

    private static Stream<Path> files() throws IOException, URISyntaxException {
        try (Stream<Path> files = Files.list(folder())) {
            return files.filter(file -> file.toString().endsWith(".lua")).sorted().toList().stream();
        }
    }

    private static Path folder() throws URISyntaxException {
        Path file = Path.of(Objects.requireNonNull(StreamScripts.class.getResource("claim.lua"))
                .toURI());
        return Objects.requireNonNull(file.getParent());
    }
}
