package io.headgate.server.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.headgate.redis.audit.AuditAction;
import io.headgate.server.text.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each record in the file of the audit log is one line of JSON, whatever it contains. */
class CommandAuditTest {

    private static final String FORGED = "no\r\n{\"operator\":\"eve\"}\u2028purge";
    private static final CommandAudit.Plan PAUSE =
            new CommandAudit.Plan(AuditAction.QUEUE_PAUSE, "pause \"mails\"", AuditedChange.of("mails"));

    private static CommandAudit audit(Path file) {
        return new CommandAudit(Optional.of(AuditFile.open(file, "--audit-log")), Optional.empty());
    }

    @Test
    void a_failure_is_one_line_whatever_its_message(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("audit.log");
        try (CommandAudit audit = audit(file)) {
            assertThatThrownBy(() -> audit.run(
                            PAUSE,
                            () -> {
                                throw new IllegalStateException(FORGED);
                            },
                            done -> new CommandAudit.Outcome(true, "", PAUSE.about())))
                    .hasMessage(FORGED);
            assertThat(audit.problem()).isEmpty();
        }

        assertThat(Files.readAllLines(file)).hasSize(1);
        JsonNode record = Json.MAPPER.readTree(Files.readString(file));
        assertThat(record.get("action").asText()).isEqualTo("queue.pause");
        assertThat(record.get("outcome").asText()).isEqualTo("failed");
        assertThat(record.get("detail").asText()).isEqualTo("no\\u000d\\u000a{\"operator\":\"eve\"}\\u2028purge");
        assertThat(record.has("after")).isFalse();
    }

    @Test
    void a_change_that_fails_in_between_has_what_is_done_in_front(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("audit.log");
        CommandAudit.Plan plan = new CommandAudit.Plan(
                AuditAction.BAN_IMPORT,
                "ban import",
                AuditedChange.of("bans"),
                () -> Optional.of(new CommandAudit.Outcome(
                        true, "added 5000 or more", AuditedChange.of("bans").to(Map.of("added", 5000)))));
        try (CommandAudit audit = audit(file)) {
            assertThatThrownBy(() -> audit.run(
                            plan,
                            () -> {
                                throw new IllegalStateException("no reply".repeat(100));
                            },
                            done -> new CommandAudit.Outcome(true, "", plan.about())))
                    .isInstanceOf(IllegalStateException.class);
        }

        JsonNode record = Json.MAPPER.readTree(Files.readString(file));
        assertThat(record.get("outcome").asText()).isEqualTo("failed");
        assertThat(record.get("detail").asText()).startsWith("added 5000 or more, then: no reply");
        assertThat(record.get("after").get("added").asInt()).isEqualTo(5000);
    }

    @Test
    void a_cut_of_a_state_splits_no_character(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("audit.log");
        AuditedChange change = PAUSE.about().to(Map.of("reason", "x".repeat(254) + "😀😀"));
        try (CommandAudit audit = audit(file)) {
            audit.<Integer>run(PAUSE, () -> 7, done -> new CommandAudit.Outcome(true, "paused", change));
        }

        JsonNode record = Json.MAPPER.readTree(Files.readString(file));
        assertThat(record.get("after").get("reason").asText()).isEqualTo("x".repeat(254) + "…");
    }

    @Test
    void a_line_after_an_incomplete_line_starts_on_its_own(@TempDir Path folder) throws IOException {
        Path file = Files.writeString(folder.resolve("audit.log"), "{\"time\":\"2026-11-21T19:51");
        try (CommandAudit audit = audit(file)) {
            assertThatThrownBy(() -> audit.run(
                            PAUSE,
                            () -> {
                                throw new StackOverflowError();
                            },
                            done -> new CommandAudit.Outcome(true, "", PAUSE.about())))
                    .isInstanceOf(StackOverflowError.class);
        }

        assertThat(Files.readAllLines(file)).hasSize(2).first().isEqualTo("{\"time\":\"2026-11-21T19:51");
        assertThat(Files.readAllLines(file).get(1)).contains("\"detail\":\"java.lang.StackOverflowError\"");
    }

    @Test
    void before_and_after_are_json_with_bounded_texts(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("audit.log");
        AuditedChange change = PAUSE.about()
                .from(Map.of("paused", false))
                .to(Map.of("reason", "x\n".repeat(1_000)))
                .because("an upgrade");
        try (CommandAudit audit = audit(file)) {
            assertThat(audit.<Integer>run(PAUSE, () -> 7, done -> new CommandAudit.Outcome(true, "paused", change)))
                    .isEqualTo(7);
        }

        JsonNode record = Json.MAPPER.readTree(Files.readString(file));
        assertThat(record.get("before").get("paused").booleanValue()).isFalse();
        assertThat(record.get("after").get("reason").asText()).hasSize(256).endsWith("…");
        assertThat(record.get("reason").asText()).isEqualTo("an upgrade");
        assertThat(record.get("operator").asText() + "@" + record.get("from").asText())
                .isEqualTo(LocalOperator.user() + "@" + LocalOperator.host());
    }

    @Test
    void an_operator_name_that_could_forge_a_line_is_quoted() {
        assertThat(LocalOperator.quotedIfUnusual("deploy@web-1.example.com")).isEqualTo("deploy@web-1.example.com");
        assertThat(LocalOperator.quotedIfUnusual("root@a purge \"mails\": purged\noperator eve"))
                .isEqualTo("\"root@a purge \\\"mails\\\": purged\\u000aoperator eve\"");
        assertThat(LocalOperator.name()).contains("@").doesNotContain("\n");
    }
}
