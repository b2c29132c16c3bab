package io.headgate.server.queues.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.queues.JobId;
import io.headgate.server.CliRun;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Changes of {@code headgate queue} to single jobs in a real Redis: {@code cancel}, {@code retry}, {@code discard}. */
class QueueIdsIT {

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
    void each_retried_job_has_its_outcome() {
        JobId delayed = cli.queue.enqueue("delayed", Duration.ofDays(1)).id();
        cli.createDead("dead");
        String dead = cli.json("peek", "mails", "--state", "dead")
                .get("jobs")
                .get(0)
                .get("id")
                .asText();
        String leased = cli.queue.enqueue("leased").id().value();
        cli.queue.claim(1, Duration.ofMinutes(1));
        String done = cli.createDone("done").get(0).value();

        CliRun dryRun = cli.run("retry", "mails", delayed.value(), dead, leased, done, UNKNOWN, "--dry-run");
        assertThat(dryRun.exitCode()).isEqualTo(1);
        assertThat(dryRun.out().lines())
                .containsExactly(
                        delayed + ": would be due now",
                        dead + ": would be redriven",
                        leased + ": not changed, because its state is leased",
                        done + ": not changed, because its state is done",
                        UNKNOWN + ": not found");
        assertThat(cli.queue.counts().delayed()).isEqualTo(1);

        CliRun run = cli.run("retry", "mails", delayed.value(), dead, leased, done, UNKNOWN);
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.out().lines())
                .containsExactly(
                        delayed + ": due now",
                        dead + ": redriven",
                        leased + ": not changed, because its state is leased",
                        done + ": not changed, because its state is done",
                        UNKNOWN + ": not found");
        assertThat(cli.drain()).containsExactlyInAnyOrder("delayed", "dead");
    }

    @Test
    void one_job_is_cancelled_without_confirmation_and_several_only_with_yes() {
        String one = cli.queue.enqueue("one").id().value();
        String two = cli.queue.enqueue("two").id().value();
        String three = cli.queue.enqueue("three").id().value();
        assertThat(cli.out("cancel", "mails", one)).isEqualToIgnoringNewLines(one + ": cancelled");

        CliRun refused = cli.run("cancel", "mails", two, three);
        assertThat(refused.exitCode()).isEqualTo(2);
        assertThat(refused.err())
                .contains("queue cancel of more than one job needs confirmation", "give --yes", "--dry-run");
        assertThat(cli.queue.counts().ready()).isEqualTo(2);

        assertThat(cli.out("cancel", "mails", two, three, two, "--yes").lines())
                .containsExactly(two + ": cancelled", three + ": cancelled");
        assertThat(cli.queue.counts().ready()).isZero();
    }

    @Test
    void a_dead_letter_is_discarded_and_nothing_else() {
        cli.createDead("dead");
        String ready = cli.queue.enqueue("ready").id().value();
        String dead = cli.json("peek", "mails", "--state", "dead")
                .get("jobs")
                .get(0)
                .get("id")
                .asText();
        assertThat(cli.run("discard", "mails", dead).exitCode()).isEqualTo(2);
        assertThat(cli.run("discard", "mails", ready, "--yes").out())
                .contains(ready + ": not changed, because its state is ready");
        assertThat(cli.out("discard", "mails", dead, "--yes")).contains(dead + ": discarded");
        assertThat(cli.queue.counts().dead()).isZero();
        assertThat(cli.queue.counts().ready()).isEqualTo(1);
    }
}
