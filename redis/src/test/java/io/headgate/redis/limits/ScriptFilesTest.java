package io.headgate.redis.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.limits.internal.LimitKind;
import io.headgate.redis.internal.Script;
import io.headgate.redis.internal.ScriptFiles;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ScriptFilesTest {

    private static final List<String> COMMANDS = List.of(
            "acquire",
            "acquire_all",
            "acquire_once",
            "hot_keys_parts",
            "hot_keys_policies",
            "hot_keys_put",
            "instances",
            "peek",
            "ping",
            "probe",
            "refund",
            "refund_once",
            "reserve",
            "reserve_once",
            "reset");
    private static final List<String> KINDS = Arrays.stream(LimitKind.values())
            .map(kind -> kind.name().toLowerCase(Locale.ROOT))
            .toList();
    private static final Pattern MEANT_AS_DIRECTIVE = Pattern.compile("\\s*--+\\s*@.*");
    private static final Pattern DIRECTIVE = Pattern.compile(
            "\\s*-- (?:@charge|@uncharged|@attempt|@reply_first|@reply|@several|@take|@include ([a-z_]+))");

    @Test
    void every_file_is_a_command_or_part_of_one() throws Exception {
        Set<String> used = new TreeSet<>();
        COMMANDS.forEach(command -> collect(command, used));
        assertThat(files().map(ScriptFilesTest::name)).containsExactlyInAnyOrderElementsOf(used);
    }

    @ParameterizedTest
    @MethodSource("files")
    void every_file_begins_by_saying_what_it_is_for(Path file) throws IOException {
        String first = Files.readAllLines(file).get(0);
        assertThat(first).matches("-- [A-Za-z].{20,}").doesNotContain("@include");
    }

    @ParameterizedTest
    @MethodSource("files")
    void every_line_that_is_meant_to_join_something_is_written_so_that_it_does(Path file) throws IOException {
        // Another spelling would be taken for a comment and left out.
        assertThat(Files.readAllLines(file))
                .filteredOn(line -> MEANT_AS_DIRECTIVE.matcher(line).matches())
                .allMatch(line -> DIRECTIVE.matcher(line).matches());
    }

    @Test
    void a_script_is_whole_for_every_sequence_of_kinds() {
        assertThat(AllScripts.joined()).hasSizeGreaterThan(100).allSatisfy(script -> assertThat(script.source())
                .isNotEmpty()
                .doesNotContain("--")
                .doesNotContain("RULE")
                .doesNotContain("\n\n"));
    }

    @Test
    void scripts_of_different_kinds_differ_and_the_same_kinds_make_the_same_script() {
        assertThat(AllScripts.joined().stream().map(Script::sha1)).doesNotHaveDuplicates();
        assertThat(AllScripts.joined()).isEqualTo(AllScripts.joined());
    }

    @Test
    void a_script_that_is_not_there_is_named() {
        assertThatThrownBy(() -> ScriptFiles.beside(Scripts.class).read("absent"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("absent.lua");
    }

    private static void collect(String name, Set<String> used) {
        if (!used.add(name)) {
            return;
        }
        try (Stream<String> lines = Files.lines(folder().resolve(name + ".lua"))) {
            lines.map(DIRECTIVE::matcher)
                    .filter(line -> line.matches() && line.group(1) != null)
                    .forEach(line -> parts(line.group(1)).forEach(part -> collect(part, used)));
        } catch (IOException | URISyntaxException e) {
            throw new AssertionError("cannot read " + name, e);
        }
    }

    private static List<String> parts(String included) {
        return switch (included) {
            case "rules" ->
                List.of("acquire_rule", "acquire_all_rule", "admit_all", "peek_rule", "refund_rule", "reserve_rule");
            case "reserving" -> List.of("reserving", "reserving_attempts");
            case "refund", "take" ->
                KINDS.stream().map(kind -> kind + "_refund").toList();
            case "next" -> List.of();
            case "spare" -> List.of("sliding_window_spare_admitted");
            case "look", "charge", "uncharged", "attempt", "several" -> KINDS;
            case "reply" -> List.of("reply", "reply_first");
            case "clock" -> List.of("clock", "clock_given", "clock_of_step");
            case "step" -> List.of("step", "step_given");
            case "charged" -> List.of("charged", "charged_attempts");
            case "settle" -> List.of("settle", "settle_shadow", "settle_attempts");
            default -> List.of(included);
        };
    }

    private static Stream<Path> files() throws IOException, URISyntaxException {
        try (Stream<Path> files = Files.list(folder())) {
            return files.filter(file -> file.toString().endsWith(".lua")).sorted().toList().stream();
        }
    }

    private static Path folder() throws URISyntaxException {
        Path file = Path.of(
                Objects.requireNonNull(Scripts.class.getResource("acquire.lua")).toURI());
        return Objects.requireNonNull(file.getParent());
    }

    private static String name(Path file) {
        return String.valueOf(file.getFileName()).replace(".lua", "").toLowerCase(Locale.ROOT);
    }
}
