package io.headgate.server.queues.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.headgate.queues.Codec;
import io.headgate.queues.JobId;
import io.headgate.queues.NewJob;
import io.headgate.queues.worker.RetryPolicy;
import io.headgate.queues.worker.Worker;
import io.headgate.server.CliRun;
import io.headgate.testkit.Await;
import io.headgate.testkit.RedisProbe;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The output of {@code headgate queue ls}, {@code show} and {@code peek} with a real Redis. */
class QueueOutputIT {

    private static final QueueCli cli = new QueueCli();
    private static final String UNKNOWN = "f".repeat(30);

    @AfterAll
    static void stop() {
        cli.close();
    }

    @BeforeEach
    void empty() {
        cli.empty();
    }

    @Test
    void all_queues_are_listed_with_their_counts() {
        assertThat(cli.out("ls")).isEqualToIgnoringNewLines("no queue under this key prefix");
        cli.out("enqueue", "mails", "one");
        cli.out("enqueue", "bills", "later", "--delay", "1d");
        cli.out("pause", "bills");

        List<String> lines = cli.out("ls").lines().toList();
        assertThat(lines.get(0)).isEqualTo("queue  ready  delayed  leased  dead  done  oldest due  paused");
        assertThat(lines.get(1)).isEqualTo("bills      0        1       0     0     0           -  paused");
        assertThat(lines.get(2)).matches("mails +1 +0 +0 +0 +0 +\\S+ m?s +no");
        assertThat(lines.get(4)).isEqualTo("2 queues: 1 ready, 1 delayed, 0 leased, 0 dead, 0 done");
        assertThat(cli.json("ls").get("queues").findValuesAsText("queue")).containsExactly("bills", "mails");
    }

    @Test
    void a_queue_with_a_foreign_value_does_not_hide_the_others() {
        cli.out("enqueue", "mails", "one");
        cli.out("enqueue", "bills", "one");
        try (RedisProbe probe = RedisProbe.of(cli.redis.url())) {
            probe.command("SET", "hg:q:{bills}", "hello");
        }
        String remedy =
                "hg:q:{bills} holds something that Headgate did not store; find which program writes it, then remove"
                        + " it (DEL hg:q:{bills}) or give Headgate another key prefix";
        assertThat(cli.out("ls")).contains("\nmails ", "1 queue: 1 ready", "problem  queue bills: " + remedy);
        JsonNode queues = cli.json("ls").get("queues");
        assertThat(queues.findValuesAsText("queue")).containsExactly("mails", "bills");
        assertThat(queues.get(1).get("problem").asText()).isEqualTo(remedy);
    }

    @Test
    void a_queue_is_shown_with_its_findings() {
        cli.createDead("one");
        cli.queue.pause();
        String redis = " --redis " + cli.redis.url() + "\n";
        assertThat(cli.out("show", "mails"))
                .contains("dead        1\n", "paused      yes\n")
                .contains("warning  no jobs are claimed: ./headgate queue resume mails" + redis)
                .contains("note     dead letters stay until they are redriven or discarded:"
                        + " ./headgate queue peek mails --state dead" + redis);
        JsonNode json = cli.json("show", "mails");
        assertThat(json.get("dead").asInt()).isEqualTo(1);
        assertThat(json.get("findings").findValuesAsText("check")).containsExactly("paused", "dead");
    }

