package io.headgate.server.queues.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.server.Main;
import io.headgate.server.ServerProcess;
import io.headgate.testkit.conditions.Requirement;
import io.headgate.testkit.conditions.Requires;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** {@code purge} asks for confirmation at a terminal, which the program {@code script} creates here. */
@Requires(Requirement.SCRIPT)
class ConfirmationIT {

    @Test
    void without_a_yes_nothing_is_deleted() throws Exception {
        try (QueueCli cli = new QueueCli()) {
            cli.queue.enqueue("one");
            cli.queue.enqueue("two");

            assertThat(atTerminal(cli, "n", "purge", "mails"))
                    .contains("Delete 2 waiting jobs of mails permanently? [y/N]")
                    .contains("headgate: not confirmed; nothing was changed");
            assertThat(atTerminal(cli, "", "purge", "mails")).contains("not confirmed");
            assertThat(cli.queue.counts().ready()).isEqualTo(2);

            assertThat(atTerminal(cli, "Yes", "purge", "mails")).contains("purged 2 waiting jobs of mails");
            assertThat(cli.queue.counts().ready()).isZero();
        }
    }

    private static String atTerminal(QueueCli cli, String answer, String... words) throws Exception {
        List<String> java = List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                String.join(" ", ServerProcess.SHORT_LIVED),
                "-cp",
                "\"$CLASSES\"",
                Main.class.getName(),
                "queue",
                String.join(" ", words),
                "--redis",
                cli.redis.url(),
                "--redis-timeout",
                "4s");
        ProcessBuilder builder =
                new ProcessBuilder("script", "-qec", String.join(" ", java), "/dev/null").redirectErrorStream(true);
        builder.environment().put("CLASSES", System.getProperty("java.class.path"));
        builder.environment().put("SHELL", "/bin/sh");
        Process process = builder.start();
        try {
            return answerPrompt(process, answer);
        } finally {
            process.destroyForcibly();
        }
    }

    private static String answerPrompt(Process process, String answer) throws IOException, InterruptedException {
        StringBuilder output = new StringBuilder();
        try (var reader = process.inputReader(StandardCharsets.UTF_8);
                Writer writer = process.outputWriter(StandardCharsets.UTF_8)) {
            boolean answered = false;
            for (int next = reader.read(); next >= 0; next = reader.read()) {
                output.append((char) next);
                if (!answered && output.indexOf("[y/N]") >= 0) {
                    writer.write(answer + "\n");
                    writer.flush();
                    answered = true;
                }
            }
        }
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        return output.toString();
    }
}
