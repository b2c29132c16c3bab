package io.headgate.server.queues.cli;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.headgate.queues.NewJob;
import io.headgate.server.CliRun;
import io.headgate.server.Main;
import io.headgate.server.ServerProcess;
import io.headgate.testkit.RedisProbe;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/** The audit log has one record for each change that {@code headgate queue} attempts, with its outcome, and no others. */
class AuditLogIT {

    private static final QueueCli cli = new QueueCli();
    private static final Pattern OPERATOR = Pattern.compile("operator [A-Za-z0-9._-]+@[A-Za-z0-9._-]+ ");

    private final Logger log = (Logger) LoggerFactory.getLogger("io.headgate.audit");
    private final ListAppender<ILoggingEvent> written = new ListAppender<>();

    @TempDir
    @SuppressWarnings("NullAway.Init") // set by JUnit
    private Path folder;

    @AfterAll
    static void stop() {
        cli.close();
    }

    @BeforeEach
    void listen() {
        cli.empty();
        written.start();
        log.addAppender(written);
    }

    @AfterEach
    void stopListening() {
        log.detachAppender(written);
    }

    @Test
    void each_attempted_change_is_a_line_with_its_outcome() throws IOException {
        Path lines = Files.writeString(folder.resolve("lines"), "a\nb\n");
        String id = cli.out("enqueue", "mails", "a secret matter", "--header", "h=another")
                .strip();
        cli.out("enqueue", "mails", "x", "--once", "key-1");
        cli.out("enqueue", "mails", "x", "--once", "key-1");
        cli.out("enqueue", "mails", "--lines", "--file", lines.toString());
        cli.out("retry", "mails", id);
        cli.out("cancel", "mails", id);
        cli.run("cancel", "mails", id);
        cli.out("pause", "mails");
        cli.out("resume", "mails");
        cli.out("purge", "mails", "--yes");
        cli.createDead("dead", "dead too");
        cli.out("redrive", "mails", "--max", "1");
        cli.run("discard", "mails", id, "--yes");

        String job = "\"mails\" job \"" + id + "\": ";
        assertThat(lines())
                .containsExactly(
                        "enqueue \"mails\": enqueued 1 job",
                        "enqueue \"mails\": enqueued 1 job",
                        "enqueue \"mails\": enqueued 0 jobs, skipped 1 with an existing key",
                        "enqueue \"mails\": enqueued 2 jobs",
                        "retry " + job + "due now",
                        "cancel " + job + "cancelled",
                        "cancel " + job + "not found",
                        "pause \"mails\": paused",
                        "resume \"mails\": resumed",
                        "purge \"mails\": purged 3 waiting jobs",
                        "redrive \"mails\": redriven 1 dead letter",
                        "discard " + job + "not found");
    }

