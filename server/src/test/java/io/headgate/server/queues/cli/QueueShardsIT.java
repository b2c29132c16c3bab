package io.headgate.server.queues.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.queues.Codec;
import io.headgate.queues.JobQueue;
import io.headgate.queues.Lease;
import io.headgate.queues.QueueSettings;
import io.headgate.server.CliRun;
import io.headgate.testkit.RedisProbe;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A queue of eight shards is one queue for {@code headgate queue}, which needs only its name. */
class QueueShardsIT {

    private static final QueueCli cli = new QueueCli();

    private JobQueue<String> queue;

    @AfterAll
    static void stop() {
        cli.close();
    }

    @BeforeEach
    void openWithEightShards() {
        cli.empty();
        queue = cli.queues.queue(QueueSettings.of("mails").withShards(8), Codec.text());
        queue.enqueue("first");
    }

    /** Enqueues fifteen jobs with different keys, which select most of the shards. */
    private static List<String> enqueueFifteen() {
        List<String> ids = new ArrayList<>();
        for (int i = 0; i < 15; i++) {
            ids.add(cli.out("enqueue", "mails", "job" + i, "--once", "key" + i).strip());
        }
        // An id starts with its shard, in two hexadecimal digits.
        assertThat(ids.stream().map(id -> id.substring(0, 2)).distinct()).hasSizeGreaterThan(4);
        return ids;
    }

    @Test
    void jobs_of_all_shards_are_enqueued_shown_and_changed() {
        List<String> ids = enqueueFifteen();
        assertThat(queue.counts().ready()).isEqualTo(16);
        assertThat(cli.out("enqueue", "mails", "again", "--once", "key3").strip())
                .isEqualTo(ids.get(3));
        assertThat(cli.out("ls")).contains("1 queue: 16 ready, 0 delayed");
        assertThat(cli.out("show", "mails")).contains("shards      8\n", "ready       16, the oldest due for ");
        assertThat(cli.json("show", "mails").get("shards").asInt()).isEqualTo(8);
        assertThat(cli.json("peek", "mails", "--max", "100").get("jobs").findValuesAsText("id"))
                .hasSize(16)
                .containsAll(ids);
        assertThat(cli.out("audit", "mails")).isEqualToIgnoringNewLines("mails: 16 jobs, nothing is wrong");
        for (String id : ids) {
            assertThat(cli.out("show", "mails", id)).contains("job         " + id + " of mails\n");
        }
        cli.out("cancel", "mails", ids.get(0), ids.get(1), ids.get(2), ids.get(3), "--yes");
        assertThat(queue.counts().ready()).isEqualTo(12);
    }

    @Test
    void a_page_continues_in_the_next_shard() {
        enqueueFifteen();
        List<String> shown = new ArrayList<>();
        String from = "";
        do {
            List<String> words = new ArrayList<>(List.of("peek", "mails", "--max", "4"));
            words.addAll(from.isEmpty() ? List.of() : List.of("--from", from));
            var page = cli.json(words.toArray(String[]::new));
            shown.addAll(page.get("jobs").findValuesAsText("id"));
            from = page.path("next").asText();
        } while (!from.isEmpty());
        assertThat(shown).hasSize(16).doesNotHaveDuplicates();
    }

    @Test
    void dead_letters_of_all_shards_are_redriven_retried_and_discarded() {
        List<String> ids = enqueueFifteen();
        List<Lease<String>> leases = queue.claim(100, Duration.ofMinutes(1));
        assertThat(leases).hasSize(16);
        leases.forEach(lease -> lease.deadLetter("no such address"));
        cli.out("retry", "mails", ids.get(5), ids.get(6));
        cli.out("discard", "mails", ids.get(7), ids.get(8), "--yes");
        assertThat(cli.out("redrive", "mails", "--max", "5"))
                .isEqualToIgnoringNewLines("redrove 5 dead letters of mails");
        assertThat(cli.out("redrive", "mails", "--all")).isEqualToIgnoringNewLines("redrove 7 dead letters of mails");
        assertThat(queue.counts().ready()).isEqualTo(14);
        assertThat(queue.counts().dead()).isZero();
    }

    @Test
    void all_shards_are_paused_and_purged() {
        enqueueFifteen();
        cli.out("pause", "mails");
        assertThat(queue.claim(100, Duration.ofMinutes(1))).isEmpty();
        cli.out("resume", "mails");
        assertThat(queue.claim(4, Duration.ofMinutes(1))).hasSize(4);
        assertThat(cli.out("purge", "mails", "--yes")).isEqualToIgnoringNewLines("purged 12 waiting jobs of mails");
        assertThat(queue.counts().ready()).isZero();
        assertThat(queue.counts().leased()).isEqualTo(4);
    }

    @Test
    void damage_in_one_shard_is_found_and_repaired() {
        enqueueFifteen();
        try (RedisProbe probe = RedisProbe.of(cli.redis.url())) {
            probe.command("HSET", "hg:q:{mails:3}:keys", "ghost", "no id");
        }
        CliRun found = cli.run("audit", "mails");
        assertThat(found.exitCode()).as(found.err()).isEqualTo(1);
        assertThat(found.out()).contains("shard 3: ");
        assertThat(cli.out("audit", "mails", "--repair", "--yes")).contains("repaired");
        assertThat(cli.out("audit", "mails")).isEqualToIgnoringNewLines("mails: 16 jobs, nothing is wrong");
    }
}
