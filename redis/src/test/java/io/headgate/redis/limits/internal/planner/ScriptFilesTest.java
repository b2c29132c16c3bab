package io.headgate.redis.limits.internal.planner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.redis.Golden;
import io.headgate.redis.ScriptFolder;
import io.headgate.redis.internal.script.Script;
import io.headgate.redis.internal.script.ScriptFiles;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ScriptFilesTest {

    private static final List<Script> SCRIPTS = AllScripts.joined(false);

    @Test
    void every_line_of_every_file_is_part_of_a_script() {
        ScriptFolder.of("limits")
                .assertComplete(Stream.concat(SCRIPTS.stream(), AllScripts.joined(true).stream())
                        .toList());
    }

    @Test
    void every_variable_that_crosses_sections_is_named_in_the_header_of_its_file() {
        ScriptFolder.of("limits").assertVariablesDocumented();
    }

    @Test
    void a_script_has_no_placeholders_for_any_sequence_of_kinds() {
        assertThat(SCRIPTS).hasSizeGreaterThan(100);
        ScriptFolder.assertJoined(SCRIPTS);
    }

    @Test
    void scripts_of_different_kinds_differ_and_the_same_kinds_make_the_same_script() {
        assertThat(SCRIPTS.stream().map(Script::sha1)).doesNotHaveDuplicates();
        assertThat(AllScripts.joined(false)).isEqualTo(SCRIPTS);
    }

    @Test
    void scripts_are_the_ones_of_the_committed_file() {
        Golden.assertScripts("scripts-of-limits.txt", SCRIPTS);
    }

    @Test
    void a_missing_file_or_section_is_named() {
        assertThatThrownBy(() -> ScriptFiles.in("limits", "absent"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("/limits/absent.lua");
        assertThatThrownBy(() -> ScriptFiles.in("limits", "ping").section("absent"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("no section absent");
        assertThatThrownBy(() -> ScriptFiles.in("limits", "ping", "ping"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("a second section ping");
    }
}
