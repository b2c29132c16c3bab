package io.headgate.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.headgate.queues.Codec;
import io.headgate.queues.JobId;
import io.headgate.queues.NewJob;
import io.headgate.testkit.RedisProbe;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code headgate queue} looks at what is in a real Redis, and changes it. */
class QueueCommandIT {

    private static final QueueCli cli = new QueueCli();
    private static final String UNKNOWN = "f".repeat(30);

    @AfterAll
    static void stop() {
        cli.close();
    }

    @BeforeEach
    void empty() {
        try (RedisProbe probe = RedisProbe.of(cli.redis.url())) {
            probe.command("FLUSHALL");
        }
    }

    @Test
    void all_queues_are_listed_with_their_counts() {
        assertThat(cli.out("ls")).isEqualToIgnoringNewLines("no queue at this key prefix");
        cli.out("enqueue", "mails", "one");
        cli.out("enqueue", "bills", "later", "--delay", "1d");
        cli.out("pause", "bills");

        List<String> lines = cli.out("ls").lines().toList();
        assertThat(lines.get(0)).isEqualTo("queue  ready  delayed  leased  dead  oldest due  paused");
        assertThat(lines.get(1)).isEqualTo("bills      0        1       0     0           -  paused");
        assertThat(lines.get(2)).matches("mails +1 +0 +0 +0 +\\S+ m?s +no");
        assertThat(lines.get(4)).isEqualTo("2 queues: 1 ready, 1 delayed, 0 leased, 0 dead");
        assertThat(cli.json("ls").get("queues").findValuesAsText("queue")).containsExactly("bills", "mails");
    }

    @Test
    void a_queue_is_shown_with_what_is_remarkable() {
        cli.kill("one");
        cli.queue.pause();
        assertThat(cli.out("show", "mails"))
                .contains("dead        1\n", "paused      yes\n")
                .contains("warning  nothing is handed out: headgate queue resume mails\n")
                .contains("note     dead letters stay until they are redriven or discarded: headgate queue peek mails");
        JsonNode json = cli.json("show", "mails");
        assertThat(json.get("dead").asInt()).isEqualTo(1);
        assertThat(json.get("remarkable").findValuesAsText("check")).containsExactly("paused", "dead");
    }

    @Test
    void of_a_job_all_is_shown_that_is_known() {
        JobId id = cli.queue
                .enqueue(NewJob.of("line one\n\u001b[2Jline two").once("bill-1").header("source", "import\u202e"))
                .id();
        cli.queue.claim(1, Duration.ofMinutes(1)).get(0).deadLetter("no such\naddress");

        assertThat(cli.out("show", "mails", id.value()))
                .contains("job         " + id + " of mails\n")
                .contains("state       dead, since ")
                .contains("priority    normal\n", "key         bill-1\n", "header      source: import\\u202e\n")
                .contains("attempts    1 failed\n", "deliveries  1\n", "crashes     0\n")
                .contains("cause       no such\\naddress\n")
                .contains("payload     21 bytes of text\n\nline one\\n\\u001b[2Jline two\n");
        JsonNode json = cli.json("show", "mails", id.value());
        assertThat(json.get("state").asText()).isEqualTo("dead");
        assertThat(json.get("payload").asText()).isEqualTo("line one\n\u001b[2Jline two");
        assertThat(json.get("causes").get(0).asText()).isEqualTo("no such\naddress");
    }

    @Test
    void a_payload_that_is_no_text_is_shown_by_its_bytes_and_a_long_one_is_cut() {
        byte[] bytes = new byte[10_000];
        bytes[0] = (byte) 0xff;
        JobId id = cli.queues.queue("mails", Codec.bytes()).enqueue(bytes);
        JobId text = cli.queue.enqueue("ä".repeat(3000));

        assertThat(cli.out("show", "mails", id.value()))
                .contains("payload     10 000 bytes, which are no text\n")
                .contains("\n0xff0000")
                .contains("00…\n");
        assertThat(cli.json("show", "mails", id.value()).get("payloadBase64").asText())
                .startsWith("/wAAAA");
        JsonNode listed = cli.json("peek", "mails").get("jobs");
        assertThat(listed.get(0).get("payloadBytes").asInt()).isEqualTo(10_000);
        assertThat(listed.get(0).get("payloadCut").asBoolean()).isTrue();
        assertThat(listed.get(1).get("id").asText()).isEqualTo(text.value());
        assertThat(listed.get(1).get("payload").asText()).isEqualTo("ä".repeat(512));
    }