    @Test
    void a_job_is_shown_with_all_of_its_details() {
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
    void a_dead_letter_shows_its_failure_with_the_top_frames() {
        JobId id = cli.queue.enqueue("welcome").id();
        try (Worker worker = Worker.of(cli.queue).retries(RetryPolicy.none()).start(job -> {
            throw new IllegalStateException("no such address");
        })) {
            Await.until(
                    "a dead letter",
                    Duration.ofSeconds(30),
                    () -> cli.queue.counts().dead() == 1);
        }
        assertThat(cli.out("show", "mails", id.value()))
                .contains("cause       java.lang.IllegalStateException: no such address\n"
                        + "                at io.headgate.server.queues.cli.QueueOutputIT.");
        assertThat(cli.out("peek", "mails", "--state", "dead"))
                .contains("payload  cause\n", "welcome  java.lang.IllegalStateException: no such address\n");
        assertThat(cli.json("peek", "mails", "--state", "dead")
                        .get("jobs")
                        .get(0)
                        .get("causes")
                        .get(0)
                        .asText())
                .startsWith("java.lang.IllegalStateException: no such address\n\tat io.headgate.server.");
    }

    @Test
    void a_payload_that_is_not_text_is_shown_as_bytes_and_a_long_one_is_truncated() {
        byte[] bytes = new byte[10_000];
        bytes[0] = (byte) 0xff;
        JobId id = cli.queues.queue("mails", Codec.bytes()).enqueue(bytes).id();
        JobId text = cli.queue.enqueue("ä".repeat(3000)).id();

        assertThat(cli.out("show", "mails", id.value()))
                .contains("payload     10 000 bytes, not text\n")
                .contains("\n0xff0000")
                .contains("00…\n");
        assertThat(cli.json("show", "mails", id.value()).get("payloadBase64").asText())
                .startsWith("/wAAAA");
        JsonNode listed = cli.json("peek", "mails").get("jobs");
        assertThat(listed.get(0).get("payloadBytes").asInt()).isEqualTo(10_000);
        assertThat(listed.get(0).get("payloadTruncated").asBoolean()).isTrue();
        assertThat(listed.get(1).get("id").asText()).isEqualTo(text.value());
        assertThat(listed.get(1).get("payload").asText()).isEqualTo("ä".repeat(512));
    }

    @Test
    void peek_shows_the_jobs_of_each_state_page_by_page_and_changes_nothing() {
        cli.createDead("dead");
        cli.createDone("done");
        cli.queue.enqueue("leased");
        cli.queue.claim(1, Duration.ofMinutes(1));
        for (int i = 0; i < 5; i++) {
            cli.queue.enqueue("ready " + i);
        }
        cli.queue.enqueue("delayed", Duration.ofDays(1));

        String first = cli.out("peek", "mails", "--max", "3");
        assertThat(first).contains("ready 0", "ready 2", "3 of 5 ready; continue with --from ");
        String cursor = first.strip().replaceAll("(?s).*--from ", "");
        assertThat(cli.out("peek", "mails", "--from", cursor))
                .contains("ready 3", "ready 4", "2 of 5 ready\n")
                .doesNotContain("ready 2", "--from");
        assertThat(cli.out("peek", "mails", "--state", "delayed")).contains("delayed", "1 of 1 delayed");
        assertThat(cli.out("peek", "mails", "--state", "dead")).contains("dead", "1 of 1 dead");
        assertThat(cli.out("peek", "mails", "--state", "done")).contains("  key of done  done\n", "1 of 1 done");
        assertThat(cli.out("peek", "mails", "--state", "leased")).contains("  leased\n", "1 of 1 leased");
        assertThat(cli.queue.counts().ready()).isEqualTo(5);
    }

    @Test
    void a_done_job_that_is_kept_is_shown_like_any_other() {
        JobId id = cli.createDone("done").get(0);
        assertThat(cli.out("ls")).contains("1 queue: 0 ready, 0 delayed, 0 leased, 0 dead, 1 done");
        assertThat(cli.out("show", "mails")).contains("done        1\n");
        assertThat(cli.json("show", "mails").get("done").asInt()).isEqualTo(1);
        assertThat(cli.out("show", "mails", id.value()))
                .contains("state       done, since 2", "attempts    0 failed\n");
        assertThat(cli.json("show", "mails", id.value()).get("doneSince").asText())
                .startsWith("2");
    }

    @Test
    void an_empty_queue_exists() {
        cli.out("enqueue", "mails", "one");
        cli.drain();
        assertThat(cli.out("show", "mails")).contains("ready       0\n");
        CliRun run = cli.run("show", "mails", UNKNOWN);
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err()).contains("queue mails has no job " + UNKNOWN + "; it may be done, cancelled or removed");
    }
}