    @Test
    void a_repair_is_logged_and_an_audit_is_not() {
        cli.queue.enqueue("one");
        command("DEL", "hg:q:{mails}");
        cli.run("audit", "mails");
        assertThat(lines()).isEmpty();

        cli.out("audit", "mails", "--repair", "--yes");

        assertThat(lines())
                .hasSize(1)
                .first()
                .asString()
                .matches("audit \"mails\": audited mails: \\d jobs?, 1 thing wrong, 1 repaired");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ls",
                "show mails",
                "peek mails",
                "audit mails",
                "audit mails --repair --dry-run",
                "enqueue mails x --dry-run",
                "redrive mails --all --dry-run",
                "purge mails --dry-run",
                "purge mails",
                "pause nowhere"
            })
    void a_command_that_attempts_no_change_is_not_logged(String command) throws IOException {
        cli.queue.enqueue("one");
        Path file = folder.resolve("audit.log");
        List<String> words = new ArrayList<>(List.of(command.split(" ")));
        cli.run(words.toArray(String[]::new));

        if (command.matches("(audit|enqueue|redrive|purge|pause).*")) {
            words.addAll(List.of("--audit-log", file.toString()));
            cli.run(words.toArray(String[]::new));
        }

        assertThat(lines()).isEmpty();
        assertThat(file).satisfiesAnyOf(none -> assertThat(none).doesNotExist(), empty -> assertThat(empty)
                .isEmptyFile());
    }

    @Test
    void a_failed_change_is_a_line_with_its_failure() {
        command("SET", "hg:q:{mails}", "foreign");
        CliRun run = cli.run("enqueue", "mails", "x");

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(lines())
                .hasSize(1)
                .first()
                .asString()
                .startsWith("enqueue \"mails\": failed: enqueue hg:q:{mails}: ");
    }

    @Test
    void input_cannot_forge_a_line() throws IOException {
        Path file = folder.resolve("x\noperator root@db purge \"mails\": purged 3 waiting jobs");
        assertThat(cli.run("enqueue", "mails", "--lines", "--file", file.toString())
                        .exitCode())
                .isEqualTo(2);
        assertThat(lines()).isEmpty();

        // A line that is not UTF-8: the error names the file.
        Files.write(file, new byte[] {(byte) 0xff});
        assertThat(cli.run("enqueue", "mails", "--lines", "--file", file.toString())
                        .exitCode())
                .isEqualTo(1);
        assertThat(lines()).hasSize(1);
        assertThat(lines().get(0)).startsWith("enqueue \"mails\": failed: ").doesNotContain("\n");
    }

    @Test
    void lines_are_appended_to_the_file_that_an_option_or_a_variable_names() throws Exception {
        Path file = Files.writeString(folder.resolve("audit.log"), "before\n");
        cli.queue.enqueue("one");
        cli.out("pause", "mails", "--audit-log", file.toString());
        try (ServerProcess process = ServerProcess.start(
                List.of(),
                Map.of("HEADGATE_AUDIT_LOG", file.toString()),
                "queue",
                "resume",
                "mails",
                "--redis",
                cli.redis.url(),
                "--redis-timeout",
                "4s")) {
            assertThat(process.awaitExit()).isZero();
        }

        List<String> all = Files.readAllLines(file);
        assertThat(all).hasSize(3);
        assertThat(all.get(0)).isEqualTo("before");
        assertThat(all.get(1))
                .matches(
                        "\\{\"time\":\"\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z\",\"operator\":\"[^\"]+\",\"via\":\"command-line\","
                                + "\"from\":\"[^\"]+\",\"action\":\"queue.pause\",\"target\":\"mails\",\"outcome\":\"done\","
                                + "\"detail\":\"paused\",\"before\":\\{\"paused\":false},\"after\":\\{\"paused\":true}}");
        assertThat(all.get(2)).contains("\"action\":\"queue.resume\",\"target\":\"mails\"");
        assertThat(lines()).containsExactly("pause \"mails\": paused");
    }

    @Test
    void a_file_that_cannot_be_opened_fails_before_the_change() {
        cli.queue.enqueue("one");
        for (Path file : List.of(folder, folder.resolve("gone/audit.log"))) {
            CliRun run = cli.run("pause", "mails", "--audit-log", file.toString());

            assertThat(run.exitCode()).isEqualTo(2);
            assertThat(run.err())
                    .startsWith("headgate: --audit-log \"" + file + "\" can't be opened for appending: ")
                    .contains(". Nothing was changed");
        }
        assertThat(cli.run(
                                "pause",
                                "mails",
                                "--audit-log",
                                folder.resolve("gone/x").toString())
                        .err())
                .contains(": its folder does not exist.");
        assertThat(cli.queue.counts().paused()).isFalse();
        assertThat(lines()).isEmpty();
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void a_line_that_could_not_be_written_is_still_logged_and_the_output_is_printed() {
        CliRun run = cli.run("enqueue", "mails", "one", "--audit-log", "/dev/full");

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.out()).as("the id of the job").matches("[0-9a-f]{30}\\R");
        assertThat(run.err())
                .startsWith("headgate: the audit log \"/dev/full\" lacks a record, which is on standard error: ");
        assertThat(lines()).containsExactly("enqueue \"mails\": enqueued 1 job");
    }

    @Test
    void a_change_that_a_signal_interrupts_is_a_line_with_its_progress() throws Exception {
        cli.queue.enqueueAll(Collections.nCopies(500, NewJob.of("x")));
        cli.queue.claim(500, Duration.ofMinutes(1)).forEach(lease -> lease.deadLetter("x"));
        cli.createDead("one more");
        try (ServerProcess process = ServerProcess.start(
                "queue",
                "redrive",
                "mails",
                "--all",
                "--per-second",
                "0.1",
                "--redis",
                cli.redis.url(),
                "--redis-timeout",
                "4s")) {
            process.awaitLine("redrove 500 dead letters so far; continues in ");
            process.terminate();
            process.awaitLine("operator \\S+ redrive \"mails\": interrupted, redriven 500 dead letters or more");
            process.awaitExit();
        }
        assertThat(CliRun.of("audit", "--redis", cli.redis.url(), "--redis-timeout", "4s", "--action", "queue.redrive")
                        .out())
                .contains(" queue.redrive mails: interrupted, redriven 500 dead letters or more");
    }

    /** The guide documents that. */
    @Test
    void a_command_that_is_killed_leaves_its_change_without_a_record() throws Exception {
        cli.queue.enqueueAll(Collections.nCopies(500, NewJob.of("x")));
        cli.queue.claim(500, Duration.ofMinutes(1)).forEach(lease -> lease.deadLetter("x"));
        cli.createDead("one more");
        try (ServerProcess process = ServerProcess.start(
                "queue",
                "redrive",
                "mails",
                "--all",
                "--per-second",
                "0.1",
                "--redis",
                cli.redis.url(),
                "--redis-timeout",
                "4s")) {
            process.awaitLine("redrove 500 dead letters so far; continues in ");
            process.close(); // SIGKILL
            assertThat(process.awaitExit()).isNotZero();
        }
        assertThat(cli.queue.counts().dead()).isEqualTo(1);
        assertThat(CliRun.of("audit", "--redis", cli.redis.url(), "--redis-timeout", "4s")
                        .out())
                .isEmpty();
    }

    @Test
    void standard_output_has_only_the_json() throws Exception {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Main.class.getName(),
                        "queue",
                        "enqueue",
                        "mails",
                        "one",
                        "--json",
                        "--redis",
                        cli.redis.url(),
                        "--redis-timeout",
                        "4s")
                .redirectError(folder.resolve("err").toFile())
                .start();
        try {
            String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
            assertThat(out).startsWith("{\"queue\":\"mails\",").hasLineCount(1);
            assertThat(folder.resolve("err")).content().contains(" enqueue \"mails\": enqueued 1 job");
        } finally {
            process.destroyForcibly();
        }
    }

    private static void command(String... words) {
        try (RedisProbe probe = RedisProbe.of(cli.redis.url())) {
            probe.command(words);
        }
    }

    /** The logged lines without the operator. */
    private List<String> lines() {
        return written.list.stream()
                .map(ILoggingEvent::getFormattedMessage)
                .peek(line ->
                        assertThat(OPERATOR.matcher(line).lookingAt()).as(line).isTrue())
                .map(line -> OPERATOR.matcher(line).replaceFirst(""))
                .toList();
    }
}
