package io.headgate.server.queues.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.queues.NewJob;
import io.headgate.server.CliRun;
import io.headgate.testkit.RedisProbe;
import java.time.Duration;
import java.util.Collections;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Changes of {@code headgate queue} to many jobs in a real Redis: {@code redrive}, {@code purge}, {@code audit}. */
class QueueBulkIT {

    private static final QueueCli cli = new QueueCli();

    @AfterAll
    static void stop() {
        cli.close();
    }

    @BeforeEach
    void empty() {
        cli.empty();
    }

    @Test
    void dead_letters_are_redriven_all_or_up_to_a_number() {
        cli.createDead("a", "b", "c");
        assertThat(cli.out("redrive", "mails", "--all", "--dry-run"))
                .isEqualToIgnoringNewLines("would redrive 3 dead letters of mails");
        assertThat(cli.out("redrive", "mails", "--max", "1"))
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
    void more_than_one_batch_is_redriven_at_a_rate() {
        cli.queue.enqueueAll(Collections.nCopies(500, NewJob.of("x")));
        cli.queue.enqueueAll(Collections.nCopies(100, NewJob.of("x")));
        for (int batch = 0; batch < 2; batch++) {
            cli.queue.claim(500, Duration.ofMinutes(1)).forEach(lease -> lease.deadLetter("x"));
        }
        assertThat(cli.out("redrive", "mails", "--all", "--per-second", "5000"))
                .isEqualToIgnoringNewLines("redrove 600 dead letters of mails");
        assertThat(cli.queue.counts().dead()).isZero();
    }

    @Test
    void waiting_dead_and_done_jobs_are_purged_but_not_claimed_ones() {
        cli.createDead("dead");
        cli.createDone("done");
        cli.queue.enqueue("leased");
        cli.queue.claim(1, Duration.ofMinutes(1));
        cli.queue.enqueue("ready");
        cli.queue.enqueue("delayed", Duration.ofDays(1));

        CliRun refused = cli.run("purge", "mails");
        assertThat(refused.exitCode()).isEqualTo(2);
        assertThat(refused.err()).contains("queue purge needs confirmation, and there is no terminal; give --yes");
        assertThat(cli.out("purge", "mails", "--dry-run"))
                .isEqualToIgnoringNewLines("would purge 2 waiting jobs of mails");
        assertThat(cli.queue.counts().ready()).isEqualTo(1);

        assertThat(cli.out("purge", "mails", "--yes")).isEqualToIgnoringNewLines("purged 2 waiting jobs of mails");
        assertThat(cli.out("purge", "mails", "--state", "dead", "--yes"))
                .isEqualToIgnoringNewLines("purged 1 dead letter of mails");
        assertThat(cli.out("purge", "mails", "--state", "done", "--yes"))
                .isEqualToIgnoringNewLines("purged 1 done job of mails");
        assertThat(cli.queue.counts().ready()).isZero();
        assertThat(cli.queue.counts().delayed()).isZero();
        assertThat(cli.queue.counts().done()).isZero();
        assertThat(cli.queue.counts().dead()).isZero();
        assertThat(cli.queue.counts().leased()).isEqualTo(1);
    }

    @Test
    void an_audit_finds_and_repairs_damage() {
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
        assertThat(refused.err()).contains("queue audit --repair needs confirmation");
        assertThat(cli.run("audit", "mails", "--repair", "--dry-run").exitCode())
                .isEqualTo(1);

        assertThat(cli.out("audit", "mails", "--repair", "--yes")).contains("1 thing wrong, 1 repaired");
        assertThat(cli.json("audit", "mails").get("findings")).isEmpty();
        cli.out("resume", "mails");
        assertThat(cli.drain()).containsExactly("one");
    }
}
