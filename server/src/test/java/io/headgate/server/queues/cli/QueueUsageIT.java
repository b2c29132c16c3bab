package io.headgate.server.queues.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.server.CliRun;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code headgate queue} with a wrong command line, an unknown queue, or no Redis. */
class QueueUsageIT {

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
    void an_unknown_queue_exits_with_1_and_is_not_created(String command) {
        String[] words = command.replace("ID", UNKNOWN).split(" ");
        List<String> all = new ArrayList<>(List.of(words));
        all.add(1, "nowhere");
        CliRun run = cli.run(all.toArray(String[]::new));
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err())
                .isEqualToIgnoringNewLines(
                        "headgate: no queue is named \"nowhere\" under this key prefix; to list the queues:"
                                + " ./headgate queue ls --redis " + cli.redis.url());
        assertThat(cli.queues.names()).isEmpty();
    }

    @ParameterizedTest(name = "{index}: {1}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            ls mails                        | unknown argument "mails"; ls takes options only
            lss                             | unknown command "lss"; did you mean ls?
            show                            | Missing required parameter: 'NAME'
            show bad:name                   | name of a queue must be 1 to 64 of A-Z a-z 0-9 . _ - and begin with a letter or digit, was "bad:name"
            show mails 7                    | the id of a job is 30 hexadecimal digits in lower case, followed by a dash and its tenant if it has one, was "7"
            cancel mails                    | Missing required parameter: 'ID'
            cancel mails 7                  | the id of a job is 30 hexadecimal digits in lower case, followed by a dash and its tenant if it has one, was "7"
            peek mails --state gone         | state "gone" is not one of ready, delayed, leased, dead, done
            peek mails --max 501           | "501" is not a whole number from 1 to 500
            peek mails --from x             | a cursor is up to 256 hexadecimal digits in lower case, was "x"
            redrive mails                   | give either --all or --max N
            redrive mails --all --max 3    | give either --all or --max N
            redrive mails --max 0          | "0" is not a whole number from 1 to 1000000000
            redrive mails --all --per-second 0 | jobs per second must be from 0.001 to 1000000, was "0"
            redrive mails --all --per-second x | "x" is not a number from 0.001 to 1000000
            purge mails --state leased --yes | state "leased" is not waiting (ready and delayed), ready, delayed, dead or done; claimed jobs cannot be deleted
            pause mails bills               | unknown argument "bills"; pause takes NAME and options
            """)
    void a_wrong_command_line_exits_with_2_and_states_what_is_allowed(String line, String message) {
        CliRun run = cli.run(line.split(" "));
        assertThat(run.exitCode()).as(run.err()).isEqualTo(2);
        assertThat(run.err()).startsWith("headgate: ").contains(message).doesNotContain("Exception");
    }

    @Test
    void a_redis_that_does_not_reply_exits_with_1_and_a_pointer_to_the_doctor() {
        CliRun run = CliRun.of("queue", "ls", "--redis", "redis://:secret@127.0.0.1:1");
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err())
                .startsWith("headgate: connect redis://127.0.0.1:1: ")
                .contains("; for more on 127.0.0.1:1: ./headgate doctor --redis URL")
                .doesNotContain("secret", "\tat ");
        assertThat(CliRun.of("queue", "ls").err()).contains("give the Redis: --redis URL");
    }
}
