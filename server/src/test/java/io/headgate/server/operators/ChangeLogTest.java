package io.headgate.server.operators;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each entry of the operators' log is one line, whatever it contains. */
class ChangeLogTest {

    private static final String FORGED = "no\r\n2030-01-01T00:00:00.000Z INFO  operator eve\u2028purge";

    @Test
    void a_failure_is_one_line_whatever_its_message(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("operators.log");
        try (ChangeLog log = ChangeLog.open(Optional.of(file), "--operators-log")) {
            assertThatThrownBy(() -> log.run(
                            "pause \"mails\"",
                            () -> "",
                            () -> {
                                throw new IllegalStateException(FORGED);
                            },
                            String::valueOf))
                    .hasMessage(FORGED);
            assertThat(log.problem()).isEmpty();
        }

        assertThat(Files.readString(file))
                .endsWith(" pause \"mails\": failed: no\\u000d\\u000a2030-01-01T00:00:00.000Z INFO  operator"
                        + " eve\\u2028purge" + System.lineSeparator())
                .hasLineCount(1);
    }

    @Test
    void a_line_after_an_incomplete_line_starts_on_its_own(@TempDir Path folder) throws IOException {
        Path file = Files.writeString(folder.resolve("operators.log"), "2026-11-21T19:51");
        try (ChangeLog log = ChangeLog.open(Optional.of(file), "--operators-log")) {
            assertThatThrownBy(() -> log.run(
                            "pause \"mails\"",
                            () -> "",
                            () -> {
                                throw new StackOverflowError();
                            },
                            String::valueOf))
                    .isInstanceOf(StackOverflowError.class);
        }

        assertThat(Files.readAllLines(file)).hasSize(2).first().isEqualTo("2026-11-21T19:51");
        assertThat(Files.readAllLines(file).get(1)).endsWith(" pause \"mails\": failed: java.lang.StackOverflowError");
    }

    @Test
    void an_operator_name_that_could_forge_a_line_is_quoted() {
        assertThat(LocalOperator.quotedIfUnusual("deploy@web-1.example.com")).isEqualTo("deploy@web-1.example.com");
        assertThat(LocalOperator.quotedIfUnusual("root@a purge \"mails\": purged\noperator eve"))
                .isEqualTo("\"root@a purge \\\"mails\\\": purged\\u000aoperator eve\"");
        assertThat(LocalOperator.name()).contains("@").doesNotContain("\n");
    }
}
