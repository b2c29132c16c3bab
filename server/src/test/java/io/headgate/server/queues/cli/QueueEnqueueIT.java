package io.headgate.server.queues.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.queues.Codec;
import io.headgate.queues.Job;
import io.headgate.queues.Priority;
import io.headgate.queues.inspect.QueueCounts;
import io.headgate.server.CliRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code headgate queue enqueue} enqueues jobs that workers claim. */
class QueueEnqueueIT {

    private static final QueueCli cli = new QueueCli();

    @TempDir
    @SuppressWarnings("NullAway.Init") // set by JUnit
    private Path folder;

    @AfterAll
    static void stop() {
        cli.close();
    }

    @BeforeEach
    void drain() {
        cli.drain();
    }

    @Test
    void a_payload_is_enqueued_and_its_id_is_printed() {
        String id = cli.out("enqueue", "mails", "welcome, älice").strip();

        Job<String> job = claimed();
        assertThat(job.id().value()).isEqualTo(id);
        assertThat(job.payload()).isEqualTo("welcome, älice");
        assertThat(job.priority()).isEqualTo(Priority.NORMAL);
    }

    @ParameterizedTest
    @CsvSource({
        "bad, , , PAYLOAD is not text in UTF-8",
        "good, --once, bad, KEY is not text in UTF-8",
        "good, --replacing, bad, KEY is not text in UTF-8",
        "good, --header, name=bad, --header is not text in UTF-8",
    })
    void an_argument_that_is_not_utf_8_is_refused(String payload, String option, String value, String error) {
        for (String bad : List.of("half \ud83d", "lost \ufffd")) {
            List<String> words = Stream.of("enqueue", "mails", payload, option, value)
                    .filter(Objects::nonNull)
                    .map(word -> word.replace("bad", bad))
                    .toList();
            CliRun run = cli.run(words.toArray(String[]::new));
            assertThat(run.exitCode()).isEqualTo(2);
            assertThat(run.err()).contains(error);
        }
        assertThat(cli.queue.counts().ready()).isZero();
    }

    @Test
    void a_line_that_is_not_utf_8_is_refused_and_named() throws IOException {
        Path file = folder.resolve("lines.txt");
        Files.write(file, new byte[] {'a', '\n', '\n', 'b', (byte) 0xff, '\n', 'c', '\n'});
        CliRun run = cli.run("enqueue", "mails", "--file", file.toString(), "--lines");
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err()).contains("line 3 of ", "lines.txt", "is not UTF-8");

