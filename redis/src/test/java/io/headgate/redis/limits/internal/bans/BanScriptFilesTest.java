package io.headgate.redis.limits.internal.bans;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.redis.Golden;
import io.headgate.redis.ScriptFolder;
import io.headgate.redis.internal.script.Script;
import java.util.List;
import org.junit.jupiter.api.Test;

class BanScriptFilesTest {

    private static final List<Script> SCRIPTS = BanCalls.SCRIPTS;

    @Test
    void every_line_of_every_file_is_part_of_a_script() {
        ScriptFolder.of("bans").assertComplete(SCRIPTS);
    }

    @Test
    void every_variable_that_crosses_sections_is_named_in_the_header_of_its_file() {
        ScriptFolder.of("bans").assertVariablesDocumented();
    }

    @Test
    void scripts_have_no_placeholders_and_differ() {
        ScriptFolder.assertJoined(SCRIPTS);
        assertThat(SCRIPTS.stream().map(Script::sha1)).doesNotHaveDuplicates();
    }

    @Test
    void scripts_are_the_ones_of_the_committed_file() {
        Golden.assertScripts("scripts-of-bans.txt", SCRIPTS);
    }
}