    @Test
    void to_peek_shows_the_jobs_of_each_state_page_by_page_and_changes_nothing() {
        cli.kill("dead");
        cli.queue.enqueue("leased");
        cli.queue.claim(1, Duration.ofMinutes(1));
        for (int i = 0; i < 5; i++) {
            cli.queue.enqueue("ready " + i);
        }
        cli.queue.enqueue("delayed", Duration.ofDays(1));

        String first = cli.out("peek", "mails", "--most", "3");
        assertThat(first).contains("ready 0", "ready 2", "3 of 5 ready; go on with --from ");
        String cursor = first.strip().replaceAll("(?s).*--from ", "");
        assertThat(cli.out("peek", "mails", "--from", cursor))
                .contains("ready 3", "ready 4", "2 of 5 ready\n")
                .doesNotContain("ready 2", "--from");
        assertThat(cli.out("peek", "mails", "--state", "delayed")).contains("delayed", "1 of 1 delayed");
        assertThat(cli.out("peek", "mails", "--state", "dead")).contains("dead", "1 of 1 dead");
        assertThat(cli.out("peek", "mails", "--state", "leased")).contains("  leased\n", "1 of 1 leased");
        assertThat(cli.queue.counts().ready()).isEqualTo(5);
    }

    @Test
    void each_job_that_is_retried_says_what_came_of_it() {
        JobId delayed = cli.queue.enqueue("delayed", Duration.ofDays(1));
        cli.kill("dead");
        String dead = cli.json("peek", "mails", "--state", "dead")
                .get("jobs")
                .get(0)
                .get("id")
                .asText();
        String leased = cli.queue.enqueue("leased").value();
        cli.queue.claim(1, Duration.ofMinutes(1));

        CliRun rehearsal = cli.run("retry", "mails", delayed.value(), dead, leased, UNKNOWN, "--dry-run");
        assertThat(rehearsal.exitCode()).isEqualTo(1);
        assertThat(rehearsal.out().lines())
                .containsExactly(
                        delayed + ": would be due now",
                        dead + ": would be redriven",
                        leased + ": stays as it is, in hand",
                        UNKNOWN + ": stays as it is, not here");
        assertThat(cli.queue.counts().delayed()).isEqualTo(1);

        CliRun run = cli.run("retry", "mails", delayed.value(), dead, leased, UNKNOWN);
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.out().lines())
                .containsExactly(
                        delayed + ": due now",
                        dead + ": redriven",
                        leased + ": stays as it is, in hand",
                        UNKNOWN + ": stays as it is, not here");
        assertThat(cli.drain()).containsExactlyInAnyOrder("delayed", "dead");
    }

    @Test
    void one_job_is_cancelled_without_a_question_and_more_only_with_yes() {
        String one = cli.queue.enqueue("one").value();
        String two = cli.queue.enqueue("two").value();
        String three = cli.queue.enqueue("three").value();
        assertThat(cli.out("cancel", "mails", one)).isEqualToIgnoringNewLines(one + ": cancelled");

        CliRun refused = cli.run("cancel", "mails", two, three);
        assertThat(refused.exitCode()).isEqualTo(2);
        assertThat(refused.err())
                .contains("queue cancel of more than one job asks whether to", "give --yes", "--dry-run");
        assertThat(cli.queue.counts().ready()).isEqualTo(2);

        assertThat(cli.out("cancel", "mails", two, three, two, "--yes").lines())
                .containsExactly(two + ": cancelled", three + ": cancelled");
        assertThat(cli.queue.counts().ready()).isZero();
    }

    @Test
    void a_dead_letter_is_discarded_and_nothing_else() {
        cli.kill("dead");
        String ready = cli.queue.enqueue("ready").value();
        String dead = cli.json("peek", "mails", "--state", "dead")
                .get("jobs")
                .get(0)
                .get("id")
                .asText();
        assertThat(cli.run("discard", "mails", dead).exitCode()).isEqualTo(2);
        assertThat(cli.run("discard", "mails", ready, "--yes").out()).contains(ready + ": stays as it is, ready");
        assertThat(cli.out("discard", "mails", dead, "--yes")).contains(dead + ": discarded");
        assertThat(cli.queue.counts().dead()).isZero();
        assertThat(cli.queue.counts().ready()).isEqualTo(1);
    }

    @Test
    void dead_letters_are_redriven_all_or_so_many() {
        cli.kill("a", "b", "c");
        assertThat(cli.out("redrive", "mails", "--all", "--dry-run"))
                .isEqualToIgnoringNewLines("would redrive 3 dead letters of mails");
        assertThat(cli.out("redrive", "mails", "--most", "1"))
                .isEqualToIgnoringNewLines("redrove 1 dead letter of mails");
        assertThat(cli.drain()).containsExactly("a");
        assertThat(cli.json("redrive", "mails", "--all", "--per-second", "0.001")
                        .get("redriven")
                        .asInt())
                .isEqualTo(2);
        assertThat(cli.queue.counts().ready()).isEqualTo(1);
        assertThat(cli.queue.counts().delayed()).isEqualTo(1);
    }

    @Test
    void many_are_redriven_in_batches_that_keep_the_rate() {
        cli.queue.enqueueAll(java.util.Collections.nCopies(500, NewJob.of("x")));
        cli.queue.enqueueAll(java.util.Collections.nCopies(100, NewJob.of("x")));
        for (int batch = 0; batch < 2; batch++) {
            cli.queue.claim(500, Duration.ofMinutes(1)).forEach(lease -> lease.deadLetter("x"));
        }
        assertThat(cli.out("redrive", "mails", "--all", "--per-second", "5000"))
                .isEqualToIgnoringNewLines("redrove 600 dead letters of mails");
        assertThat(cli.queue.counts().dead()).isZero();
    }

    @Test
    void what_waits_or_is_dead_is_purged_but_not_what_is_in_hand() {
        cli.kill("dead");
        cli.queue.enqueue("leased");
        cli.queue.claim(1, Duration.ofMinutes(1));
        cli.queue.enqueue("ready");
        cli.queue.enqueue("delayed", Duration.ofDays(1));

        CliRun refused = cli.run("purge", "mails");
        assertThat(refused.exitCode()).isEqualTo(2);
        assertThat(refused.err())
                .contains("queue purge asks whether to, and here is no terminal to ask at; give --yes");
        assertThat(cli.out("purge", "mails", "--dry-run"))
                .isEqualToIgnoringNewLines("would purge 2 waiting jobs of mails");
        assertThat(cli.queue.counts().ready()).isEqualTo(1);

        assertThat(cli.out("purge", "mails", "--yes")).isEqualToIgnoringNewLines("purged 2 waiting jobs of mails");
        assertThat(cli.out("purge", "mails", "--state", "dead", "--yes"))
                .isEqualToIgnoringNewLines("purged 1 dead letter of mails");
        assertThat(cli.queue.counts().ready()).isZero();
        assertThat(cli.queue.counts().delayed()).isZero();
        assertThat(cli.queue.counts().dead()).isZero();
        assertThat(cli.queue.counts().leased()).isEqualTo(1);
    }

    @Test
    void an_audit_finds_what_somebody_broke_and_mends_it() {
        cli.out("enqueue", "mails", "one");
        assertThat(cli.out("audit", "mails")).isEqualToIgnoringNewLines("mails: 1 job, nothing is wrong");
        try (RedisProbe probe = RedisProbe.of(cli.redis.url())) {
            probe.command("DEL", "hg:q:{mails}");
        }
        CliRun found = cli.run("audit", "mails");
        assertThat(found.exitCode()).as(found.err()).isEqualTo(1);
        assertThat(found.out()).startsWith("wrong ").contains("header ").contains("\nmails: 0 jobs, 1 thing wrong");

        CliRun refused = cli.run("audit", "mails", "--repair");
        assertThat(refused.exitCode()).isEqualTo(2);
        assertThat(refused.err()).contains("queue audit --repair asks whether to");
        assertThat(cli.run("audit", "mails", "--repair", "--dry-run").exitCode())
                .isEqualTo(1);

        assertThat(cli.out("audit", "mails", "--repair", "--yes")).contains("1 thing wrong, 1 mended");
        assertThat(cli.json("audit", "mails").get("findings")).isEmpty();
        cli.out("resume", "mails");
        assertThat(cli.drain()).containsExactly("one");
    }

    @ParameterizedTest(name = "{index}: {0}")
    @CsvSource({
        "show",
        "peek",
        "pause",
        "resume",
        "redrive --all",
        "purge --yes",
        "audit",
        "audit --repair --yes",
        "cancel ID",
        "retry ID"
    })
    void a_queue_that_is_not_there_is_1_and_stays_so(String command) {
        String[] words = command.replace("ID", UNKNOWN).split(" ");
        List<String> all = new java.util.ArrayList<>(List.of(words));
        all.add(1, "nowhere");
        CliRun run = cli.run(all.toArray(String[]::new));
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err())
                .isEqualToIgnoringNewLines(
                        "headgate: no queue is named \"nowhere\" at this key prefix; headgate queue ls lists them");
        assertThat(cli.queues.names()).isEmpty();
    }

    @Test
    void an_empty_queue_is_there() {
        cli.out("enqueue", "mails", "one");
        cli.drain();
        assertThat(cli.out("show", "mails")).contains("ready       0\n");
        CliRun run = cli.run("show", "mails", UNKNOWN);
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err()).contains("queue mails has no job " + UNKNOWN + "; it may be done, cancelled or removed");
    }

    @ParameterizedTest(name = "{index}: {1}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            ls mails                        | unknown argument "mails"; ls takes options only
            lss                             | unknown command "lss"; did you mean ls?
            show                            | Missing required parameter: 'NAME'
            show bad:name                   | name of a queue must be 1 to 64 of A-Z a-z 0-9 . _ - and begin with a letter or digit, was "bad:name"
            show mails 7                    | the id of a job is 30 hexadecimal digits in lower case, was "7"
            cancel mails                    | Missing required parameter: 'ID'
            cancel mails 7                  | the id of a job is 30 hexadecimal digits in lower case, was "7"
            peek mails --state gone         | state "gone" is not one of ready, delayed, leased, dead
            peek mails --most 501           | "501" is not a whole number from 1 to 500
            peek mails --from x             | a cursor is up to 128 hexadecimal digits in lower case, was "x"
            redrive mails                   | say how many: either --all or --most N
            redrive mails --all --most 3    | say how many: either --all or --most N
            redrive mails --most 0          | "0" is not a whole number from 1 to 1000000000
            redrive mails --all --per-second 0 | jobs a second must be from 0.001 to 1000000, were "0"
            redrive mails --all --per-second x | "x" is not a number from 0.001 to 1000000
            purge mails --state leased --yes | state "leased" is not waiting (ready and delayed), ready, delayed or dead; what is in hand can't be removed
            pause mails bills               | unknown argument "bills"; pause takes NAME and options
            """)
    void what_is_wrong_is_2_and_says_what_is_allowed(String line, String message) {
        CliRun run = cli.run(line.split(" "));
        assertThat(run.exitCode()).as(run.err()).isEqualTo(2);
        assertThat(run.err()).startsWith("headgate: ").contains(message).doesNotContain("Exception");
    }

    @Test
    void a_redis_that_does_not_answer_is_1_and_says_who_tells_more() {
        CliRun run = CliRun.of("queue", "ls", "--redis", "redis://:secret@127.0.0.1:1");
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err())
                .startsWith("headgate: connect redis://127.0.0.1:1: ")
                .contains("headgate doctor says more of 127.0.0.1:1")
                .doesNotContain("secret", "\tat ");
        assertThat(CliRun.of("queue", "ls").err()).contains("say which Redis: --redis URL");
    }
}
