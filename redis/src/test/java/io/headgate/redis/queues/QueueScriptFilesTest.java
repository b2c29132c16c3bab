package io.headgate.redis.queues;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.redis.internal.Script;
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

class QueueScriptFilesTest {

    private static final Pattern MEANT_AS_DIRECTIVE = Pattern.compile("\\s*--+\\s*@.*");
    private static final Pattern DIRECTIVE = Pattern.compile("\\s*-- @include ([a-z_]+)");
    private static final List<String> COMMANDS = List.of(
            "enqueue",
            "enqueue_now",
            "claim",
            "settle",
            "cancel",
            "reschedule",
            "dead_letters",
            "redrive",
            "discard",
            "counts",
            "pause",
            "find",
            "jobs_ready",
            "jobs_delayed",
            "jobs_leased",
            "purge_ready",
            "purge_delayed",
            "purge_done",
            "note",
            "noted",
            "names",
            "exist",
            "audit_header",
            "audit_heads",
            "audit_list",
            "audit_set",
            "audit_places",
            "audit_claims",
            "audit_keys",
            "audit_twice",
            "audit_count",
            "audit_adjust");
    private static final int LONGEST = 110;

    @Test
    void every_file_is_a_command_or_part_of_one() throws Exception {
        Set<String> used = new TreeSet<>();
        COMMANDS.forEach(command -> collect(command, used));
        assertThat(files().map(QueueScriptFilesTest::name)).containsExactlyInAnyOrderElementsOf(used);
    }

    @ParameterizedTest
    @MethodSource("files")
    void every_file_begins_by_saying_what_it_is_for_and_is_short(Path file) throws IOException {
        List<String> lines = Files.readAllLines(file);
        assertThat(lines.get(0)).matches("-- [A-Za-z`].{20,}").doesNotContain("@include");
        assertThat(lines).hasSizeLessThan(LONGEST);
        assertThat(lines)
                .filteredOn(line -> MEANT_AS_DIRECTIVE.matcher(line).matches())
                .allMatch(line -> DIRECTIVE.matcher(line).matches());
    }

    @Test
    void every_script_is_whole_and_no_two_are_the_same() {
        QueueScripts scripts = new QueueScripts(false);
        List<Script> all = List.of(
                scripts.enqueueNow,
                scripts.enqueue,
                scripts.enqueueKeyed,
                scripts.claim,
                scripts.settle,
                scripts.cancel,
                scripts.reschedule,
                scripts.deadLetters,
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
                scripts.note,
                scripts.noted,
                scripts.names,
                scripts.exist,
                scripts.auditHeader,
                scripts.auditHeads,
                scripts.auditList,
                scripts.auditSet,
                scripts.auditPlaces,
                scripts.auditClaims,
                scripts.auditKeys,
                scripts.auditTwice,
                scripts.auditCount,
                scripts.auditAdjust);
        assertThat(all.stream().map(Script::sha1)).doesNotHaveDuplicates();
        assertThat(all).allSatisfy(script -> assertThat(script.source())
                .isNotEmpty()
                .doesNotContain("--")
                .doesNotContain("\n\n"));
    }

    private static void collect(String name, Set<String> used) {
        if (!used.add(name)) {
            return;
        }
        try (Stream<String> lines = Files.lines(folder().resolve(name + ".lua"))) {
            lines.map(DIRECTIVE::matcher).filter(Matcher::matches).forEach(line -> parts(line.group(1))
                    .forEach(part -> collect(part, used)));
        } catch (IOException | URISyntaxException e) {
            throw new AssertionError("cannot read " + name, e);
        }
    }

    private static List<String> parts(String included) {
        return switch (included) {
            case "clock" -> List.of("clock", "clock_given");
            case "done" -> List.of("done", "done_kept");
            case "keeping" -> List.of("keeping", "keeping_none");
            default -> List.of(included);
        };
    }

    private static Stream<Path> files() throws IOException, URISyntaxException {
        try (Stream<Path> files = Files.list(folder())) {
            return files.filter(file -> file.toString().endsWith(".lua")).sorted().toList().stream();
        }
    }

    private static Path folder() throws URISyntaxException {
        Path file = Path.of(Objects.requireNonNull(QueueScripts.class.getResource("claim.lua"))
                .toURI());
        return Objects.requireNonNull(file.getParent());
    }

    private static String name(Path file) {
        return String.valueOf(file.getFileName()).replace(".lua", "");
    }
}
