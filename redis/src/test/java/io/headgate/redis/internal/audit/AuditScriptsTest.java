package io.headgate.redis.internal.audit;

import io.headgate.redis.Golden;
import io.headgate.redis.ScriptFolder;
import org.junit.jupiter.api.Test;

class AuditScriptsTest {

    @Test
    void every_line_of_every_file_is_part_of_a_script() {
        ScriptFolder.of("audit").assertComplete(AuditStreams.ALL);
    }

    @Test
    void every_variable_that_crosses_sections_is_named_in_the_header_of_its_file() {
        ScriptFolder.of("audit").assertVariablesDocumented();
    }

    @Test
    void scripts_are_the_ones_of_the_committed_file() {
        ScriptFolder.assertJoined(AuditStreams.ALL);
        Golden.assertScripts("scripts-of-audit.txt", AuditStreams.ALL);
    }
}
