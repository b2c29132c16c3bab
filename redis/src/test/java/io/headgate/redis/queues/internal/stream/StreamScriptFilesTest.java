package io.headgate.redis.queues.internal.stream;

import io.headgate.redis.Golden;
import io.headgate.redis.ScriptFolder;
import io.headgate.redis.internal.script.Script;
import io.headgate.redis.internal.script.ScriptFiles;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class StreamScriptFilesTest {

    private static final List<Script> SCRIPTS = scripts();

    @Test
    void every_line_of_every_file_is_part_of_a_script() {
        ScriptFolder.of("streams").assertComplete(SCRIPTS);
    }

    @Test
    void every_variable_that_crosses_sections_is_named_in_the_header_of_its_file() {
        ScriptFolder.of("streams").assertVariablesDocumented();
    }

    @Test
    void no_script_has_comments_or_placeholders() {
        ScriptFolder.assertJoined(SCRIPTS);
    }

    @Test
    void scripts_equal_the_committed_file() {
        Golden.assertScripts("scripts-of-streams.txt", SCRIPTS);
    }

    private static List<Script> scripts() {
        ScriptFiles ofQueues = ScriptFiles.in("queues", "common");
        StreamScripts scripts = new StreamScripts(
                Stream.of("calls", "clock", "read_header", "write_header", "requeue", "store_place", "wake_consumers")
                        .collect(Collectors.toMap(name -> name, ofQueues::section)));
        return List.of(
                scripts.produce,
                scripts.claim,
                scripts.settle,
                scripts.ack,
                scripts.done,
                scripts.areDone,
                scripts.state,
                scripts.declareGroup,
                scripts.removeGroup);
    }
}
