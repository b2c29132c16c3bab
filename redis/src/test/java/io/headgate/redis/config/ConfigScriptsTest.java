package io.headgate.redis.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.redis.Golden;
import io.headgate.redis.ScriptFolder;
import io.headgate.redis.internal.script.Script;
import org.junit.jupiter.api.Test;

class ConfigScriptsTest {

    @Test
    void every_line_of_every_file_is_part_of_a_script() {
        ScriptFolder.of("config").assertComplete(ConfigScripts.ALL);
    }

    @Test
    void every_variable_that_crosses_sections_is_named_in_the_header_of_its_file() {
        ScriptFolder.of("config").assertVariablesDocumented();
    }

    @Test
    void scripts_have_no_placeholders_and_differ() {
        ScriptFolder.assertJoined(ConfigScripts.ALL);
        assertThat(ConfigScripts.ALL.stream().map(Script::sha1)).doesNotHaveDuplicates();
    }

    @Test
    void scripts_are_the_ones_of_the_committed_file() {
        Golden.assertScripts("scripts-of-config.txt", ConfigScripts.ALL);
    }
}