        // As one payload, the same bytes are accepted.
        cli.drain();
        cli.out("enqueue", "mails", "--file", file.toString());
        assertThat(cli.queues
                        .queue("mails", Codec.bytes())
                        .claim(1, Duration.ofMinutes(1))
                        .get(0)
                        .job()
                        .payload())
                .isEqualTo(Files.readAllBytes(file));
    }

    @Test
    void the_time_priority_key_and_headers_of_a_job_are_stored() {
        cli.out(
                "enqueue",
                "mails",
                "x",
                "--priority",
                "high",
                "--at",
                "2001-01-01T01:00:00+01:00",
                "--once",
                "bill-1",
                "--header",
                "source=import",
                "--header",
                "formula=a=b");

        Job<String> job = claimed();
        assertThat(job.priority()).isEqualTo(Priority.HIGH);
        assertThat(job.key()).contains("bill-1");
        assertThat(job.headers()).isEqualTo(Map.of("source", "import", "formula", "a=b"));

        String later = cli.out("enqueue", "mails", "x", "--at", "2100-01-01T01:00:00+01:00")
                .strip();
        assertThat(cli.json("show", "mails", later).get("dueAt").asText()).isEqualTo("2100-01-01T00:00:00Z");
    }

    @Test
    void a_key_is_unique_within_its_group() {
        cli.out("enqueue", "mails", "a", "--once", "k");
        cli.out("enqueue", "mails", "b", "--once", "k", "--group", "tenant-7");
        assertThat(cli.run("enqueue", "mails", "c", "--once", "k", "--group", "tenant-7")
                        .err())
                .contains("skipped");
        assertThat(claimed().key()).contains("k");
        assertThat(claimed().payload()).isEqualTo("b");
    }

    @Test
    void a_job_with_a_tenant_is_shown_and_found_with_it() {
        String id = cli.out("enqueue", "mails", "a", "--tenant", "acme", "--once", "k")
                .strip();
        assertThat(cli.out("enqueue", "mails", "b", "--tenant", "globex", "--once", "k"))
                .endsWith("-globex\n");
        assertThat(id).endsWith("-acme");
        assertThat(cli.out("show", "mails", id)).contains("tenant      acme\n", "key         k\n");
        assertThat(cli.json("show", "mails", id).get("tenant").asText()).isEqualTo("acme");
        assertThat(cli.json("peek", "mails").get("jobs").findValuesAsText("tenant"))
                .containsExactly("acme", "globex");
        cli.out("cancel", "mails", id);
        // The queue was opened before the first job with a tenant. Without this call, it would notice tenants only
        // after ten seconds.
        cli.queue.shards();
        assertThat(claimed().tenant()).contains("globex");
    }

    @Test
    void a_delayed_job_waits() {
        long before = cli.queue.counts().delayed();
        cli.out("enqueue", "mails", "later", "--delay", "3d");
        assertThat(cli.queue.counts().delayed()).isEqualTo(before + 1);
        assertThat(cli.drain()).isEmpty();
    }

    @Test
    void a_job_with_an_existing_key_is_skipped_and_reported() {
        String first = cli.out("enqueue", "mails", "one", "--once", "k").strip();
        CliRun second = cli.run("enqueue", "mails", "two", "--once", "k");
        assertThat(second.exitCode()).isZero();
        assertThat(second.out()).isEqualToIgnoringNewLines(first);
        assertThat(second.err()).contains("skipped: a job with key \"k\" exists");
        assertThat(cli.json("enqueue", "mails", "three", "--replacing", "k")
                        .get("outcome")
                        .asText())
                .isEqualTo("replaced");
        assertThat(cli.drain()).containsExactly("three");
        assertThat(cli.out("enqueue", "mails", "four", "--dry-run", "--json"))
                .isEqualToIgnoringNewLines("{\"queue\":\"mails\",\"wouldEnqueue\":1,\"payloadBytes\":4}");
    }

    @Test
    void a_file_is_one_payload_unchanged() throws IOException {
        byte[] bytes = {0, (byte) 0xff, '\n', 7};
        Path file = Files.write(folder.resolve("payload"), bytes);
        cli.out("enqueue", "mails", "--file", file.toString());
        assertThat(cli.queues
                        .queue("mails", Codec.bytes())
                        .claim(1, Duration.ofMinutes(1))
                        .get(0)
                        .job()
                        .payload())
                .isEqualTo(bytes);
    }

    @Test
    void each_line_of_a_file_is_a_job() throws IOException {
        List<String> lines = IntStream.range(0, 1234).mapToObj(i -> "line " + i).toList();
        Path file = Files.writeString(folder.resolve("lines"), "\r\n" + String.join("\n", lines) + "\r\n\n");

        assertThat(cli.out("enqueue", "mails", "--lines", "--file", file.toString(), "--dry-run"))
                .isEqualToIgnoringNewLines("would enqueue 1 234 jobs in mails");
        assertThat(cli.drain()).isEmpty();

        assertThat(cli.out("enqueue", "mails", "--lines", "--file", file.toString()))
                .isEqualToIgnoringNewLines("enqueued 1 234 jobs in mails");
        assertThat(IntStream.range(0, 3)
                        .mapToObj(i -> cli.drain())
                        .flatMap(List::stream)
                        .collect(Collectors.toList()))
                .isEqualTo(lines);
    }

    @Test
    void lines_beyond_the_bounds_of_one_call_are_all_enqueued() throws IOException {
        Path file = Files.writeString(folder.resolve("lines"), ("x".repeat(200_000) + "\n").repeat(11));
        String[] header = {"--header", "h=" + "v".repeat(15_000)};
        cli.out("enqueue", "large", "--lines", "--file", file.toString(), header[0], header[1]);
        Path many = Files.writeString(folder.resolve("many"), "x\n".repeat(450));
        cli.out("enqueue", "large", "--lines", "--file", many.toString(), header[0], header[1]);
        cli.out("enqueue", "large", "--lines", "--file", many.toString(), "--delay", "1d");
        QueueCounts counts = cli.queues.queue("large", Codec.text()).counts();
        assertThat(counts.ready()).isEqualTo(461);
        assertThat(counts.delayed()).isEqualTo(450);
    }

    @Test
    void the_key_of_a_done_job_that_the_queue_keeps_is_reserved() {
        String done = cli.createDone("bill").get(0).value();
        CliRun again = cli.run("enqueue", "mails", "bill", "--once", "key of bill");
        assertThat(again.out()).isEqualToIgnoringNewLines(done);
        assertThat(again.err()).contains("skipped: a job with key \"key of bill\" exists");
        assertThat(cli.drain()).isEmpty();
    }

    @Test
    void a_line_that_is_too_long_fails_with_the_progress() throws IOException {
        Path file = Files.writeString(folder.resolve("lines"), "short\n".repeat(500) + "x\n" + "x".repeat(1 << 21));
        CliRun run = cli.run("enqueue", "mails", "--lines", "--file", file.toString());
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err())
                .contains("a payload must be at most 262144 bytes, but is longer; before that, enqueued 500 jobs");
        assertThat(cli.drain()).hasSize(500);
    }

    @ParameterizedTest(name = "{index}: {1}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            enqueue                                | Missing required parameter: 'NAME'
            enqueue mails                          | give either PAYLOAD (- for standard input) or --file FILE
            enqueue mails x --file y               | give either PAYLOAD (- for standard input) or --file FILE
            enqueue mails --file /nowhere          | can't read "/nowhere": there is no such file
            enqueue mails --file /                 | can't read "/": Is a directory
            enqueue bad:name x                     | name of a queue must be 1 to 64 of A-Z a-z 0-9 . _ - and begin with a letter or digit, was "bad:name"
            enqueue mails x --delay 5              | "5" is not a time from 0ms to 3660d such as 30s, 5m, 2h or 3d
            enqueue mails x --delay 3661d          | "3661d" is not a time from 0ms to 3660d
            enqueue mails x --at tomorrow          | "tomorrow" is not a time with its offset from UTC, such as 2030-12-24T18:00:00Z
            enqueue mails x --at 2300-01-01T00:00:00Z | a job may be due from 1970 to the end of 2199, was 2300-01-01T00:00:00Z
            enqueue mails x --delay 1s --at 2030-01-01T00:00:00Z | give either --delay TIME or --at INSTANT
            enqueue mails x --priority urgent      | "urgent" is not high, normal or low
            enqueue mails x --once a --replacing b | give either --once KEY or --replacing KEY
            enqueue mails x --header novalue       | should be in KEY=VALUE format but was novalue
            enqueue mails x --header =v            | name of a header must not be empty
            enqueue mails x --lines                | --lines takes its lines from --file FILE or from standard input (-)
            enqueue mails - --lines --once k       | a key belongs to one
            enqueue mails x y                      | unknown argument "y"
            """)
    void a_wrong_command_line_exits_with_2_and_enqueues_nothing(String line, String message) {
        CliRun run = cli.run(line.split(" "));
        assertThat(run.exitCode()).as(run.err()).isEqualTo(2);
        assertThat(run.err()).startsWith("headgate: ").contains(message).doesNotContain("Exception");
        assertThat(cli.queue.counts().ready()).isZero();
    }

    private static Job<String> claimed() {
        return cli.queue.claim(1, Duration.ofMinutes(1)).get(0).job();
    }
}
