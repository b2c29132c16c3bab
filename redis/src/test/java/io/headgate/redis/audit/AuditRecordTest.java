package io.headgate.redis.audit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class AuditRecordTest {

    @Test
    void a_record_is_restored_from_its_fields() {
        AuditRecord record = AuditRecord.of(AuditAction.BAN_ADD, "http")
                .withOperator("ada", "operate")
                .withFrom("192.0.2.7")
                .withPeer("10.0.7.2")
                .withTarget("user=mallory")
                .withOutcome("failed", "503")
                .withStates("{\"a\":1}", "{\"b\":2}")
                .withReason("card testing")
                .withCount(3);

        assertThat(AuditRecord.of(record.fields())).isEqualTo(record);
        assertThat(record.fields()).containsEntry("action", "ban.add").containsEntry("count", "3");
    }

    @Test
    void fields_of_another_version_do_not_prevent_reading() {
        AuditRecord record = AuditRecord.of(Map.of("action", "new.action", "future", "x", "count", "many"));

        assertThat(record.action()).isEqualTo("new.action");
        assertThat(record.count()).isEqualTo(1);
        assertThat(record.isFrequent()).isFalse();
    }

    @Test
    void every_text_is_bounded() {
        String longText = "x".repeat(100_000);
        AuditRecord record = new AuditRecord(
                longText, longText, longText, longText, longText, longText, longText, longText, longText, longText,
                longText, longText, 1);

        assertThat(record.fields().values().stream().mapToInt(String::length).sum())
                .isLessThan(2_000);
        assertThat(record.target()).hasSize(512).endsWith("…");
        assertThat(record.before()).isEqualTo("{\"omitted\":\"more than 2000 characters\"}");
    }

    @Test
    void a_cut_splits_no_character() {
        AuditRecord record = AuditRecord.of(AuditAction.BAN_ADD, "http").withReason("x".repeat(254) + "😀😀");

        assertThat(record.reason()).isEqualTo("x".repeat(254) + "…");
    }

    @Test
    void every_action_is_found_by_its_name() {
        for (AuditAction action : AuditAction.values()) {
            assertThat(AuditAction.named(action.toString())).contains(action);
            assertThat(action.toString()).matches("[a-z]+\\.[a-z]+").hasSizeLessThanOrEqualTo(32);
        }
        assertThat(AuditAction.named("ban")).isEmpty();
    }
}
