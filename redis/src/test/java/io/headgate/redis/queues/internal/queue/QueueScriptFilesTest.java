package io.headgate.redis.queues.internal.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.redis.Golden;
import io.headgate.redis.ScriptFolder;
import io.headgate.redis.internal.script.Script;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class QueueScriptFilesTest {

    /** With the time as an argument or not, for queues that keep done jobs or not, and with tenants or not. */
    private static final List<Script> SCRIPTS = Stream.of(
                    new QueueScripts(false, false, false),
                    new QueueScripts(false, true, false),
                    new QueueScripts(true, false, false),
                    new QueueScripts(true, true, false),
                    new QueueScripts(false, false, true),
                    new QueueScripts(false, true, true),
                    new QueueScripts(true, false, true),
                    new QueueScripts(true, true, true))
            .flatMap(scripts -> all(scripts).stream())
            .toList();

    @Test
    void every_line_of_every_file_is_part_of_a_script() {
        ScriptFolder.of("queues").assertComplete(SCRIPTS);
    }

    @Test
    void every_variable_that_crosses_sections_is_named_in_the_header_of_its_file() {
        ScriptFolder.of("queues").assertVariablesDocumented();
    }

    @Test
    void no_script_has_comments_or_placeholders_and_no_two_scripts_of_one_queue_are_the_same() {
        ScriptFolder.assertJoined(SCRIPTS);
        assertThat(all(new QueueScripts(false)).stream().map(Script::sha1)).doesNotHaveDuplicates();
    }

    @Test
    void scripts_equal_the_committed_file() {
        Golden.assertScripts("scripts-of-queues.txt", SCRIPTS);
    }

    private static List<Script> all(QueueScripts scripts) {
        return List.of(
                scripts.enqueueNow,
                scripts.enqueue,
                scripts.enqueueKeyed,
                scripts.claim,
                scripts.settle,
                scripts.cancel,
                scripts.reschedule,
                scripts.deadLetters,
                scripts.deadLetterIds,
                scripts.redrive,
                scripts.discard,
                scripts.counts,
                scripts.pause,
                scripts.find,
                scripts.jobsReady,
                scripts.jobsDelayed,
                scripts.jobsLeased,
                scripts.purgeReady,
                scripts.purgeDelayed,
                scripts.purgeDone,
                scripts.registerName,
                scripts.shardCount,
                scripts.listNames,
                scripts.keysExist,
                scripts.listTenants,
                scripts.laneCounts,
                scripts.audit.header,
                scripts.audit.heads,
                scripts.audit.list,
                scripts.audit.set,
                scripts.audit.places,
                scripts.audit.claims,
                scripts.audit.keys,
                scripts.audit.duplicates,
                scripts.audit.count,
                scripts.audit.adjust,
                scripts.audit.turns);
    }
}
